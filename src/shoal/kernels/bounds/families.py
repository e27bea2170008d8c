"""Families of patterns, found depth first: every class lies in a pattern that is no dearer than it."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import inner_kernel, kernel
from shoal.kernels.bounds.charges import Charges, Others, excess
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

_SORTING = 10  # looks at a point that sorting a value takes as long as


class PatternList(NamedTuple):
    """Patterns one after the other.

    Args:
        prices: What each record of a class of the pattern pays, at least.
        begins: Where the points of each pattern begin; the last entry is where all end.
        members: The points.
    """

    prices: NDArray[np.float64]
    begins: NDArray[np.int64]
    members: NDArray[np.int32]


@kernel
def start_search(forms: Forms, points: DistinctRows, most: int) -> SearchState:
    """Return a search that has not begun, and may look at so many points and ranges."""
    depths, n = points.ranks.shape
    places = forms.parent.shape[0] + forms.kinds.shape[0]
    slices = np.empty((depths + 1, 2 * n), dtype=np.int32)
    for i in range(n):
        slices[0, i] = i
    return SearchState(
        slices=slices,
        counters=np.zeros(forms.parent.shape[0], dtype=np.int64),
        values=np.empty(places, dtype=np.int32),
        begins=np.empty(places, dtype=np.int64),
        sizes=np.empty(places, dtype=np.int64),
        waiting=np.empty((2, places), dtype=np.int32),
        lows=np.empty(places, dtype=np.int64),
        highs=np.empty(places, dtype=np.int64),
        prices=np.empty(places, dtype=np.float64),
        needs=np.empty((2, places), dtype=np.int64),
        marks=np.zeros((depths, 4), dtype=np.int64),
        costs=np.zeros((depths, 2), dtype=np.float64),
        left=np.full(1, most, dtype=np.int64),
    )


@inner_kernel
def part(forms: Forms, points: DistinctRows, search: SearchState, depth: int, low: int, high: int) -> None:
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
    """Return the highest cap of some points, less what they pay at least in the columns behind a depth. O(points)."""
    highest = -np.inf
    if points.rest.shape[1] == 0:
        for i in members:
            highest = max(highest, caps[i])
    else:
        for i in members:
            highest = max(highest, caps[i] - points.rest[depth + 1, i])
    return highest


@kernel
def walk(
    forms: Forms, points: DistinctRows, caps: Charges, patterns: PatternList, found: NDArray[np.int64], listing: bool
) -> bool:
    """Visit the patterns of all columns that have k records and matter to charges up to the caps.

    With `listing` those with a class whose caps exceed its price are kept in `patterns`. Else those matter that cost a
    point less than its cap, which is lowered to their price: in the end it is the least of the cap and the prices of
    all patterns of the point.

    A class S has one pattern: its columns are split in their order, and in each one, among the patterns of the points
    that share those of the columns before, that of S is determined by S. So what is left out here has no class, has no
    class of k records, or has only classes that cannot matter: from the columns so far on, points become fewer, and pay
    no less than the price so far and `rest` in the others. Depth first, on a stack of the columns, since a compiled
    function that calls itself does not survive being kept on disk.

    Args:
        forms: Prices and trees.
        points: The points.
        caps: For each point, as charges.
        patterns: Workspace for what is listed.
        found: The number of patterns and of their points; then how much may be looked at, which runs down.
        listing: Whether to list.

    Returns:
        Whether it came to an end: there was room, and not too much was looked at.
    """
    search = start_search(forms, points, found[2])
    others = Others(np.empty(points.k + 2, dtype=np.int32), np.empty(points.k + 2))
    marks, costs, last = search.marks, search.costs, points.ranks.shape[0] - 1
    depth = 0
    costs[0, 1] = np.inf
    part(forms, points, search, 0, 0, points.ranks.shape[1])
    while depth >= 0:
        place = marks[depth, NEXT]
        if place == marks[depth, END]:
            if not list_patterns(forms, points, search, depth):
                depth -= 1
            continue
        marks[depth, NEXT] = place + 1
        cost = costs[depth, 0] + search.prices[place]
        members = search.slices[depth + 1, search.lows[place] : search.highs[place]]
        search.left[0] -= members.shape[0]
        found[2] = search.left[0]
        if found[2] < 0:
            return False
        highest = highest_cap(points, caps.own, depth, members)
        if cost >= highest or not all_shown(forms, points, search, depth, members):
            continue
        plain = depth == last or points.rest.shape[1] == 0
        if listing and plain and excess(caps, cost, members, others).total <= 0:
            continue
        if depth < last:
            depth += 1
            costs[depth, 0], costs[depth, 1] = cost, highest_cap(points, caps.own, depth, members)
            part(forms, points, search, depth, search.lows[place], search.highs[place])
        elif not listing:
            for i in members:
                caps.own[i] = min(caps.own[i], cost)
        elif not keep(patterns, found, members, cost):
            return False
    return True


@inner_kernel
def all_shown(forms: Forms, points: DistinctRows, search: SearchState, depth: int, members: NDArray[np.int32]) -> bool:
    """Tell whether points have a class with the patterns that were chosen in all columns before."""
    for before in range(depth - 1, -1, -1):
        place = search.marks[before, NEXT] - 1
        needs = (search.needs[0, place], search.needs[1, place])
        if needs[0] != ANY and not shown(forms, points, before, needs, search.prices[place], members):
            return False
    return True


@inner_kernel
def keep(patterns: PatternList, found: NDArray[np.int64], members: NDArray[np.int32], price: float) -> bool:
    """Append a pattern; tell whether there was room."""
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
