"""Oddities: what is no number in a column of numbers, and names that were made for columns."""

import re
from collections.abc import Sequence

from shoal.actions.suggestions.kinds import plain_number
from shoal.actions.suggestions.profile import Profile
from shoal.actions.suggestions.whole_table import is_made
from shoal.foundation.wording import number_of

_NUMBERED = re.compile(r"(.*) \([0-9]+\)")
_FEWEST = 10  # different numbers from which on a column is one of numbers


def told_of_names(names: Sequence[str]) -> list[str]:
    """Say which columns had no name, or shared theirs with another."""
    made, doubled = nameless(names), [name for name in names if (one := _first(name)) is not None and one in names]
    told = []
    if made:
        told.append(f"Without a name in the table, so that one was made: {_listed(made)}.")
    if doubled:
        told.append(f"Names that stand in the table more than once are numbered: {_listed(doubled)}.")
    return told


def nameless(names: Sequence[str]) -> list[str]:
    """Return the names that were made for columns without one."""
    return [name for name in names if name.startswith("column ") and is_made(name)]


def shared(names: Sequence[str]) -> list[str]:
    """Return the names that several columns had, as they were numbered, the first one with them."""
    numbered = {name: one for name in names if (one := _first(name)) is not None and one in names}
    return [name for name in names if name in numbered or name in numbered.values()]


def _first(name: str) -> str | None:
    """Return the name that a numbered one has without its number."""
    found = _NUMBERED.fullmatch(name)
    return None if found is None else found[1]


def told_of_numbers(profile: Profile) -> list[str]:
    """Say how many records of a column of numbers hold something else."""
    if profile.kind.name != "number":
        return []
    form = profile.kind.form or "plain"
    others = [value for value in profile.values if plain_number(value, form) is None]
    if not others or profile.distinct - len(others) < _FEWEST:
        return []
    records = sum(profile.by_value[value] for value in others)
    return [
        f"'{profile.name}' holds numbers, but in {number_of(records, 'record')} something else "
        f"({number_of(len(others), 'different text')}, such as inf or a word): it is still taken as numbers, and these "
        "stay apart. If they mean that the value is missing, name them (shoal init --missing-values)."
    ]


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"'{name}'" for name in names)
