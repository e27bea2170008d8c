"""Belonging: whether records that share a number are of one person, by what does not change in a life."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.actions.suggestions.profile import Profile
from shoal.actions.suggestions.roles import Suggestion
from shoal.tables.table import Role

_LASTING = ("(sex)", "(date of birth)", "words for the sexes")  # what a reason says of a column that does not change
_DIFFER = 0.2  # least share of the shared values that are not of one person; errors of entry are rarer
_AGREE = 0.05  # most of them where they are of one person
_SHOWN = 20  # least number of records that share a value, for a column of which nothing else is known


@dataclass(frozen=True, slots=True)
class Belonging:
    """What the records say that share a value of a column.

    Args:
        of_one: Whether so many of them agree in what does not change that they are of one person.
        of_several: Whether so many differ in it that they are not.
        by: The columns that say so.
    """

    of_one: bool = False
    of_several: bool = False
    by: tuple[str, ...] = ()


def lasting_among(columns: Sequence[Suggestion]) -> list[Profile]:
    """Return the columns that hold what does not change in a life: the sex, and the date of birth."""
    known = [one for one in columns if one.role is Role.QUASI and one.certainty == "sure"]
    return [one.profile for one in known if any(noun in one.reason for noun in _LASTING)]


def belonging_of(profile: Profile, lasting: Sequence[Profile]) -> Belonging:
    """Compare the records that share a value of a column, by what does not change in a life. O(records)."""
    codes = profile.column.codes
    shared = profile.counts[:-1] > 1
    others = [one for one in lasting if one.name != profile.name and one.distinct > 1]
    if not shared.any() or not others:
        return Belonging()
    differ = {one.name: _differ(codes, one, len(shared))[shared].mean() for one in others}
    wrong = tuple(name for name, share in differ.items() if share >= _DIFFER)
    if wrong:
        return Belonging(of_several=True, by=wrong)
    right = tuple(name for name, share in differ.items() if share <= _AGREE)
    enough = int(profile.counts[:-1][shared].sum()) >= _SHOWN
    return Belonging(of_one=enough and len(right) == len(differ), by=right)


def _differ(codes: NDArray[np.integer], other: Profile, n_values: int) -> NDArray[np.bool_]:
    """Tell of each value whether its records have several values of another column; a missing one is none."""
    there = (other.column.codes < other.distinct) & (codes < n_values)
    least, most = np.full(n_values, other.distinct), np.full(n_values, -1)
    np.minimum.at(least, codes[there], other.column.codes[there])
    np.maximum.at(most, codes[there], other.column.codes[there])
    return least < most
