"""The greedy cover of records by patterns, by a heap whose keys only grow, and how the cover becomes classes."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import inner_kernel, kernel
from shoal.kernels.local.patterns import PatternTable
from shoal.kernels.orders import sort_indices

_LOW = np.int64(0xFFFFFFFF)  # the bits of a tie that hold the pattern; the bits above rank by newly covered records


class Pool(NamedTuple):
    """The patterns known so far. A row is a distinct tuple of quasi values; its records are in the same patterns.

    Args:
        prices: The price of each record of a pattern.
        ranks: The rank of each pattern's vector of steps.
        firsts: One row of each pattern.
        begins: Where the rows of each pattern begin in `members`; moved past rows that are fully covered.
        ends: Where they end.
        members: The rows that had uncovered records when the pattern was listed.
    """

    prices: NDArray[np.float64]
    ranks: NDArray[np.int32]
    firsts: NDArray[np.int32]
    begins: NDArray[np.int64]
    ends: NDArray[np.int64]
    members: NDArray[np.int32]


class Heap(NamedTuple):
    """A binary heap of patterns by price for each newly covered record, the least on top.

    Args:
        size: One number, the number of patterns in the heap.
        keys: The price divided by the number of newly covered records, as of the last count.
        ties: Breaks ties: more newly covered records first, then the lower pattern number.
    """

    size: NDArray[np.int64]
    keys: NDArray[np.float64]
    ties: NDArray[np.int64]


class CoverState(NamedTuple):
    """Which records are covered, and the classes that they form so far.

    The records of row `i` are `starts[i]` to before `starts[i + 1]`, and are covered in that order.

    Args:
        starts: Where the records of each row begin.
        uncovered: The number of uncovered records of each row.
        labels: The class of each covered record.
        turns: The greedy step at which each record was covered.
        sizes: The number of records of each class.
        prices: An upper bound on the price of each record of the class.
        ratios: For each greedy step, the price for each newly covered record.
        totals: The number of uncovered records, of classes, and of greedy steps.
    """

    starts: NDArray[np.int64]
    uncovered: NDArray[np.int64]
    labels: NDArray[np.int32]
    turns: NDArray[np.int32]
    sizes: NDArray[np.int64]
    prices: NDArray[np.float64]
    ratios: NDArray[np.float64]
    totals: NDArray[np.int64]


@inner_kernel
def sink(heap: Heap, slot: int, key: float, tie: int | np.int64) -> None:
    """Put an entry at a slot of the heap and move it down until no smaller entry is below it. O(log size)."""
    size = heap.size[0]
    while True:
        child = 2 * slot + 1
        if child >= size:
            break
        other = child + 1
        if other < size and (
            heap.keys[other] < heap.keys[child]
            or (heap.keys[other] == heap.keys[child] and heap.ties[other] < heap.ties[child])
        ):
            child = other
        if heap.keys[child] > key or (heap.keys[child] == key and heap.ties[child] >= tie):
            break
        heap.keys[slot], heap.ties[slot] = heap.keys[child], heap.ties[child]
        slot = child
    heap.keys[slot], heap.ties[slot] = key, tie


@inner_kernel
def push(heap: Heap, key: float, tie: int | np.int64) -> None:
    """Add an entry to the heap. O(log size)."""
    slot = heap.size[0]
    heap.size[0] += 1
    while slot > 0:
        above = (slot - 1) // 2
        if heap.keys[above] < key or (heap.keys[above] == key and heap.ties[above] <= tie):
            break
        heap.keys[slot], heap.ties[slot] = heap.keys[above], heap.ties[above]
        slot = above
    heap.keys[slot], heap.ties[slot] = key, tie


@inner_kernel
def newly_covered(pool: Pool, pattern: int, uncovered: NDArray[np.int64], widest: int) -> int:
    """Return how many records a pattern would newly cover, at most `widest`."""
    while pool.begins[pattern] < pool.ends[pattern] and uncovered[pool.members[pool.begins[pattern]]] == 0:
        pool.begins[pattern] += 1
    count = 0
    for position in range(pool.begins[pattern], pool.ends[pattern]):
        count += uncovered[pool.members[position]]
        if count >= widest:
            return widest
    return count


@inner_kernel
def push_patterns(pool: Pool, heap: Heap, uncovered: NDArray[np.int64], first: int, last: int, widest: int) -> None:
    """Add the patterns `first` to before `last` of the pool to the heap, if they cover any record."""
    for pattern in range(first, last):
        count = newly_covered(pool, pattern, uncovered, widest)
        if count > 0:
            push(heap, pool.prices[pattern] / count, (np.int64(widest - count) << 32) | pattern)


@kernel
def spare_records(
    grid: PatternTable, steps: NDArray[np.int16], first: int, cover: CoverState, k: int
) -> tuple[NDArray[np.int64], int]:
    """Return the covered records of a pattern in classes of more than `k`, and its cheapest class of exactly `k`.

    The pattern is that of row `first` at the given steps. The class is -1 if there is none, and the first of equals.
    O(rows + records of the pattern).
    """
    found = np.empty(64, dtype=np.int64)
    count, cheapest = 0, -1
    for i in range(grid.codes.shape[1]):
        inside = True
        for j in range(steps.shape[0]):
            start = grid.starts[j] + steps[j] * grid.leaves[j]
            if grid.lifts[start + grid.codes[j, i]] != grid.lifts[start + grid.codes[j, first]]:
                inside = False
                break
        if not inside:
            continue
        for record in range(cover.starts[i], cover.starts[i + 1] - cover.uncovered[i]):
            label = cover.labels[record]
            if cover.sizes[label] > k:
                if count == found.shape[0]:
                    larger = np.empty(2 * count, dtype=np.int64)
                    for f in range(count):
                        larger[f] = found[f]
                    found = larger
                found[count] = record
                count += 1
            elif cover.sizes[label] == k and (cheapest < 0 or cover.prices[label] < cover.prices[cheapest]):
                cheapest = label
    return found[:count], cheapest


@kernel
def fill_class(grid: PatternTable, steps: NDArray[np.int16], first: int, cover: CoverState, label: int, k: int) -> int:
    """Bring a class of fewer than `k` records to `k`, with covered records of its pattern; return the class it became.

    Records are taken from classes of more than `k`, the most expensive class first. If these do not suffice, the class
    is merged into the cheapest class of exactly `k` records that has a record of the pattern.
    """
    found, _ = spare_records(grid, steps, first, cover, k)
    negated = np.empty(found.shape[0], dtype=np.float64)
    for f in range(found.shape[0]):
        negated[f] = -cover.prices[cover.labels[found[f]]]
    order, workspace = np.empty(found.shape[0], dtype=np.int64), np.empty(found.shape[0], dtype=np.int64)
    sort_indices(negated, found.shape[0], order, workspace)
    for turn in range(found.shape[0]):
        f = order[turn]
        if cover.sizes[label] >= k:
            return label
        old = cover.labels[found[f]]
        if cover.sizes[old] > k:
            cover.sizes[old] -= 1
            cover.sizes[label] += 1
            cover.labels[found[f]] = label
    if cover.sizes[label] >= k:
        return label
    _, target = spare_records(grid, steps, first, cover, k)
    for record in range(cover.labels.shape[0]):
        if cover.labels[record] == label:
            cover.labels[record] = target
    cover.sizes[target] += cover.sizes[label]
    cover.prices[target] += cover.prices[label]
    cover.sizes[label] = 0
    return target


@inner_kernel
def take_records(pool: Pool, pattern: int, count: int, cover: CoverState) -> None:
    """Cover the next `count` uncovered records of a pattern, as a new class."""
    label, turn = cover.totals[1], cover.totals[2]
    cover.sizes[label], cover.prices[label] = count, pool.prices[pattern]
    cover.ratios[turn] = pool.prices[pattern] / count
    position = pool.begins[pattern]
    left = count
    while left > 0:
        i = pool.members[position]
        taken = min(left, cover.uncovered[i])
        record = cover.starts[i + 1] - cover.uncovered[i]
        cover.labels[record : record + taken] = label
        cover.turns[record : record + taken] = turn
        cover.uncovered[i] -= taken
        left -= taken
        position += 1
    cover.totals[0] -= count
    cover.totals[1] += 1
    cover.totals[2] += 1


@kernel
def cover_below(
    grid: PatternTable, vectors: NDArray[np.int16], pool: Pool, heap: Heap, cover: CoverState, k: int, floor: float
) -> None:
    """Take greedy steps until all records are covered, or a pattern outside the pool might be next.

    Patterns outside the pool cost at least `floor`, so their key is at least `floor` over the most records that any can
    newly cover. Counts of newly covered records only fall, so a stored key is a lower bound; it is counted again when
    it comes to the top. O(log size) for each entry visited, plus `fill_class` for each class that is too small.
    """
    widest = 2 * k - 1
    while cover.totals[0] > 0 and heap.size[0] > 0:
        if floor / min(widest, cover.totals[0]) <= heap.keys[0]:
            return
        pattern = heap.ties[0] & _LOW
        known = widest - (heap.ties[0] >> 32)
        count = newly_covered(pool, pattern, cover.uncovered, widest)
        if count == 0:
            heap.size[0] -= 1
            sink(heap, 0, heap.keys[heap.size[0]], heap.ties[heap.size[0]])
        elif count < known:
            sink(heap, 0, pool.prices[pattern] / count, (np.int64(widest - count) << 32) | pattern)
        else:
            label = cover.totals[1]
            take_records(pool, pattern, count, cover)
            if count < k:
                steps = vectors[pool.ranks[pattern]]
                if fill_class(grid, steps, pool.firsts[pattern], cover, label, k) != label:
                    cover.totals[1] -= 1
