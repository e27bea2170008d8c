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
    """Try what an attacker learns from a release: who is who, who is in it, and which sensitive values they have.

    Args:
        release: A release of shoal (in memory, or its folder), or any table with `quasi` and `sensitive`: a frame, the
            path of a file, or a `shoal.table`. Several in a list, in the order in which they were made, are a series:
            what they tell together of everybody who was ever in one.
        public: A table of persons, to be joined on their quasi values: a cell matches the values that it covers.
        truth: Columns that name the persons of `public`, and also the records of the release or of `raw`.
        raw: The table that the release was made of; that of the release's job if left out.
        other: Another release of the same table, to be put together with the first.
        on: The columns to join on; a mapping tells what `public` calls them. All that both have if left out.
        quasi: For a table that is no release of shoal: the quasi columns; a mapping may give their hierarchies.
        sensitive: Likewise the sensitive columns.
        attacks: The attacks to run, by name; all that what is given allows if left out, but `replay` only if named.
        missing: Whether a missing value may be any value (`wildcard`), or is a value like any other (`category`).
        rule_out: The largest number of sensitive values that background knowledge rules out.
        gain: The gain of a value over its prior from which a class counts as exposed by skewness.
        width: The share of the whole range within which a class counts as exposed by similarity.
        others_known: Whether an attacker knows the other sensitive columns of a person.
        swaps: The number of swapped tables that `replay` releases.
        sample: The most records of the release whose classes `singling-out` looks at, and the most persons of the raw
            table that `composition` looks for; of more a part is drawn, and that is said. 0 is without limit.
        seed: What samples and swapped tables are drawn by.
        persons: For a series: a table for each release that lists who is in it, with their quasi values and perhaps the
            columns of `truth`; those that the releases were made of if left out.
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
        raise SpecError("A release of shoal knows the roles of its columns: quasi and sensitive are for other tables.")
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
