"""Greedy classes: one class after another is filled with the record that raises its price least."""

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import inner_kernel, kernel
from shoal.kernels.local.states import Columns, join_into, joined_price


@inner_kernel
def split_alike(firsts: NDArray[np.int64], least: int, most: int, label: NDArray[np.int64]) -> int:
    """Make classes of equal records where a point has at least `least`; return how many. O(records).

    The records of a point are divided evenly so that no class has more than `most`, unless that would leave fewer than
    `least`.
    """
    n_classes = 0
    for p in range(firsts.shape[0] - 1):
        begin, end = firsts[p], firsts[p + 1]
        if end - begin < least:
            continue
        parts = max(1, -(-(end - begin) // most))
        while parts > 1 and (end - begin) // parts < least:
            parts -= 1
        for i in range(begin, end):
            label[i] = n_classes + (i - begin) * parts // (end - begin)
        n_classes += parts
    return n_classes


@kernel
def cluster_seeds(
    columns: Columns,
    states: NDArray[np.int64],
    firsts: NDArray[np.int64],
    near: NDArray[np.int32],
    seeds: NDArray[np.int64],
    least: int,
    label: NDArray[np.int64],
    n_classes: int,
) -> int:
    """Grow classes of `least` records from each seed, among points near their members; return the number of classes.

    Records for which there are too few near ones keep the label -1. The records of a point are taken from its end.
    """
    n_points = firsts.shape[0] - 1
    left = np.zeros(n_points, dtype=np.int64)
    for p in range(n_points):
        if label[firsts[p]] < 0:
            left[p] = firsts[p + 1] - firsts[p]
    found = np.empty((least + 1) * (near.shape[1] + 1), dtype=np.int64)
    seen = np.full(n_points, -1, dtype=np.int64)
    taken = np.empty(least, dtype=np.int64)
    closed = np.empty((1, states.shape[1]), dtype=np.int64)
    attempt = 0
    for seed in seeds:
        while left[seed] > 0:
            grown = _grow(columns, states, near, seed, attempt, left, found, seen, taken, closed)
            attempt += 1
            if grown < least:
                for i in range(grown):
                    left[taken[i]] += 1
                break
            for i in range(least):
                left[taken[i]] += 1
            for i in range(least):
                left[taken[i]] -= 1
                label[firsts[taken[i]] + left[taken[i]]] = n_classes
            n_classes += 1
    return n_classes


@inner_kernel
def _grow(
    columns: Columns,
    states: NDArray[np.int64],
    near: NDArray[np.int32],
    seed: int,
    mark: int,
    left: NDArray[np.int64],
    found: NDArray[np.int64],
    seen: NDArray[np.int64],
    taken: NDArray[np.int64],
    closed: NDArray[np.int64],
) -> int:
    """Add points to a class one by one, each time the cheapest of those near its members; return how many were added.

    It ends with `taken` full, or when no near point has records left.
    """
    for f in range(states.shape[1]):
        closed[0, f] = states[seed, f]
    n_found, n_taken = 0, 0
    point = seed
    while True:
        left[point] -= 1
        taken[n_taken] = point
        n_taken += 1
        join_into(columns, closed, 0, closed, 0, states, point)
        if n_taken == taken.shape[0]:
            return n_taken
        for rank in range(-1, near.shape[1]):
            other = point if rank < 0 else int(near[point, rank])
            if left[other] > 0 and seen[other] != mark:
                seen[other] = mark
                found[n_found] = other
                n_found += 1
        best, point = np.inf, -1
        for i in range(n_found):
            if left[found[i]] > 0:
                price = joined_price(columns, closed, 0, states, found[i])
                if price < best:
                    best, point = price, found[i]
        if point < 0:
            return n_taken


@kernel
def cluster_rest(
    columns: Columns,
    states: NDArray[np.int64],
    point: NDArray[np.int64],
    rest: NDArray[np.int64],
    least: int,
    label: NDArray[np.int64],
    n_classes: int,
) -> int:
    """Grow classes of `least` records among those of `rest`, comparing all of them; return the number of classes.

    When fewer than `2 * least` records are left, they form the last class. If they are fewer than `least` and there are
    other classes, they keep the label -1 instead. O(rest^2 x fields).
    """
    closed = np.empty((1, states.shape[1]), dtype=np.int64)
    n = rest.shape[0]
    while n >= 2 * least:
        n -= 1
        record = rest[n]
        label[record] = n_classes
        for f in range(states.shape[1]):
            closed[0, f] = states[point[record], f]
        for _ in range(least - 1):
            best, chosen = np.inf, 0
            for i in range(n):
                price = joined_price(columns, closed, 0, states, point[rest[i]])
                if price < best:
                    best, chosen = price, i
            record = rest[chosen]
            join_into(columns, closed, 0, closed, 0, states, point[record])
            label[record] = n_classes
            n -= 1
            rest[chosen] = rest[n]
        n_classes += 1
    if n < least and n_classes > 0:
        return n_classes
    for i in range(n):
        label[rest[i]] = n_classes
    return n_classes + 1


@kernel
def join_rest(
    columns: Columns, states: NDArray[np.int64], point: NDArray[np.int64], label: NDArray[np.int64], n_classes: int
) -> None:
    """Put each record without a label into the class whose loss it raises least. O(records + rest x classes)."""
    closed = np.empty((n_classes, states.shape[1]), dtype=np.int64)
    sizes = np.zeros(n_classes, dtype=np.int64)
    for record in range(label.shape[0]):
        c = label[record]
        if c >= 0:
            if sizes[c] == 0:
                for f in range(states.shape[1]):
                    closed[c, f] = states[point[record], f]
            join_into(columns, closed, c, closed, c, states, point[record])
            sizes[c] += 1
    for record in range(label.shape[0]):
        if label[record] >= 0:
            continue
        best = np.inf
        for c in range(n_classes):
            price = joined_price(columns, closed, c, closed, c)
            change = (sizes[c] + 1) * joined_price(columns, closed, c, states, point[record]) - sizes[c] * price
            if change < best:
                best, label[record] = change, c
        join_into(columns, closed, label[record], closed, label[record], states, point[record])
        sizes[label[record]] += 1
