"""Families of patterns, found depth first: every class lies in a pattern that is no dearer than it."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import inner_kernel, kernel
from shoal.kernels.closures import Forms
from shoal.kernels.column_patterns import ANY, END, NEXT, PRESENT, TURN, Points, Search, list_patterns, shown
from shoal.kernels.orders import sort_values


class Patterns(NamedTuple):
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
def start_search(forms: Forms, points: Points) -> Search:
    """Return a search that has not begun."""
    depths, n = points.ranks.shape
    places = forms.parent.shape[0] + forms.kinds.shape[0]
    slices = np.empty((depths + 1, 2 * n), dtype=np.int32)
    for i in range(n):
        slices[0, i] = i
    return Search(
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
    )


@inner_kernel
def part(forms: Forms, points: Points, search: Search, depth: int, low: int, high: int) -> None:
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
    search.marks[depth, PRESENT] = present
    search.marks[depth, TURN] = 0
    search.marks[depth, NEXT] = 0
    search.marks[depth, END] = 0


@inner_kernel
def highest_cap(points: Points, caps: NDArray[np.float64], depth: int, members: NDArray[np.int32]) -> float:
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
    forms: Forms, points: Points, caps: NDArray[np.float64], patterns: Patterns, found: NDArray[np.int64], listing: bool
) -> bool:
    """Visit the patterns of all columns that have k records and cost one of them less than its cap.

    With `listing` they are kept in `patterns`. Else each of their points has its cap lowered to their price, so
    that in the end it is the least of the cap and the prices of all its patterns.

    A class S has one pattern: its columns are parted in their order, and in each one, among the patterns of the points
    that share those of the columns before, that of S is determined by S. So what is left out here has no class, has no
    class of k records, or has only classes whose records all pay their caps or more: the price of the columns so far
    and at least `rest` in the others. Depth first, on a stack of the columns, since a compiled function that calls
    itself does not survive being kept on disk.

    Args:
        forms: Prices and trees.
        points: The points.
        caps: For each point.
        patterns: Room for what is listed.
        found: The number of patterns and of their points; then how many points may be looked at, which runs down.
        listing: Whether to list.

    Returns:
        Whether it came to an end: there was room, and not too many points were looked at.
    """
    search = start_search(forms, points)
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
        found[2] -= members.shape[0]
        if found[2] < 0:
            return False
        highest = highest_cap(points, caps, depth, members)
        if cost >= highest or not all_shown(forms, points, search, depth, members):
            continue
        if depth < last:
            depth += 1
            costs[depth, 0], costs[depth, 1] = cost, highest_cap(points, caps, depth, members)
            part(forms, points, search, depth, search.lows[place], search.highs[place])
        elif not listing:
            for i in members:
                caps[i] = min(caps[i], cost)
        elif not keep(patterns, found, members, cost):
            return False
    return True


@inner_kernel
def all_shown(forms: Forms, points: Points, search: Search, depth: int, members: NDArray[np.int32]) -> bool:
    """Tell whether points have a class with the patterns that were chosen in all columns before."""
    for before in range(depth - 1, -1, -1):
        place = search.marks[before, NEXT] - 1
        needs = (search.needs[0, place], search.needs[1, place])
        if needs[0] != ANY and not shown(forms, points, before, needs, search.prices[place], members):
            return False
    return True


@inner_kernel
def keep(patterns: Patterns, found: NDArray[np.int64], members: NDArray[np.int32], price: float) -> bool:
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
