"""Cuts: where to cut a class, here at the median of a column; `gains` cuts where the loss falls most."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import inner_kernel, kernel
from shoal.kernels.local.closures import SETS, TREE, Forms, meet, range_price, set_price
from shoal.kernels.local.slices import Cuts, Entries, Slices

_SPARSE = 8  # values are sorted instead of counted if their range is more than so many times the number of entries


class CutTerms(NamedTuple):
    """What a cut must keep, and how it is chosen.

    Args:
        k: The least number of records of a class.
        relaxed: Whether the records of one value may go to both sides.
        forms: What the columns publish, and the prices: those of the loss, or the normalized widths.
        leaves: `leaves[forms.nodes[j] + i]`, the i-th leaf in the order of column `j`.
        ordered: Which columns are cut by their order; the others are cut into the children of a node.
        singly: Where a cut by loss may also separate a single value from the others: columns that publish sets.
        widest: The largest number of values of a column.
        tallest: The largest number of levels of a hierarchy.
    """

    k: int
    relaxed: bool
    forms: Forms
    leaves: NDArray[np.int32]
    ordered: NDArray[np.bool_]
    singly: NDArray[np.bool_]
    widest: int
    tallest: int


class ClassValues(NamedTuple):
    """The distinct values of one column in one class, ascending.

    Args:
        values: Their positions in the order of the column.
        sums: The number of records of each.
        parts: The part of the cut that each goes to.
        number: The index of a value in these arrays, by its distance from the least value.
        keys: Workspace for sorting, as long as the longest class.
        items: Likewise.
    """

    values: NDArray[np.int32]
    sums: NDArray[np.int64]
    parts: NDArray[np.int32]
    number: NDArray[np.int32]
    keys: NDArray[np.int32]
    items: NDArray[np.int32]


@kernel
def make_workspace(longest: int, widest: int) -> ClassValues:
    """Return a workspace for classes of up to `longest` entries and columns of up to `widest` values."""
    size = min(widest, _SPARSE * longest)
    return ClassValues(
        np.empty(size, dtype=np.int32),
        np.empty(size, dtype=np.int64),
        np.empty(size, dtype=np.int32),
        np.empty(widest, dtype=np.int32),
        np.empty(longest, dtype=np.int32),
        np.empty(longest, dtype=np.int32),
    )


@inner_kernel
def sort_items(keys: NDArray[np.int32], items: NDArray[np.int32], n: int) -> None:
    """Sort the first `n` items by key, then by item; the keys are sorted along. Shell sort, O(n^1.5)."""
    gap = 1
    while 3 * gap + 1 < n:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(gap, n):
            key, item, j = keys[i], items[i], i
            while j >= gap and (keys[j - gap] > key or (keys[j - gap] == key and items[j - gap] > item)):
                keys[j], items[j] = keys[j - gap], items[j - gap]
                j -= gap
            keys[j], items[j] = key, item
        gap //= 3


@inner_kernel
def find_ends(rows: NDArray[Any], first: int, length: int, low: NDArray[np.int64], high: NDArray[np.int64]) -> None:
    """Write the least and the greatest value of a class in each column. O(entries x columns)."""
    for j in range(rows.shape[1]):
        low[j] = high[j] = rows[first, j]
    for i in range(first + 1, first + length):
        for j in range(rows.shape[1]):
            value = rows[i, j]
            if value < low[j]:
                low[j] = value
            elif value > high[j]:
                high[j] = value


@inner_kernel
def count_values(
    entries: Entries, first: int, length: int, column: int, low: int, high: int, found: ClassValues
) -> int:
    """Write the distinct values of a column in a class and their records; return how many there are.

    They are counted if their range is short: O(entries + range). Otherwise they are sorted: O(entries^1.5).
    """
    span = high - low + 1
    n_values = 0
    if span <= _SPARSE * length:
        found.sums[:span] = 0
        for i in range(first, first + length):
            found.sums[entries.rows[i, column] - low] += entries.weights[i]
        for value in range(span):
            if found.sums[value] > 0:
                found.number[value] = n_values
                found.values[n_values] = low + value
                found.sums[n_values] = found.sums[value]
                n_values += 1
        return n_values
    for i in range(length):
        found.keys[i], found.items[i] = entries.rows[first + i, column], first + i
    sort_items(found.keys, found.items, length)
    for i in range(length):
        if i == 0 or found.keys[i] != found.keys[i - 1]:
            found.number[found.keys[i] - low] = n_values
            found.values[n_values] = found.keys[i]
            found.sums[n_values] = 0
            n_values += 1
        found.sums[n_values - 1] += entries.weights[found.items[i]]
    return n_values


@inner_kernel
def closure_price(terms: CutTerms, column: int, low: int, high: int) -> float:
    """Return the price of a class with values from `low` to `high` in a column of ranges or a tree."""
    forms = terms.forms
    if forms.kinds[column] == TREE:
        start = forms.nodes[column]
        return forms.prices[start + meet(forms.parent, start, terms.leaves[start + low], terms.leaves[start + high])]
    return range_price(forms, column, low, high)


@inner_kernel
def whole_price(
    entries: Entries, first: int, length: int, column: int, low: int, high: int, terms: CutTerms, found: ClassValues
) -> float:
    """Return the price of a class in one column, of any kind."""
    forms = terms.forms
    if forms.kinds[column] != SETS:
        return closure_price(terms, column, low, high)
    n_values = count_values(entries, first, length, column, low, high, found)
    one, other = 0.0, 0.0
    for v in range(n_values):
        one += forms.adds[0, forms.nodes[column] + found.values[v]]
        other += forms.adds[1, forms.nodes[column] + found.values[v]]
    return set_price(forms, column, n_values, one, other, high)


@inner_kernel
def split_children(terms: CutTerms, column: int, low: int, high: int, n_values: int, found: ClassValues) -> int:
    """Number, for each value, the child above it of the class's node; return how many children there are."""
    parent, start = terms.forms.parent, terms.forms.nodes[column]
    node = meet(parent, start, terms.leaves[start + low], terms.leaves[start + high])
    n_children, last = 0, -1
    for v in range(n_values):
        child = terms.leaves[start + found.values[v]]
        while parent[start + child] != node:
            child = parent[start + child]
        if child != last:
            n_children += 1
            last = child
        found.parts[v] = n_children - 1
    return n_children


