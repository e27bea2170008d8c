"""Families of patterns, found depth first: every class lies in a pattern that costs no more than it."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import inner_kernel, kernel
from shoal.kernels.bounds.charges import Charges, excess, make_others, possible
from shoal.kernels.bounds.column_patterns import (
    ANY,
    END,
    NEXT,
    PRESENT,
    TURN,
    DistinctRows,
    SearchState,
    list_patterns,
    shown,
)
from shoal.kernels.local.closures import Forms
from shoal.kernels.orders import sort_values

_SORTING = 10  # sorting a value counts as visiting so many points


class PatternList(NamedTuple):
    """A list of patterns.

    Args:
        prices: A lower bound on the price of each record of a class of the pattern.
        begins: Where the points of each pattern begin in `members`; the last entry is the end.
        members: The points.
    """

    prices: NDArray[np.float64]
    begins: NDArray[np.int64]
    members: NDArray[np.int32]


@kernel
def start_search(forms: Forms, points: DistinctRows, most: int) -> SearchState:
    """Return a new search that may visit `most` points and ranges."""
    depths, n = points.ranks.shape
    length = forms.parent.shape[0] + forms.kinds.shape[0]
    slices = np.empty((depths + 1, 2 * n), dtype=np.int32)
    for i in range(n):
        slices[0, i] = i
    return SearchState(
        slices=slices,
        counters=np.zeros(forms.parent.shape[0], dtype=np.int64),
        values=np.empty(length, dtype=np.int32),
        begins=np.empty(length, dtype=np.int64),
        sizes=np.empty(length, dtype=np.int64),
        waiting=np.empty((2, length), dtype=np.int32),
        lows=np.empty(length, dtype=np.int64),
        highs=np.empty(length, dtype=np.int64),
        prices=np.empty(length, dtype=np.float64),
        needs=np.empty((2, length), dtype=np.int64),
        marks=np.zeros((depths, 4), dtype=np.int64),
        costs=np.zeros((depths, 2), dtype=np.float64),
        left=np.full(1, most, dtype=np.int64),
    )


@inner_kernel
def sort_slice(forms: Forms, points: DistinctRows, search: SearchState, depth: int, low: int, high: int) -> None:
    """Sort the points of a slice by their value in the column of a depth. O(points + values log values)."""
    column, ranks = points.columns[depth], points.ranks[depth]
    at = forms.nodes[column] + column
    here, there, counters = search.slices[depth, low:high], search.slices[depth + 1], search.counters
    values, begins, sizes = search.values[at:], search.begins[at:], search.sizes[at:]
    present = 0
    for i in here:
        rank = ranks[i]
        if counters[rank] == 0:
            values[present] = rank
            present += 1
        counters[rank] += 1
    sort_values(values, present)
    begin = 0
    for v in range(present):
        rank = values[v]
        begins[v] = begin
        begin += counters[rank]
        counters[rank] = begins[v]
    begins[present] = begin
    for i in here:
        rank = ranks[i]
        there[counters[rank]] = i
        counters[rank] += 1
    size = 0
    for v in range(present):
        counters[values[v]] = 0
        sizes[v] = size
        for a in range(begins[v], begins[v + 1]):
            size += points.counts[there[a]]
    sizes[present] = size
    search.left[0] -= _SORTING * present
    search.marks[depth, PRESENT] = present
    search.marks[depth, TURN] = 0
    search.marks[depth, NEXT] = 0
    search.marks[depth, END] = 0


@inner_kernel
def highest_cap(points: DistinctRows, caps: NDArray[np.float64], depth: int, members: NDArray[np.int32]) -> float:
    """Return the highest cap of some points, minus `rest` in the columns behind a depth. O(points)."""
    highest = -np.inf
    if points.rest.shape[1] == 0:
        for i in members:
            highest = max(highest, caps[i])
    else:
        for i in members:
            highest = max(highest, caps[i] - points.rest[depth + 1, i])
    return highest


@kernel
def visit_patterns(
    forms: Forms, points: DistinctRows, caps: Charges, patterns: PatternList, found: NDArray[np.int64], listing: bool
) -> bool:
    """Visit the patterns of all columns that have k records and matter to charges up to the caps.

    With `listing`, the patterns with a class whose caps exceed its cost are kept in `patterns`. Otherwise a pattern
    matters if it costs less than the cap of a point, and the cap is lowered to that price: in the end it is the least
    of the cap and the prices of all patterns of the point. Where only patterns with points of several parts count
    (`points.parts`), that is all that classes with records of several parts need: their patterns have such points.

    Why nothing is missed: a class S has exactly one pattern. The columns are split in order, and in each column, among
    the patterns of the points that share those of the columns before, the pattern of S is determined by S. What is left
    out here has no class, or no class of k records (or none whose values keep their caps), or only classes that cannot
    matter: with each further column the points become fewer, and cost no less than the price so far plus `rest` in the
    other columns. The search keeps its own stack, one entry for each column, since a compiled function that calls
    itself cannot be cached on disk.

    Args:
        forms: Prices and trees.
        points: The points.
        caps: The cap of each point, as charges.
        patterns: Filled if `listing`.
        found: The number of patterns and of their points; then how much may still be visited.
        listing: Whether to list.

    Returns:
        Whether the search is complete: the patterns fit into the list, and the limit of visits was not reached.
    """
    search = start_search(forms, points, found[2])
    others = make_others(caps)
    marks, costs, last = search.marks, search.costs, points.ranks.shape[0] - 1
    depth = 0
    costs[0, 1] = np.inf
    sort_slice(forms, points, search, 0, 0, points.ranks.shape[1])
    while depth >= 0:
        slot = marks[depth, NEXT]
        if slot == marks[depth, END]:
            if not list_patterns(forms, points, search, depth):
                depth -= 1
            continue
        marks[depth, NEXT] = slot + 1
        cost = costs[depth, 0] + search.prices[slot]
        members = search.slices[depth + 1, search.lows[slot] : search.highs[slot]]
        search.left[0] -= members.shape[0]
        found[2] = search.left[0]
        if found[2] < 0:
            return False
        highest = highest_cap(points, caps.own, depth, members)
        if cost >= highest or not across(points, members) or not all_shown(forms, points, search, depth, members):
            continue
        if caps.values.shape[0] > 0 and not possible(caps, members, others):
            continue
        plain = depth == last or points.rest.shape[1] == 0
        if listing and plain and excess(caps, cost, members, others).total <= 0:
            continue
        if depth < last:
            depth += 1
            costs[depth, 0], costs[depth, 1] = cost, highest_cap(points, caps.own, depth, members)
            sort_slice(forms, points, search, depth, search.lows[slot], search.highs[slot])
        elif not listing:
            for i in members:
                caps.own[i] = min(caps.own[i], cost)
        elif not keep_pattern(patterns, found, members, cost):
            return False
    return True


@inner_kernel
def across(points: DistinctRows, members: NDArray[np.int32]) -> bool:
    """Return whether the points are of several parts, where that counts. O(points)."""
    several = points.parts.shape[0] == 0
    for i in members:
        if several:
            break
        several = points.parts[i] != points.parts[members[0]]
    return several


@inner_kernel
def all_shown(forms: Forms, points: DistinctRows, search: SearchState, depth: int, members: NDArray[np.int32]) -> bool:
    """Return whether the points have a class with the patterns that were chosen in all columns before."""
    for before in range(depth - 1, -1, -1):
        slot = search.marks[before, NEXT] - 1
        needs = (search.needs[0, slot], search.needs[1, slot])
        if needs[0] != ANY and not shown(forms, points, before, needs, search.prices[slot], members):
            return False
    return True


@inner_kernel
def keep_pattern(patterns: PatternList, found: NDArray[np.int64], members: NDArray[np.int32], price: float) -> bool:
    """Append a pattern to the list; return whether it fits."""
    pattern, begin = found[0], found[1]
    end = begin + members.shape[0]
    if pattern == patterns.prices.shape[0] or end > patterns.members.shape[0]:
        return False
    patterns.prices[pattern] = price
    for i in range(members.shape[0]):
        patterns.members[begin + i] = members[i]
    patterns.begins[pattern + 1] = end
    found[0], found[1] = pattern + 1, end
    return True
