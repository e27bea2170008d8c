"""Sufficient tests: a class that passes keeps the promise; fast enough for searches that try many classes."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import inner_kernel

DISTINCT, SHARES, ENTROPY, TAIL, WORK, SPREAD = range(6)

_HAIR = 1e-9  # tests in floats fail this close to the limit, so that rounding never makes one pass


TEST = np.dtype(
    [
        ("kind", np.int64),  # what is tested
        ("column", np.int64),  # the sensitive column
        ("start", np.int64),  # where its values begin
        ("end", np.int64),  # where they end
        ("least", np.int64),  # the least number of values
        ("scale", np.int64),  # the denominator of caps and floors
        ("limit", np.float64),  # the limit of tests in floats
    ]
)
VALUE = np.dtype(
    [
        ("cap", np.int64),  # as a multiple of 1 / scale
        ("floor", np.int64),  # likewise
        ("parent", np.int64),  # within the test; the last is its own
        ("edge", np.float64),  # the length of the edge to the parent
        ("reference", np.float64),  # its share of the table
    ]
)


class SufficientTests(NamedTuple):
    """The tests of all promises, as flat arrays; the values of a test are `values[start:end]`.

    By kind, a class of n records passes if:

        `DISTINCT`: it has at least `least` distinct values;
        `SHARES`: each value has at least `floor * n / scale` and at most `cap * n / scale` records;
        `ENTROPY`: the entropy of its values is at least `limit`, in nats;
        `TAIL`: the count of the most frequent value times `scale` is below the first `cap` times the sum of all counts
            but the `least - 1` largest;
        `WORK`: over the nodes of a tree of the values, |share of the class - share of the table| below the node, times
            the length of its `edge`, adds up to at most `limit`;
        `SPREAD`: of the values whose `cap` is not negative, which are numbers, it has at least `least` with a
            `floor` of 1, and the largest `cap` among them is at least `scale` above the smallest.

    Args:
        tests: One `TEST` for each test.
        values: One `VALUE` for each value of each test, and for each node of a tree over them.
        codes: `codes[profile, column]`, the sensitive values of each profile.
        counts: Zeros, one for each value of the largest column; a row for each concurrent search.
        shares: Workspace, one number for each value of the largest test; a row for each concurrent search.
    """

    tests: NDArray[Any]
    values: NDArray[Any]
    codes: NDArray[np.int32]
    counts: NDArray[np.int64]
    shares: NDArray[np.float64]


@inner_kernel
def passes_tests(
    sufficient_tests: SufficientTests, records: NDArray[Any], members: NDArray[np.int64], begin: int, end: int, row: int
) -> bool:
    """Return whether the class `members[begin:end]` passes all tests. O(tests x (members + values)).

    Args:
        sufficient_tests: The tests.
        records: All records, with their `profile`.
        members: The records of all classes.
        begin: Where those of the class begin.
        end: Where they end.
        row: The row of `counts` and `shares` that is free to use.
    """
    tests, values, codes, counts, shares = sufficient_tests
    for s in range(tests.shape[0]):
        column = tests[s].column
        for i in range(begin, end):
            counts[row, codes[records[members[i]].profile, column]] += 1
        passed = passes_counts(tests[s], values, counts[row], end - begin, shares[row])
        for i in range(begin, end):
            counts[row, codes[records[members[i]].profile, column]] = 0
        if not passed:
            return False
    return True


@inner_kernel
def passes_counts(
    test: Any, values: NDArray[Any], counts: NDArray[np.int64], size: int, shares: NDArray[np.float64]
) -> bool:
    """Return whether a class of `size` records with so many of each value passes a test. O(values)."""
    n_values = test.end - test.start
    if test.kind == SHARES:
        for v in range(n_values):
            count = counts[v] * test.scale
            value = values[test.start + v]
            if count > value.cap * size or count < value.floor * size:
                return False
        return True
    if test.kind == WORK:
        return _work(test, values, counts, size, shares) <= test.limit - _HAIR
    if test.kind == SPREAD:
        found, width = _spread(test, values, counts)
        return found >= test.least and width >= test.scale
    distinct = 0
    largest = 0
    smallest = size
    bits = 0.0
    for v in range(n_values):
        if counts[v] > 0:
            distinct += 1
            largest = max(largest, counts[v])
            smallest = min(smallest, counts[v])
            bits += counts[v] * np.log(size / counts[v])
    if test.kind == DISTINCT:
        return distinct >= test.least
    if test.kind == ENTROPY:
        even = largest == smallest and distinct >= test.least
        return even or bits / size >= test.limit + _HAIR
    return largest * test.scale < values[test.start].cap * _tail(counts, n_values, test.least)


@inner_kernel
def lack(test: Any, values: NDArray[Any], counts: NDArray[np.int64], size: int, shares: NDArray[np.float64]) -> float:
    """Return how far a class is from passing a test, roughly in records; 0 only if it passes. O(values)."""
    if passes_counts(test, values, counts, size, shares):
        return 0.0
    missing, distinct, largest, bits = 0.0, 0, 0, 0.0
    n_values = test.end - test.start
    if test.kind == WORK:
        missing = (_work(test, values, counts, size, shares) - test.limit) * size
    elif test.kind == SPREAD:
        found, width = _spread(test, values, counts)
        missing = max(float(test.least - found), 1.0 - width / max(test.scale, 1))
    else:
        for v in range(n_values):
            value = values[test.start + v]
            if test.kind == SHARES:
                over = counts[v] * test.scale - value.cap * size
                missing += max(over, value.floor * size - counts[v] * test.scale, 0) / test.scale
            elif counts[v] > 0:
                distinct += 1
                largest = max(largest, counts[v])
                bits += counts[v] * np.log(size / counts[v])
    if test.kind == DISTINCT:
        missing = float(test.least - distinct)
    elif test.kind == ENTROPY:
        missing = test.limit * size - bits
    elif test.kind == TAIL:
        missing = largest - values[test.start].cap / test.scale * _tail(counts, n_values, test.least)
    return max(missing, _HAIR)


@inner_kernel
def _spread(test: Any, values: NDArray[Any], counts: NDArray[np.int64]) -> tuple[int, int]:
    """Return how many numbers a class has, and the last less the first; -1 if it has none. O(values)."""
    found, low, high = 0, -1, -2
    for v in range(test.end - test.start):
        value = values[test.start + v]
        if counts[v] > 0 and value.cap >= 0:
            found += value.floor
            low = value.cap if low < 0 else min(low, value.cap)
            high = max(high, value.cap)
    return found, high - low


@inner_kernel
def _tail(counts: NDArray[np.int64], n_values: int, least: int) -> int:
    """Return the sum of all counts but the `least - 1` largest. O(values^2)."""
    tail = 0
    for v in range(n_values):
        larger = 0
        for w in range(n_values):
            if counts[w] > counts[v] or (counts[w] == counts[v] and w < v):
                larger += 1
        if larger >= least - 1:
            tail += counts[v]
    return tail


@inner_kernel
def _work(test: Any, values: NDArray[Any], counts: NDArray[np.int64], size: int, shares: NDArray[np.float64]) -> float:
    """Return the earth mover's distance along a tree: the share that must cross each edge, times its length.

    O(values).
    """
    n_values = test.end - test.start
    for v in range(n_values):
        shares[v] = -values[test.start + v].reference
    for v in range(min(n_values, counts.shape[0])):
        shares[v] += counts[v] / size
    work = 0.0
    for v in range(n_values - 1):
        value = values[test.start + v]
        work += abs(shares[v]) * value.edge
        shares[value.parent] += shares[v]
    return work
