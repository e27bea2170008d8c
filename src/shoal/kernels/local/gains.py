"""Gains: the loss that is left after each possible cut of a class, and the best cut of each class."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import inner_kernel, kernel
from shoal.kernels.local.closures import SETS, meet, set_price
from shoal.kernels.local.cuts import (
    ClassValues,
    CutTerms,
    closure_price,
    count_values,
    find_ends,
    longest_of,
    make_workspace,
    no_cuts,
    whole_price,
    write_targets,
)
from shoal.kernels.local.slices import Cuts, Entries, Slices

_ROUNDING = 1e-9  # a cut may raise the loss by this share, which rounding can explain
_NOTHING = 2**31 - 1  # above every value: the minimum over no values


class ColumnCuts(NamedTuple):
    """The cuts of one class along one column, each with the prices of its two sides summed over all columns.

    The values of the column in the class are numbered from 0, ascending. A cut separates from the others either the
    values up to one of them, or the values of one span (those below a node of the tree, or a single value of a set).

    Args:
        upto: The number of records up to each value, inclusive.
        front: The price of a class of the values up to each, inclusive.
        back: The price of a class of the values from each on.
        spans: The first and the last value of each span.
        own: The price of a class of the values of a span.
        rest: The price of a class of all other values.
        low: For each value, the least position in another column: `low[0]` of the value, `low[1]` up to it, `low[2]`
            from it on.
        high: The greatest position, likewise.
        members: The entries of the class, sorted by value.
        offsets: Where the entries of each value begin.
        seen: For each leaf of another column, the first value, the last value and the last span that have it.
    """

    upto: NDArray[np.int64]
    front: NDArray[np.float64]
    back: NDArray[np.float64]
    spans: NDArray[np.int32]
    own: NDArray[np.float64]
    rest: NDArray[np.float64]
    low: NDArray[np.int32]
    high: NDArray[np.int32]
    members: NDArray[np.int32]
    offsets: NDArray[np.int64]
    seen: NDArray[np.int32]


@kernel
def make_trial(longest: int, widest: int) -> ColumnCuts:
    """Return a workspace for classes of up to `longest` entries and columns of up to `widest` values."""
    size = min(longest, widest) + 1
    return ColumnCuts(
        np.empty(size, dtype=np.int64),
        np.empty(size, dtype=np.float64),
        np.empty(size, dtype=np.float64),
        np.empty((2, 2 * size), dtype=np.int32),
        np.empty(2 * size, dtype=np.float64),
        np.empty(2 * size, dtype=np.float64),
        np.empty((3, size), dtype=np.int32),
        np.empty((3, size), dtype=np.int32),
        np.empty(longest, dtype=np.int32),
        np.empty(size + 1, dtype=np.int64),
        np.empty((3, widest), dtype=np.int32),
    )


@kernel
def list_node_spans(
    terms: CutTerms, column: int, n_values: int, records: int, values: NDArray[np.int32], trial: ColumnCuts
) -> int:
    """Write the spans of the nodes below the class's own node that a cut may separate; return how many there are.

    The values are in the order of the tree, so the values below a node are adjacent. The nodes above the current value
    are open; those that are not above the next value are closed. Left out are spans that start or end with the class,
    since they are cuts up to a value, and nodes with the same values as another one. O(values x height).
    """
    parent, start = terms.forms.parent, terms.forms.nodes[column]
    opened = np.empty((2, terms.tallest), dtype=np.int64)
    depth, n_spans = 0, 0
    top = meet(parent, start, terms.leaves[start + values[0]], terms.leaves[start + values[n_values - 1]])
    for v in range(n_values):
        leaf = terms.leaves[start + values[v]]
        if v > 0:
            top = meet(parent, start, terms.leaves[start + values[v - 1]], leaf)
        closed = -1
        while depth > 0 and opened[0, depth - 1] < top:
            depth -= 1
            begin = opened[1, depth]
            size = trial.upto[v - 1] - (trial.upto[begin - 1] if begin > 0 else 0)
            if begin > 0 and begin != closed and size >= terms.k and records - size >= terms.k:
                trial.spans[0, n_spans], trial.spans[1, n_spans] = begin, v - 1
                n_spans += 1
            closed = begin
        bottom = depth
        while leaf != top:
            opened[0, depth], opened[1, depth] = leaf, v
            depth += 1
            leaf = parent[start + leaf]
        for i in range((depth - bottom) // 2):
            one, other = bottom + i, depth - 1 - i
            opened[0, one], opened[0, other] = opened[0, other], opened[0, one]
    return n_spans


@kernel
def list_spans(terms: CutTerms, column: int, n_values: int, records: int, found: ClassValues, trial: ColumnCuts) -> int:
    """Write the spans that a cut may separate, nodes of a tree or single values of a set; return how many."""
    if not terms.ordered[column]:
        return list_node_spans(terms, column, n_values, records, found.values, trial)
    n_spans = 0
    if terms.singly[column]:
        for v in range(1, n_values - 1):
            if found.sums[v] >= terms.k and records - found.sums[v] >= terms.k:
                trial.spans[0, n_spans], trial.spans[1, n_spans] = v, v
                n_spans += 1
    return n_spans


@inner_kernel
def add_closures(
    entries: Entries,
    first: int,
    length: int,
    records: int,
    column: int,
    n_values: int,
    n_spans: int,
    terms: CutTerms,
    trial: ColumnCuts,
) -> None:
    """Add the prices of one column, a tree or ranges, to both sides of every cut. O(entries + values x spans)."""
    low, high = trial.low, trial.high
    low[:, :n_values], high[:, :n_values] = _NOTHING, -1
    for i in range(first, first + length):
        v, value = entries.targets[i], np.int32(entries.rows[i, column])
        low[0, v], high[0, v] = min(low[0, v], value), max(high[0, v], value)
    for way in (1, 2):
        a, b, price, stale = _NOTHING, -1, 0.0, True
        for step in range(n_values):
            v = step if way == 1 else n_values - 1 - step
            if low[0, v] < a or high[0, v] > b:
                a, b, stale = min(a, int(low[0, v])), max(b, int(high[0, v])), True
            low[way, v], high[way, v] = a, b
            taken = trial.upto[v] if way == 1 else records - trial.upto[v - 1] if v > 0 else records
            if taken >= terms.k and records - taken >= terms.k:
                if stale:
                    price, stale = closure_price(terms, column, a, b), False
                if way == 1:
                    trial.front[v] += price
                else:
                    trial.back[v] += price
    for s in range(n_spans):
        begin, end = trial.spans[0, s], trial.spans[1, s]
        a, b = _NOTHING, -1
        for v in range(begin, end + 1):
            a, b = min(a, int(low[0, v])), max(b, int(high[0, v]))
        trial.own[s] += closure_price(terms, column, a, b)
        a, b = int(min(low[1, begin - 1], low[2, end + 1])), int(max(high[1, begin - 1], high[2, end + 1]))
        trial.rest[s] += closure_price(terms, column, a, b)


@inner_kernel
def add_running_sets(
    records: int, column: int, low: int, width: int, n_values: int, terms: CutTerms, trial: ColumnCuts
) -> None:
    """Add the prices of one column of sets to the cuts up to each value. O(leaves + values).

    Each leaf is added to the running set at the first value that has it, once from the front and once from the back.
    """
    forms, start = terms.forms, terms.forms.nodes[column] + low
    heads, following = trial.low[0], trial.seen[2]
    for way in (0, 1):
        heads[:n_values] = -1
        for leaf in range(width - 1, -1, -1):
            if trial.seen[1, leaf] >= 0:
                v = trial.seen[way, leaf]
                following[leaf], heads[v] = heads[v], leaf
        count, one, other, last, price, stale = 0, 0.0, 0.0, -1, 0.0, True
        for step in range(n_values):
            v = step if way == 0 else n_values - 1 - step
            leaf = heads[v]
            while leaf >= 0:
                count, one, other = count + 1, one + forms.adds[0, start + leaf], other + forms.adds[1, start + leaf]
                last, stale = max(last, low + leaf), True
                leaf = following[leaf]
            taken = trial.upto[v] if way == 0 else records - trial.upto[v - 1] if v > 0 else records
            if taken >= terms.k and records - taken >= terms.k:
                if stale:
                    price, stale = set_price(forms, column, count, one, other, last), False
                if way == 0:
                    trial.front[v] += price
                else:
                    trial.back[v] += price


@inner_kernel
def add_sets(
    entries: Entries,
    first: int,
    length: int,
    records: int,
    column: int,
    low: int,
    high: int,
    n_values: int,
    n_spans: int,
    terms: CutTerms,
    trial: ColumnCuts,
) -> None:
    """Add the prices of one column of sets to both sides of every cut. O(entries + leaves x spans)."""
    forms, width, seen = terms.forms, high - low + 1, trial.seen
    start = forms.nodes[column] + low
    seen[0, :width], seen[1, :width] = n_values, -1
    for i in range(first, first + length):
        v, leaf = entries.targets[i], entries.rows[i, column] - low
        seen[0, leaf], seen[1, leaf] = min(seen[0, leaf], v), max(seen[1, leaf], v)
    add_running_sets(records, column, low, width, n_values, terms, trial)
    seen[2, :width] = -1
    for s in range(n_spans):
        begin, end = trial.spans[0, s], trial.spans[1, s]
        for i in range(trial.offsets[begin], trial.offsets[end + 1]):
            seen[2, entries.rows[trial.members[i], column] - low] = s
        for inside in (True, False):
            count, one, other, last = 0, 0.0, 0.0, -1
            for leaf in range(width):
                if seen[2, leaf] == s if inside else (seen[0, leaf] < begin or seen[1, leaf] > end):
                    count, one, other = (
                        count + 1,
                        one + forms.adds[0, start + leaf],
                        other + forms.adds[1, start + leaf],
                    )
                    last = low + leaf
            if inside:
                trial.own[s] += set_price(forms, column, count, one, other, last)
            else:
                trial.rest[s] += set_price(forms, column, count, one, other, last)


@inner_kernel
def order_members(entries: Entries, first: int, length: int, n_values: int, trial: ColumnCuts) -> None:
    """Sort the entries of a class by the number of their value. O(entries)."""
    trial.offsets[: n_values + 2] = 0
    for i in range(first, first + length):
        trial.offsets[entries.targets[i] + 2] += 1
    for v in range(n_values):
        trial.offsets[v + 2] += trial.offsets[v + 1]
    for i in range(first, first + length):
        v = entries.targets[i] + 1
        trial.members[trial.offsets[v]] = i
        trial.offsets[v] += 1


@kernel
def try_cuts(
    entries: Entries,
    first: int,
    length: int,
    records: int,
    column: int,
    low: NDArray[np.int64],
    high: NDArray[np.int64],
    terms: CutTerms,
    found: ClassValues,
    trial: ColumnCuts,
) -> tuple[float, int, int, int]:
    """Return the best cut of a class along a column: the loss left, its smaller side, and its first and last value.

    The loss is infinite if no cut leaves k records on both sides. Of equal losses the more even cut is best.
    """
    n_values = count_values(entries, first, length, column, low[column], high[column], found)
    size = 0
    for v in range(n_values):
        size += found.sums[v]
        found.parts[v], trial.upto[v] = v, size
    trial.front[:n_values], trial.back[:n_values] = 0.0, 0.0
    n_spans = list_spans(terms, column, n_values, records, found, trial)
    trial.own[:n_spans], trial.rest[:n_spans] = 0.0, 0.0
    write_targets(entries, first, length, column, low[column], found)
    if n_spans > 0:
        order_members(entries, first, length, n_values, trial)
    for c in range(entries.rows.shape[1]):
        if terms.forms.kinds[c] == SETS:
            add_sets(entries, first, length, records, c, low[c], high[c], n_values, n_spans, terms, trial)
        else:
            add_closures(entries, first, length, records, c, n_values, n_spans, terms, trial)
    best, even, begin, end = np.inf, 0, 0, 0
    for cut in range(n_values - 1 + n_spans):
        s = cut - n_values + 1
        if s < 0:
            a, b, size, left = 0, cut, trial.upto[cut], trial.upto[cut] * trial.front[cut]
            left += (records - size) * trial.back[cut + 1]
        else:
            a, b = trial.spans[0, s], trial.spans[1, s]
            size = trial.upto[b] - trial.upto[a - 1]
            left = size * trial.own[s] + (records - size) * trial.rest[s]
        smaller = min(size, records - size)
        if smaller >= terms.k and (left < best or (left == best and smaller > even)):
            best, even, begin, end = left, smaller, a, b
    return best, even, begin, end


@kernel
def best_cut(
    entries: Entries,
    first: int,
    length: int,
    records: int,
    skip: int,
    terms: CutTerms,
    found: ClassValues,
    trial: ColumnCuts,
) -> tuple[int, int]:
    """Cut a class where its loss falls most, and write the part of each entry.

    Args:
        entries: All entries; the targets of those of the class are written.
        first: Where the class begins.
        length: The number of its entries.
        records: The number of its records.
        skip: How many columns to pass over, in the order of their best cuts.
        terms: What to keep.
        found: Workspace.
        trial: Workspace.

    Returns:
        The number of parts, 0 if the class is not cut; and how many columns were still to be passed over when none was
            left (-1 if one was left, whether it was cut or would have raised the loss).
    """
    n_columns = entries.rows.shape[1]
    low, high = np.empty(n_columns, dtype=np.int64), np.empty(n_columns, dtype=np.int64)
    find_ends(entries.rows, first, length, low, high)
    left, even = np.empty(n_columns, dtype=np.float64), np.zeros(n_columns, dtype=np.int64)
    spans = np.zeros((2, n_columns), dtype=np.int64)
    price = 0.0
    for j in range(n_columns):
        left[j] = np.inf
        price += whole_price(entries, first, length, j, low[j], high[j], terms, found)
        if low[j] < high[j]:
            left[j], even[j], spans[0, j], spans[1, j] = try_cuts(
                entries, first, length, records, j, low, high, terms, found, trial
            )
    while True:
        j = 0
        for c in range(1, n_columns):
            if left[c] < left[j] or (left[c] == left[j] and even[c] > even[j]):
                j = c
        if left[j] == np.inf:
            return 0, skip
        if left[j] > records * price * (1 + _ROUNDING):
            return 0, -1
        if skip == 0:
            break
        skip -= 1
        left[j] = np.inf
    n_values = count_values(entries, first, length, j, low[j], high[j], found)
    for v in range(n_values):
        found.parts[v] = 0 if spans[0, j] <= v <= spans[1, j] else 1
    write_targets(entries, first, length, j, low[j], found)
    return 2, -1


@kernel
def choose_gains(
    entries: Entries, slices: Slices, skips: NDArray[np.int64], terms: CutTerms
) -> tuple[Cuts, NDArray[np.int64]]:
    """Choose for each class the cut that lowers its loss most. O(entries x columns^2).

    Args:
        entries: All entries; the targets of the classes that are cut are written.
        slices: The classes.
        skips: For each class, how many columns to pass over, in the order of their best cuts.
        terms: What to keep.

    Returns:
        The cuts; and for each class how many columns were still to be passed over when none was left, -1 if one was
            left.
    """
    cuts, left = no_cuts(slices.first.shape[0]), skips.copy()
    longest = longest_of(slices)
    found, trial = make_workspace(longest, terms.widest), make_trial(longest, terms.widest)
    for c in range(slices.first.shape[0]):
        cuts.ways[c], left[c] = best_cut(
            entries, slices.first[c], slices.length[c], slices.records[c], skips[c], terms, found, trial
        )
    return cuts, left
