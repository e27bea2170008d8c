"""Joining: on which columns persons and a release are put together."""

from collections.abc import Sequence

from shoal.foundation.errors import SpecError
from shoal.foundation.shelf import did_you_mean
from shoal.releases.release_view import Joined, ReleaseView

PUBLIC = ("The public table", "each of its persons is looked for in all classes")
"""What a table of persons is called, and why its records are looked at one by one."""


def joined_on(view: ReleaseView, names: Sequence[str], on: Joined | None) -> dict[str, str]:
    """Return the columns to join on: those that are asked for, or all quasi columns that the other table has."""
    if on:
        for name in on:
            if name not in view.quasi:
                raise SpecError(
                    f"'{name}' is not a quasi column of the release. {did_you_mean(name, list(view.quasi))}"
                )
        return dict(on)
    both = {name: name for name in view.quasi if name in names}
    if not both:
        raise SpecError(
            f"The public table has none of the quasi columns of the release ({', '.join(view.quasi)}). Say which "
            "columns belong together (--on release_name=public_name)."
        )
    return both