@inner_kernel
def all_large(n_values: int, n_parts: int, k: int, found: ClassValues) -> bool:
    """Return whether every part has at least k records; the parts ascend with the values."""
    v = 0
    for part in range(n_parts):
        size = 0
        while v < n_values and found.parts[v] == part:
            size += found.sums[v]
            v += 1
        if size < k:
            return False
    return True


@inner_kernel
def split_halves(n_values: int, records: int, k: int, relaxed: bool, found: ClassValues) -> tuple[int, int]:
    """Cut the values in two as evenly as possible; return the number of parts and the value whose records are shared.

    A cut is allowed between two values of different parts. The most even one is chosen, so if any allowed cut leaves k
    records on both sides, this one does. It is right after or right before the median, the least value with at least
    half of the records up to it; of two equally even cuts it is the later one. If records may be shared (`relaxed`) and
    no cut is perfectly even, the records of the median are shared between the sides. The shared value is -1 if there is
    none.
    """
    size, median, smaller, cut = 0, -1, 0, -1
    for v in range(n_values - 1):
        size += found.sums[v]
        if median < 0 and 2 * size >= records:
            median = v
        if found.parts[v] != found.parts[v + 1] and min(size, records - size) >= max(smaller, 1):
            smaller, cut = min(size, records - size), v
    median = n_values - 1 if median < 0 else median
    shares = relaxed and smaller < records // 2
    if (records // 2 if shares else smaller) < k:
        return 0, -1
    cut = median if shares else cut
    for v in range(n_values):
        found.parts[v] = 0 if v <= cut else 1
    return 2, median if shares else -1


@inner_kernel
def split_values(
    terms: CutTerms, column: int, low: int, high: int, n_values: int, records: int, found: ClassValues
) -> tuple[int, int]:
    """Cut the values of a column by their order, or into the children of a node, or else in two between children.

    Returns the number of parts, 0 if some part would have fewer than k records, and the value whose records are shared.
    """
    for v in range(n_values):
        found.parts[v] = v
    if not terms.ordered[column]:
        n_children = split_children(terms, column, low, high, n_values, found)
        if all_large(n_values, n_children, terms.k, found):
            return n_children, -1
    return split_halves(n_values, records, terms.k, terms.relaxed and terms.ordered[column], found)


@inner_kernel
def write_targets(entries: Entries, first: int, length: int, column: int, low: int, found: ClassValues) -> None:
    """Write for each entry of a class the part that its value goes to. O(entries)."""
    for i in range(first, first + length):
        entries.targets[i] = found.parts[found.number[entries.rows[i, column] - low]]


@inner_kernel
def share_median(
    entries: Entries, first: int, length: int, column: int, low: int, median: int, records: int, found: ClassValues
) -> tuple[int, int]:
    """Divide the records of the median so that both sides are even; return the entry that is split.

    Returned as well is how many records of that entry go to the first side. The points of the median go to the first
    side in the order of their codes, so that near ones stay together.
    """
    n, left = int(np.int64(0)), records // 2
    for i in range(first, first + length):
        v = found.number[entries.rows[i, column] - low]
        if v < median:
            left -= entries.weights[i]
        elif v == median:
            found.keys[n], found.items[n] = entries.points[i], i
            n += 1
    sort_items(found.keys, found.items, n)
    shared, kept = -1, 0
    for turn in range(n):
        i = found.items[turn]
        entries.targets[i] = 0 if left > 0 else 1
        if 0 < left < entries.weights[i]:
            shared, kept = i, left
        left -= entries.weights[i]
    return shared, kept


@kernel
def median_cut(
    entries: Entries, first: int, length: int, records: int, skip: int, terms: CutTerms, found: ClassValues
) -> tuple[int, int, int]:
    """Cut a class at the median of its widest column that can be cut; write the part of each entry.

    O(entries x columns).

    Args:
        entries: All entries; the targets of those of the class are written.
        first: Where the class begins.
        length: The number of its entries.
        records: The number of its records.
        skip: How many cuts that leave k records in every part to pass over.
        terms: What to keep.
        found: Workspace.

    Returns:
        The number of parts (0 if there is no such cut), the entry whose records are shared (or -1), and how many of
            them go to the first part.
    """
    n_columns = entries.rows.shape[1]
    low, high = np.empty(n_columns, dtype=np.int64), np.empty(n_columns, dtype=np.int64)
    find_ends(entries.rows, first, length, low, high)
    widths = np.empty(n_columns, dtype=np.float64)
    for j in range(n_columns):
        widths[j] = -1.0
        if low[j] < high[j]:
            widths[j] = whole_price(entries, first, length, j, low[j], high[j], terms, found)
    for _ in range(n_columns):
        j = int(np.int64(0))  # typed, so that the callees are compiled only once
        for c in range(1, n_columns):
            if widths[c] > widths[j]:
                j = c
        if widths[j] < 0:
            break
        widths[j] = -1.0
        n_values = count_values(entries, first, length, j, low[j], high[j], found)
        ways, median = split_values(terms, j, low[j], high[j], n_values, records, found)
        if ways == 0:
            continue
        if skip == 0:
            write_targets(entries, first, length, j, low[j], found)
            if median < 0:
                return ways, -1, 0
            shared, kept = share_median(entries, first, length, j, low[j], median, records, found)
            return ways, shared, kept
        skip -= 1
    return 0, -1, 0


@inner_kernel
def longest_of(slices: Slices) -> int:
    """Return the number of entries of the longest class."""
    longest = 1
    for c in range(slices.length.shape[0]):
        longest = max(longest, slices.length[c])
    return longest


@kernel
def no_cuts(n_classes: int) -> Cuts:
    """Return cuts that leave every class as it is."""
    cuts = Cuts(
        np.zeros(n_classes, dtype=np.int64), np.empty(n_classes, dtype=np.int64), np.zeros(n_classes, dtype=np.int64)
    )
    cuts.shared[:] = -1
    return cuts


@kernel
def choose_medians(entries: Entries, slices: Slices, skips: NDArray[np.int64], terms: CutTerms) -> Cuts:
    """Choose a cut at a median for each class. O(entries x columns).

    Args:
        entries: All entries; the targets of the classes that are cut are written.
        slices: The classes.
        skips: For each class, how many cuts that leave k records in every part to pass over.
        terms: What to keep.
    """
    cuts = no_cuts(slices.first.shape[0])
    found = make_workspace(longest_of(slices), terms.widest)
    for c in range(slices.first.shape[0]):
        cuts.ways[c], cuts.shared[c], cuts.kept[c] = median_cut(
            entries, slices.first[c], slices.length[c], slices.records[c], skips[c], terms, found
        )
    return cuts
