"""Charges of a table in parts: by how much they must fall for the classes that have records of several parts."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.bounds.charges import Charges
from shoal.kernels.bounds.dual import lower_charges, total_excess
from shoal.kernels.bounds.families import PatternList
from shoal.kernels.local.closures import Forms
from shoal.search.bounds.families import Family

_TRIES = 8  # how many times patterns are listed, each time with caps lowered by the factor below
_LOWER = 0.5
_SWEEPS = 60  # how many times charges are raised again, up to what they were,
_FIRST, _LAST = 0.1, 0.001  # in steps that fall from the first of these shares of the mean charge to the last


@dataclass(frozen=True, slots=True, eq=False)
class ChargedGroups:
    """All records of a table in parts, in groups, and what bounds of the parts charge them.

    A class that has records of some groups costs no less than one that has as many records with the leaves of these
    groups.

    Args:
        codes: The leaves of each group.
        parts: The part that it is in.
        counts: The number of its records.
        low: The least charge of its records.
        high: The largest one.
        sums: The sum of the charges of its records.
    """

    codes: NDArray[np.int32]
    parts: NDArray[np.int32]
    counts: NDArray[np.int64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    sums: NDArray[np.float64]


def overcharged(groups: ChargedGroups, forms: Forms, n_leaves: Sequence[int], k: int) -> float:
    """Return by how much the charges of all records must fall, so that no class across parts is charged too much.

    A class inside of a part is charged no more than it costs, by the bound of the part, and charges only fall here. A
    class S with records of several parts lies in a pattern with points of several parts. So let the records of a group
    be charged as much as the one that is charged most, and lower these charges until no class of such a pattern is
    charged more than it costs, as in `lower_bound`. If the charge of the group falls from `high` to t, then it is
    enough that no record of it is charged more than t:

    - A record with a charge y is charged low + (y - low)(t - low) / (high - low) if low <= t: that is at most t, and
      at most y. In a group it adds up to the part (high - t) / (high - low) of what its charges are above `low`.
    - If t < low, all are charged t.

    What S is charged then is no more than what its groups are, and so than it costs. What is left of excesses, by
    rounding or otherwise, is returned as well. Where there are too many patterns, all charges are lowered first, and no
    pattern can be missed by the charges that are left.

    Args:
        groups: The records and their charges.
        forms: What a class may be published as, and the least that it costs with the leaves of the groups.
        n_leaves: The number of leaves of each column.
        k: The least number of records of a class.
    """
    family = Family.across(forms, n_leaves, groups.codes, groups.counts, groups.parts, k)
    if len(family.points.columns) == 0:  # nothing has a price
        return _fallen(groups, family.values + family.constant)
    high = groups.high - family.constant
    floors = family.floors(lambda: False, quick=True)
    charges = Charges(high.copy(), floors, groups.counts, k)
    found = _listed(family, charges)
    if found is None:
        return _fallen(groups, floors + family.constant)
    caps, patterns = found
    _settle(charges, caps, patterns)
    return _fallen(groups, charges.own + family.constant) + total_excess(charges, patterns)


def _listed(family: Family, charges: Charges) -> tuple[NDArray[np.float64], PatternList] | None:
    """Return how much may be charged at most, and the patterns that this can exceed; None if there are too many.

    Then the floors may be charged, which no pattern is below.
    """
    above = np.maximum(charges.own - charges.floors, 0.0)
    for number in range(_TRIES):
        caps = np.minimum(charges.own, charges.floors + above * _LOWER**number)
        patterns = family.listed(caps, charges.floors)
        if patterns is not None:
            return caps, patterns
    return None


def _settle(charges: Charges, caps: NDArray[np.float64], patterns: PatternList) -> None:
    """Lower the charges until no class is charged too much, and raise them again where there is room."""
    np.minimum(charges.own, caps, out=charges.own)
    quiet, raised = np.zeros(len(patterns.prices)), 0.0
    lower_charges(charges, patterns, quiet, raised, True)
    mean = float(np.abs(charges.own) @ charges.counts) / int(charges.counts.sum())
    for number in range(_SWEEPS):
        step = mean * _FIRST * (_LAST / _FIRST) ** (number / (_SWEEPS - 1))
        np.minimum(charges.own + step, caps, out=charges.own)
        raised += step
        lower_charges(charges, patterns, quiet, raised, number % 2 == 1)


def _fallen(groups: ChargedGroups, tops: NDArray[np.float64]) -> float:
    """Return how much less the records of the groups are charged if none is charged more than `tops`."""
    spread = groups.high - groups.low
    share = np.divide(groups.high - tops, spread, out=np.ones_like(spread), where=spread > 0)
    above = groups.sums - groups.low * groups.counts
    fallen = np.clip(share, 0.0, 1.0) * above + np.maximum(groups.low - tops, 0.0) * groups.counts
    return float(fallen.sum())
