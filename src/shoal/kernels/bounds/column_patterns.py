"""Patterns of one column (nodes, ranges of similar price, sets), and the points of a slice that have them."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import inner_kernel, kernel
from shoal.kernels.local.closures import RANGES, TREE, Forms, meet, range_price, set_price
from shoal.kernels.prices import ENTROPY

_ALIKE = 1.2  # ranges from the same first value are one pattern if their prices are within this factor

PRESENT, TURN, NEXT, END = range(4)  # columns of `SearchState.marks`
ANY = -1  # every class of the points has the pattern


class DistinctRows(NamedTuple):
    """The distinct rows of a table in the columns that matter, for compiled loops.

    The leaves of a column are ranked so that the leaves below any node are adjacent.

    Args:
        ranks: `ranks[depth, point]`, the rank of the point's leaf in the column that is split at this depth.
        counts: The number of records of each point.
        columns: The column of the forms that is split at each depth.
        leaves: The leaf of each rank; a column begins at its nodes in the forms.
        rest: `rest[depth, point]`, a lower bound on the price of a class with this point in the columns from this depth
            on; it has no points where all of that is 0.
        k: The least number of records of a class.
        pairs: In a column of sets with at most so many values, pairs of values are patterns.
        parts: The part of the table that each point is of, if only patterns with points of several parts count; else it
            has no points.
    """

    ranks: NDArray[np.int32]
    counts: NDArray[np.int64]
    columns: NDArray[np.int64]
    leaves: NDArray[np.int32]
    rest: NDArray[np.float64]
    k: int
    pairs: int
    parts: NDArray[np.int32]


class SearchState(NamedTuple):
    """The state of a depth-first search. At each depth the points of a slice are sorted by their value in one column.

    In the arrays by value and by pattern, column `j` begins at `forms.nodes[j] + j`.

    Args:
        slices: `slices[depth + 1]`, the points of a depth, sorted by the rank of their leaf; behind them space for
            pairs.
        counters: Workspace to count the points of each rank; all 0 between two steps.
        values: The ranks that occur, ascending.
        begins: Where the points of each value begin in the slice.
        sizes: The number of records before each value.
        waiting: Workspace for the open nodes of a tree, and the first value below each.
        lows: Where the points of each pattern begin in the slice.
        highs: Where they end.
        prices: The price of the pattern in the column.
        needs: What a class must have to have this pattern: `ANY`, or in a tree a node of that price, in ranges this
            first rank and this last rank or a higher one, in sets so many ranks.
        marks: For each depth: `PRESENT`, the number of values; `TURN`, which patterns are listed next; `NEXT` and
            `END`, the next of the listed patterns and where they end.
        costs: For each depth, the price of the patterns of all columns before, and the highest cap of its points.
        left: How many points and ranges may still be visited.
    """

    slices: NDArray[np.int32]
    counters: NDArray[np.int64]
    values: NDArray[np.int32]
    begins: NDArray[np.int64]
    sizes: NDArray[np.int64]
    waiting: NDArray[np.int32]
    lows: NDArray[np.int64]
    highs: NDArray[np.int64]
    prices: NDArray[np.float64]
    needs: NDArray[np.int64]
    marks: NDArray[np.int64]
    costs: NDArray[np.float64]
    left: NDArray[np.int64]


@inner_kernel
def list_patterns(forms: Forms, points: DistinctRows, search: SearchState, depth: int) -> bool:
    """List the next patterns with at least k records of the column of a depth; return whether there may be more."""
    column = points.columns[depth]
    search.marks[depth, NEXT] = forms.nodes[column] + column
    search.marks[depth, END] = search.marks[depth, NEXT]
    if forms.kinds[column] == TREE:
        return list_node_patterns(forms, points, search, depth, column)
    if forms.kinds[column] == RANGES:
        return list_ranges(forms, points, search, depth, column)
    return list_sets(forms, points, search, depth, column)


@inner_kernel
def add_pattern(
    points: DistinctRows,
    search: SearchState,
    depth: int,
    at: int,
    span: tuple[int, int],
    price: float,
    needs: tuple[int, int],
) -> None:
    """List the pattern of adjacent values if it has k records and a price below the highest cap."""
    first, end = at + span[0], at + span[1]
    if search.sizes[end] - search.sizes[first] < points.k or search.costs[depth, 0] + price >= search.costs[depth, 1]:
        return
    slot = search.marks[depth, END]
    search.lows[slot], search.highs[slot] = search.begins[first], search.begins[end]
    search.prices[slot] = price
    search.needs[0, slot], search.needs[1, slot] = needs
    search.marks[depth, END] = slot + 1


@inner_kernel
def list_node_patterns(forms: Forms, points: DistinctRows, search: SearchState, depth: int, column: int) -> bool:
    """List the lowest common ancestors of the values, including the values themselves, children first.

    A node that costs no less than the next one above it is left out, since its classes are in that pattern, too. The
    open nodes are those above the last value; they are listed as soon as a value branches off above them.

    O(values x height).
    """
    present, leaf = search.marks[depth, PRESENT], 0
    if search.marks[depth, TURN] > 0:
        return False
    search.marks[depth, TURN] = 1
    start, at, waiting = forms.nodes[column], forms.nodes[column] + column, 0
    nodes, firsts = search.waiting[0], search.waiting[1]
    for v in range(present + 1):
        above, first = -1, v
        if v < present:
            before, leaf = leaf, points.leaves[start + search.values[at + v]]
            if v > 0:
                above = meet(forms.parent, start, leaf, before)
        while waiting > 0 and (v == present or nodes[waiting - 1] < above):
            waiting -= 1
            node, first = nodes[waiting], firsts[waiting]
            higher = nodes[waiting - 1] if waiting > 0 else -1
            if above >= 0 and (higher < 0 or higher > above):
                higher = above
            price = forms.prices[start + node]
            if higher < 0 or price < forms.prices[start + higher]:
                add_pattern(points, search, depth, at, (first, v), price, (0 if first + 1 < v else ANY, 0))
        if above >= 0 and (waiting == 0 or nodes[waiting - 1] != above):
            nodes[waiting], firsts[waiting] = above, first
            waiting += 1
        if v < present:
            nodes[waiting], firsts[waiting] = leaf, v
            waiting += 1
    return True


@inner_kernel
def list_ranges(forms: Forms, points: DistinctRows, search: SearchState, depth: int, column: int) -> bool:
    """List the ranges from the next first value; ranges whose prices are similar are one pattern. O(values).

    Ranges with fewer than k records have no class. The price of a pattern is the least price of its ranges, so prices
    need not grow with the range. Where they do, the list ends at the highest cap.
    """
    at, present, first = forms.nodes[column] + column, search.marks[depth, PRESENT], search.marks[depth, TURN]
    sizes = search.sizes[at : at + present + 1]
    if first == present or sizes[present] - sizes[first] < points.k:
        return False
    search.marks[depth, TURN] = first + 1
    values = search.values[at : at + present]
    single = forms.prices[forms.nodes[column] + values[first]]
    last = max(np.searchsorted(sizes, sizes[first] + points.k) - 1, first)
    while last < present:
        price = range_price(forms, column, values[first], values[last])
        if forms.rules[column] != ENTROPY and search.costs[depth, 0] + price >= search.costs[depth, 1]:
            break
        bar = price if last == first else single + _ALIKE * (price - single)
        end = last + 1
        while end < present:
            other = range_price(forms, column, values[first], values[end])
            if other > bar:
                break
            price = min(price, other)
            end += 1
        needs = (ANY, 0) if last == first else (int(values[first]), int(values[last]))
        add_pattern(points, search, depth, at, (first, end), price, needs)
        search.left[0] -= end - last
        last = end
    return True


@inner_kernel
def list_sets(forms: Forms, points: DistinctRows, search: SearchState, depth: int, column: int) -> bool:
    """List the sets of one value, and one pattern for all larger sets; if there are few values, each pair too.

    O(values).
    """
    at, present, turn = forms.nodes[column] + column, search.marks[depth, PRESENT], search.marks[depth, TURN]
    values = search.values[at : at + present]
    pairs = present * (present - 1) // 2 if 2 < present <= points.pairs else 0
    if turn > pairs:
        return False
    search.marks[depth, TURN] = turn + 1
    if turn > 0:
        first, second = 0, turn - 1
        while second >= present - 1 - first:
            second -= present - 1 - first
            first += 1
        list_pair(forms, points, search, depth, column, (first, first + 1 + second))
        return True
    for v in range(present):
        add_pattern(points, search, depth, at, (v, v + 1), forms.prices[forms.nodes[column] + values[v]], (ANY, 0))
    if present > 1:
        wanted = 3 if pairs else 2
        price = least_set_price(forms, column, values, wanted)
        add_pattern(points, search, depth, at, (0, present), price, (wanted, 0))
    return True


@inner_kernel
def list_pair(
    forms: Forms, points: DistinctRows, search: SearchState, depth: int, column: int, pair: tuple[int, int]
) -> None:
    """List the set of two values; their points are copied behind the slice. O(points)."""
    at, start = forms.nodes[column] + column, forms.nodes[column]
    slices, end = search.slices[depth + 1], search.begins[at + search.marks[depth, PRESENT]]
    low, records = end, 0
    one, two = 0.0, 0.0
    for v in pair:
        records += search.sizes[at + v + 1] - search.sizes[at + v]
        one += forms.adds[0, start + search.values[at + v]]
        two += forms.adds[1, start + search.values[at + v]]
        for a in range(search.begins[at + v], search.begins[at + v + 1]):
            slices[end] = slices[a]
            end += 1
    if records >= points.k:
        search.lows[at], search.highs[at] = low, end
        search.prices[at] = set_price(forms, column, 2, one, two, search.values[at + pair[1]])
        search.needs[0, at], search.needs[1, at] = 2, 0
        search.marks[depth, END] = at + 1


@inner_kernel
def least_set_price(forms: Forms, column: int, values: NDArray[np.int32], wanted: int) -> float:
    """Return a lower bound on the price of any set of at least `wanted` of these leaves. O(values x wanted).

    All rules but entropy grow with what each value adds, so the values that add least are the cheapest set. The entropy
    of a set is at least that of its most frequent value against the rest. If that value has at least half of the
    records, this is the entropy of two parts: the smaller part is no smaller than the rarest of all leaves, the larger
    part no larger than the most frequent one, so it is at least the entropy of these two. Otherwise it is above 1. A
    set with a missing value is published as the top.
    """
    start = forms.nodes[column]
    entropy = forms.rules[column] == ENTROPY
    first, second, before, last = (
        0.0,
        0.0,
        -1,
        -np.inf,
    )  # (last, before): the leaf that was chosen last, in the order of what leaves add
    for turn in range(2 if entropy else min(wanted, values.shape[0])):
        chosen, least = -1, np.inf
        for v in range(values.shape[0]):
            own = forms.adds[0, start + values[v]]
            rank = -own if entropy and turn == 1 else own
            if rank < least and (own > last or (own == last and v > before)):
                chosen, least = v, rank
        before, last = chosen, forms.adds[0, start + values[chosen]]
        first += last
        second += forms.adds[1, start + values[chosen]]
    price = set_price(
        forms, column, 2 if entropy else wanted, first, second, -2
    )  # -2: none of them is the missing value
    return min(price, forms.tops[column]) if values[-1] == forms.missing[column] else price


@inner_kernel
def shown(
    forms: Forms, points: DistinctRows, depth: int, needs: tuple[int, int], price: float, members: NDArray[np.int32]
) -> bool:
    """Return whether the points have a class with the pattern that was chosen in the column of an earlier depth.

    If not, all their classes have another pattern in that column, which is visited separately. In a tree, the lowest
    common ancestor of all points must cost at least as much as the chosen node.

    O(points).
    """
    column, ranks = points.columns[depth], points.ranks[depth]
    start = forms.nodes[column]
    if forms.kinds[column] == TREE:
        one = points.leaves[start + ranks[members[0]]]
        for i in members:
            if forms.prices[start + meet(forms.parent, start, one, points.leaves[start + ranks[i]])] >= price:
                return True
        return False
    if forms.kinds[column] == RANGES:
        begins, ends = False, False
        for i in members:
            begins = begins or ranks[i] == needs[0]
            ends = ends or ranks[i] >= needs[1]
            if begins and ends:
                return True
        return False
    one, two = ranks[members[0]], np.int32(-1)
    for i in members:
        if ranks[i] != one:
            if needs[0] == 2 or (two >= 0 and ranks[i] != two):
                return True
            two = ranks[i]
    return False


@kernel
def ranked_leaves(parent: NDArray[np.int32], n_leaves: int) -> NDArray[np.int32]:
    """Return the leaves of a tree in an order in which the leaves below each node are adjacent. O(nodes)."""
    below, begins = np.zeros(parent.shape[0], dtype=np.int64), np.zeros(parent.shape[0], dtype=np.int64)
    below[:n_leaves] = 1
    for node in range(parent.shape[0] - 1):
        below[parent[node]] += below[node]
    for node in range(parent.shape[0] - 2, -1, -1):  # the last free positions of the parent's leaves go to this child
        below[parent[node]] -= below[node]
        begins[node] = begins[parent[node]] + below[parent[node]]
    order = np.empty(n_leaves, dtype=np.int32)
    for leaf in range(n_leaves):
        order[begins[leaf]] = leaf
    return order
