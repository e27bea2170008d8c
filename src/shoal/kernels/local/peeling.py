"""Peeling: of each group of records that look alike, the largest part that keeps the promises becomes a class."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import inner_kernel, kernel
from shoal.kernels.sufficient_tests import DISTINCT, ENTROPY, SHARES, SPREAD, TAIL, SufficientTests, passes_counts

_STEPS = 256  # a large group loses its excess in about so many steps, where it is not known at once


@kernel
def peel_groups(
    order: NDArray[np.int64],
    keys: NDArray[np.int64],
    profiles: NDArray[np.int32],
    sufficient_tests: SufficientTests,
    least: int,
    label: NDArray[np.int64],
    n_classes: int,
) -> int:
    """Give the largest part of each group that passes all tests a new class; return the number of classes then.

    Args:
        order: Records that are in no class, those of a group one after another.
        keys: The group of each of these.
        profiles: The sensitive tuple of every record.
        sufficient_tests: The tests.
        least: The least size of a class.
        label: The class of every record, -1 for none; the new ones are written.
        n_classes: The number of classes before.
    """
    amounts = np.zeros(sufficient_tests.codes.shape[0], dtype=np.int64)
    found = np.empty(sufficient_tests.codes.shape[0], dtype=np.int64)
    begin = 0
    while begin < order.shape[0]:
        end = begin + 1
        while end < order.shape[0] and keys[end] == keys[begin]:
            end += 1
        if end - begin >= least:
            n_found = 0
            for i in range(begin, end):
                profile = profiles[order[i]]
                if amounts[profile] == 0:
                    found[n_found] = profile
                    n_found += 1
                amounts[profile] += 1
            size = thin_out(amounts, found[:n_found], end - begin, least, sufficient_tests)
            if size > 0:
                for i in range(begin, end):
                    profile = profiles[order[i]]
                    if amounts[profile] > 0:
                        amounts[profile] -= 1
                        label[order[i]] = n_classes
                n_classes += 1
            for i in range(n_found):
                amounts[found[i]] = 0
        begin = end
    return n_classes


@kernel
def thin_out(
    amounts: NDArray[np.int64], found: NDArray[np.int64], size: int, least: int, sufficient_tests: SufficientTests
) -> int:
    """Remove records of a group until all tests pass; return how many are left, 0 if fewer than `least` would be.

    With caps on the shares of values, what is left is the largest part that passes: a value that is above its cap in
    what is left is above it in every part of that, so no part that passes has more of it than is left then. Evening out
    the most frequent values is best for the entropy and for the tail. For other tests it is a good part, no more.

    Args:
        amounts: The number of records of each sensitive tuple; those that are left are written.
        found: The tuples that occur.
        size: The number of records.
        least: The least size of a class.
        sufficient_tests: The tests.
    """
    tests, _, codes, _, _ = sufficient_tests
    quiet, t = 0, 0
    while quiet < tests.shape[0]:
        value, step = _excess(tests[t], amounts, found, size, sufficient_tests)
        if step == 0:
            quiet, t = quiet + 1, (t + 1) % tests.shape[0]
            continue
        quiet = 0
        if value < 0 or size - step < least:
            return 0
        size -= step
        column = tests[t].column
        while step > 0:  # the most frequent tuples with the value first
            best = np.int64(-1)
            for profile in found:
                if codes[profile, column] == value and (best < 0 or amounts[profile] > amounts[best]):
                    best = profile
            taken = min(step, max(amounts[best] // 2, 1))
            amounts[best] -= taken
            step -= taken
    return size


@kernel
def _excess(
    test: Any, amounts: NDArray[np.int64], found: NDArray[np.int64], size: int, sufficient_tests: SufficientTests
) -> tuple[int, int]:
    """Return a value that a group has too many records of, and how many of them to remove; (.., 0) if it passes.

    The value is -1 where fewer records never pass.
    """
    _, values, codes, counts, shares = sufficient_tests
    n_values = test.end - test.start
    for profile in found:
        counts[0, codes[profile, test.column]] += amounts[profile]
    value, step = -1, 1
    if passes_counts(test, values, counts[0], size, shares[0]):
        step = 0
    elif test.kind == SHARES:
        worst = 0
        for v in range(n_values):
            cap = values[test.start + v].cap
            over = counts[0, v] * test.scale - cap * size
            if over > worst:
                worst, value, step = over, v, -(-over // (test.scale - cap))
        if value < 0:
            value, step = _richest(test, values, counts[0], n_values), max(size // _STEPS, 1)
    elif test.kind == ENTROPY or test.kind == TAIL:
        for v in range(n_values):
            if value < 0 or counts[0, v] > counts[0, value]:
                value = v
        step = max(min(size // _STEPS, counts[0, value]), 1)
    elif test.kind != DISTINCT and test.kind != SPREAD:
        value, step = _dearest(test, values, counts[0], size, shares[0]), max(size // _STEPS, 1)
    if value >= 0:
        step = min(step, counts[0, value])
    for profile in found:
        counts[0, codes[profile, test.column]] = 0
    return value, int(step)


@inner_kernel
def _richest(test: Any, values: NDArray[Any], counts: NDArray[np.int64], n_values: int) -> int:
    """Return the value that exceeds its floor most, in relation to it."""
    best, value = -1.0, -1
    for v in range(n_values):
        ratio = counts[v] / max(values[test.start + v].floor, 0.5)
        if ratio > best:
            best, value = ratio, v
    return value


@kernel
def _dearest(test: Any, values: NDArray[Any], counts: NDArray[np.int64], size: int, shares: NDArray[np.float64]) -> int:
    """Return the value of which a record less saves most work; of equal ones the one with the largest excess.

    Along a tree, the work over the edge above each node falls where more than its share is below the node.
    """
    n_nodes = test.end - test.start
    own = np.zeros(n_nodes, dtype=np.float64)
    for v in range(n_nodes):
        shares[v] = -values[test.start + v].reference
    for v in range(min(n_nodes, counts.shape[0])):
        shares[v] += counts[v] / size
        own[v] = shares[v]
    for v in range(n_nodes - 1):
        shares[values[test.start + v].parent] += shares[v]
    gains = np.zeros(n_nodes, dtype=np.float64)
    value = -1
    for v in range(n_nodes - 2, -1, -1):
        above = values[test.start + v]
        sign = 1.0 if shares[v] > 0 else -1.0
        gains[v] = gains[above.parent] + sign * above.edge
    for v in range(min(n_nodes, counts.shape[0])):
        if counts[v] > 0 and (
            value < 0 or gains[v] > gains[value] or (gains[v] == gains[value] and own[v] > own[value])
        ):
            value = v
    return value
