"""Relations: columns that are copies of others, or follow from them.

A column follows from another if equal values there mean equal values here. Two columns that follow from each other say
the same in other words. That is by chance where nearly every record has a value of its own, so such columns count only
if they are equal, text by text; and where a column hardly varies, so at least some records must show the rule.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.actions.suggestions.profile import Profile
from shoal.tables.dependence import follows

_SAMPLE = 20_000  # records on which a pair of columns must pass before all are looked at
_SHOWN = 20  # least number of records that share a value with others, and so show that a column follows
_VARIED = 3  # least number of them beside the most frequent value of what follows


@dataclass(frozen=True, slots=True)
class Relations:
    """The copies and functions among the columns of a table.

    Args:
        copies: Groups of columns that say the same, in the order of the table.
        follows: Pairs `(from, to)`: the second follows from the first, which says more.
    """

    copies: tuple[tuple[str, ...], ...] = ()
    follows: tuple[tuple[str, str], ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON."""
        return {"copies": [list(group) for group in self.copies], "follows": [list(pair) for pair in self.follows]}


def relations_of(profiles: Sequence[Profile]) -> Relations:
    """Look at all pairs of columns: first at a sample of the records, then at all of them. O(columns^2 x records)."""
    varied = [profile for profile in profiles if profile.distinct > 1]
    codes = [profile.column.codes for profile in varied]
    n = len(codes[0]) if codes else 0
    step = max(1, n // _SAMPLE)
    few = [column[::step] for column in codes]
    implied = {
        (a, b)
        for a in range(len(varied))
        for b in range(len(varied))
        if a != b and _may_follow(varied[a], varied[b]) and follows(few[a], few[b]) and follows(codes[a], codes[b])
    }
    equal = {(a, b) for a, b in implied if varied[a].values == varied[b].values and (codes[a] == codes[b]).all()}
    shown = {(a, b) for a, b in implied if _is_shown(varied[a], codes[a], codes[b])}
    same = equal | {(a, b) for a, b in shown if (b, a) in implied}
    same |= {(b, a) for a, b in same}
    groups = _groups(len(varied), same)
    first = {one: group[0] for group in groups for one in group}
    other = [(a, b) for a, b in sorted(shown) if (a, b) not in same and first.get(a, a) == a and first.get(b, b) == b]
    return Relations(
        tuple(tuple(varied[one].name for one in group) for group in groups),
        tuple((varied[a].name, varied[b].name) for a, b in other),
    )


def _may_follow(source: Profile, target: Profile) -> bool:
    return target.distinct <= source.distinct + 1


def _is_shown(source: Profile, codes: NDArray[np.integer], target: NDArray[np.integer]) -> bool:
    """Tell whether enough records share a value of the source, with enough different values of the target."""
    shared = source.counts[codes] > 1
    if source.distinct > source.n_records / 2 or int(np.count_nonzero(shared)) < _SHOWN:
        return False
    counts = np.bincount(target[shared])
    return int(counts.sum() - counts.max()) >= _VARIED


def _groups(n: int, same: set[tuple[int, int]]) -> list[list[int]]:
    """Return the groups of columns that say the same; that is an equivalence."""
    seen: set[int] = set()
    groups = []
    for one in range(n):
        group = [one, *(other for other in range(n) if (one, other) in same)]
        if len(group) > 1 and one not in seen:
            groups.append(sorted(set(group) - seen))
            seen |= set(group)
    return groups
