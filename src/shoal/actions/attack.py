"""Attack: who holds a release, perhaps a public table or another release, tries what can be learned."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Literal

from shoal.actions.attacking.attacker import Attacker
from shoal.actions.attacking.together import Together
from shoal.audits.attacks.attacks import Attacks
from shoal.foundation.errors import SpecError
from shoal.foundation.exact import fraction
from shoal.foundation.given import checked
from shoal.foundation.progress import Progress, silent
from shoal.jobs.arguments import check_apart, listed, spec_of
from shoal.jobs.given_table import frame_or_location
from shoal.releases.release_view import ReleaseView, made_here


@checked
def attack(
    release: Any,
    *,
    public: Any = None,
    truth: Sequence[str] = (),
    raw: Any = None,
    other: Any = None,
    on: Sequence[str] | Mapping[str, str] = (),
    quasi: Sequence[str] | Mapping[str, Any] = (),
    sensitive: Sequence[str] | Mapping[str, Any] = (),
    attacks: Sequence[str] = (),
    missing: Literal["wildcard", "category"] = "wildcard",
    rule_out: int = 2,
    gain: float | str = 0.5,
    width: float | str = 0.1,
    others_known: bool = False,
    swaps: int = 100,
    sample: int = 1_000_000,
    seed: int = 0,
    persons: Sequence[Any] = (),
    k: int | None = None,
    l: int | None = None,  # noqa: E741  (the paper's letter)
    worlds: int = 1_000_000,
    delimiter: str | None = None,
    progress: Progress = silent,
) -> Attacks:
    """Try what an attacker can learn from a release: identities, presence in it, and sensitive values.

    Args:
        release: A release of shoal (in memory, or its folder), or any table with `quasi` and `sensitive`: a frame, the
            path of a file, or a `shoal.table`. A list of several, in the order in which they were made, is attacked as
            a series: what all of them together reveal about everybody who was ever in one.
        public: A table of persons, joined on the quasi values; a cell matches every value that it covers.
        truth: Columns that identify the persons of `public` and the records of the release or of `raw`.
        raw: The table that the release was made from; by default that of the release's job.
        other: Another release of the same table, to combine with the first.
        on: The columns to join on; a mapping gives their names in `public`. By default all common columns.
        quasi: For a table that is not a release of shoal: the quasi columns; a mapping may give their hierarchies.
        sensitive: For such a table: the sensitive columns.
        attacks: The names of the attacks to run. By default all that the given tables allow, except `replay`.
        missing: Whether a missing value matches any value (`wildcard`), or is a value like any other (`category`).
        rule_out: The largest number of sensitive values that an attacker can rule out by background knowledge.
        gain: A class counts as exposed by skewness if a value is more likely there than overall by at least this much.
        width: A class counts as exposed by similarity if its values lie within this share of the whole range.
        others_known: Whether the attacker knows the other sensitive columns of a person.
        swaps: The number of swapped tables that `replay` releases.
        sample: The most records whose classes `singling-out` examines, and the most persons that `composition` looks
            for. Beyond that a sample is drawn, and the result says so. 0 means no limit.
        seed: The seed of samples and swapped tables.
        persons: For a series: for each release a table of the persons in it, with their quasi values and perhaps the
            columns of `truth`. By default the tables that the releases were made from.
        k: For a series: the least allowed number of records that may be a person's; what it promises if left out.
        l: For a series: the largest allowed probability of a value is 1 / l; what it promises if left out.
        worlds: For a series: how many ways to place persons are tried, to count all worlds that fit; 0 is to rest with
            bounds.
        delimiter: What separates the fields of CSV files; found out if not given.
        progress: Called with the step and the share of it that is done.
    """
    roles = roles_of(quasi, sensitive)
    if missing not in ("wildcard", "category"):
        raise SpecError(f"'missing' is '{missing}': known are wildcard, category.")
    if roles is not None and made_here(release) and (other is None or made_here(other)):
        raise SpecError(
            "A release of shoal defines the roles of its columns: leave out quasi and sensitive, which are "
            "for other tables."
        )
    joined = listed(on)
    along = joined if isinstance(joined, Mapping) else {name: name for name in joined}
    if isinstance(release, list | tuple):
        if any(one is not None for one in (public, raw, other)) or attacks:
            raise SpecError("Releases of a series are attacked together: persons, truth and on say what is known.")
        progress("reading the releases")
        return Together(
            views=tuple(ReleaseView.of(one, None if made_here(one) else roles, delimiter) for one in release),
            persons=tuple(frame_or_location(one, delimiter) for one in persons),
            truth=tuple(listed(truth)),
            on=along,
            wildcard=missing == "wildcard",
            k=k,
            l=l,
            budget=worlds,
        ).run(progress)
    if persons or k is not None or l is not None:
        raise SpecError("'persons', 'k' and 'l' are for a series of releases: give them in a list.")
    progress("reading the release")
    view = ReleaseView.of(release, roles, delimiter)
    attacker = Attacker(
        view=view,
        public=frame_or_location(public, delimiter),
        truth=tuple(listed(truth)),
        raw=frame_or_location(raw, delimiter),
        other=None if other is None else ReleaseView.of(other, roles, delimiter),
        on=along,
        attacks=tuple(listed(attacks)),
        wildcard=missing == "wildcard",
        rule_out=rule_out,
        gain=_share(gain, "gain"),
        width=_share(width, "width"),
        others_known=others_known,
        swaps=swaps,
        sample=sample,
        seed=seed,
    )
    return attacker.run(progress)


def roles_of(quasi: Any, sensitive: Any) -> ReleaseView | None:
    """Return the roles of the columns of a table that does not tell them itself."""
    quasi, sensitive = listed(quasi), listed(sensitive)
    if not quasi and not sensitive:
        return None
    check_apart(quasi, sensitive)
    recipes = {
        name: spec_of(recipe, name)
        for names in (quasi, sensitive)
        if isinstance(names, Mapping)
        for name, recipe in names.items()
        if recipe is not None
    }
    return ReleaseView(None, (), tuple(quasi), tuple(sensitive), recipes)


def _share(number: Any, name: str) -> Fraction:
    """Read a share as the decimal that was written."""
    share = fraction(number)
    if not isinstance(share, int | Fraction) or not 0 <= share <= 1:
        raise SpecError(f"'{name}' is {number}: a number from 0 to 1 is needed.")
    return Fraction(share)
