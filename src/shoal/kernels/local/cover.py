"""The greedy cover of records by patterns, with a heap whose keys only grow, and its translation into classes."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import inner_kernel, kernel
from shoal.kernels.local.patterns import PatternTable
from shoal.kernels.orders import sort_places

_LOW = np.int64(0xFFFFFFFF)  # of a tie, the pattern; above it, how many records it lacks to the widest


class Pool(NamedTuple):
    """Patterns that are known so far, by number.

    Args:
        prices: What each record of a pattern pays.
        ranks: The vector of each pattern.
        firsts: A place of each pattern.
        begins: Where the first place that may have an uncovered record stands in `members`; it moves on.
        ends: Where the places of the pattern end.
        members: The places that were open when the pattern was listed.
    """

    prices: NDArray[np.float64]
    ranks: NDArray[np.int32]
    firsts: NDArray[np.int32]
    begins: NDArray[np.int64]
    ends: NDArray[np.int64]
    members: NDArray[np.int32]


class Heap(NamedTuple):
    """Patterns by the price for each record that they would newly cover, the least on top.

    Args:
        size: The number of patterns in the heap, alone in an array.
        keys: Price over newly covered records, as they were when last counted.
        ties: How many records fewer than the widest the pattern newly covers, then its number.
    """

    size: NDArray[np.int64]
    keys: NDArray[np.float64]
    ties: NDArray[np.int64]


class CoverState(NamedTuple):
    """Which records are covered, and the classes that they form so far.

    The records of place `i` are `starts[i]` to `starts[i + 1]`, and are covered in that order.

    Args:
        starts: Where the records of each place begin.
        uncovered: The number of uncovered records of each place.
        labels: The class of each covered record.
        turns: At which step each record was first covered.
        sizes: The number of records of each class.
        prices: What each record of the class pays at most.
        ratios: The price for each newly covered record, for each step.
        totals: The number of uncovered records, of classes, and of steps.
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
def sink(heap: Heap, place: int, key: float, tie: int | np.int64) -> None:
    """Put an entry at a place of the heap from which smaller ones below move up. O(log size)."""
    size = heap.size[0]
    while True:
        child = 2 * place + 1
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
        heap.keys[place], heap.ties[place] = heap.keys[child], heap.ties[child]
        place = child
    heap.keys[place], heap.ties[place] = key, tie


@inner_kernel
def push(heap: Heap, key: float, tie: int | np.int64) -> None:
    """Add an entry to the heap. O(log size)."""
    place = heap.size[0]
    heap.size[0] += 1
    while place > 0:
        above = (place - 1) // 2
        if heap.keys[above] < key or (heap.keys[above] == key and heap.ties[above] <= tie):
            break
        heap.keys[place], heap.ties[place] = heap.keys[above], heap.ties[above]
        place = above
    heap.keys[place], heap.ties[place] = key, tie


@inner_kernel
def newly_covered(pool: Pool, pattern: int, uncovered: NDArray[np.int64], widest: int) -> int:
    """Return how many records a pattern would newly cover, `widest` at most."""
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
    """Add the patterns of the pool from one number to below another to the heap."""
    for pattern in range(first, last):
        count = newly_covered(pool, pattern, uncovered, widest)
        if count > 0:
            push(heap, pool.prices[pattern] / count, (np.int64(widest - count) << 32) | pattern)


@kernel
def spare_records(
    grid: PatternTable, steps: NDArray[np.int16], first: int, cover: CoverState, k: int
) -> tuple[NDArray[np.int64], int]:
    """Look through the covered records of the pattern of place `first` at the steps.

    Returns those in classes of more than `k`, and the cheapest class of just `k` (-1 if there is none, the first
    of equals). O(places + records of the pattern).
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
    """Fill the last class, of fewer than `k` records, with covered records of its pattern; return what it became.

    Records leave classes of more than `k`, the dearest first. If these do not suffice, the class joins the cheapest
    one of just `k` that has a record of the pattern.
    """
    found, _ = spare_records(grid, steps, first, cover, k)
    dear = np.empty(found.shape[0], dtype=np.float64)
    for f in range(found.shape[0]):
        dear[f] = -cover.prices[cover.labels[found[f]]]
    order, workspace = np.empty(found.shape[0], dtype=np.int64), np.empty(found.shape[0], dtype=np.int64)
    sort_places(dear, found.shape[0], order, workspace)
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
    """Take greedy steps until all is covered, or a pattern that costs `floor` or more, not in the pool, might be next.

    O(log size) for each entry that is looked at, and what `fill_class` needs for each class that is to be filled.
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
