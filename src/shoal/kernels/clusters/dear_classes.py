"""Classes of one size that are charged more than their squared error, found by a search that misses none."""

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import inner_kernel, kernel


@kernel
def find_dear_classes(
    coordinates: NDArray[np.float64],
    charges: NDArray[np.float64],
    size: int,
    slack: float,
    most: int,
    surplus: NDArray[np.float64],
    listed: NDArray[np.int64],
    excess: NDArray[np.float64],
) -> int:
    """Look at all classes of `size` records that are charged more than they cost, and raise `surplus` by them.

    A class costs its squared error: the squared distances of its pairs over its size. If some records of it are chosen,
    a further record adds at most its charge less its squared distances to these over the size. Such gains only fall as
    more are chosen, so a branch ends where the largest ones do not bring the class above `slack`. A class is met with
    its records in a fixed order, once.

    Args:
        coordinates: `coordinates[record]`, in which the distance is Euclidean.
        charges: The charge of each record.
        size: The number of records of a class, at least two.
        slack: Classes that are charged up to this much too much are not looked at.
        most: How many records may be tried before the search is given up.
        surplus: For each record, the largest excess of a class with it, divided by its size; raised.
        listed: `listed[number]`, filled with the records of classes by which it was raised, as many as fit.
        excess: By how much these are charged too much.

    Returns:
        The number of listed classes; -1 if the search was given up.
    """
    n = coordinates.shape[0]
    candidates, gains = np.empty((size, n), np.int64), np.empty((size, n))
    number, place = np.zeros(size, np.int64), np.zeros(size, np.int64)
    charged, chosen = np.zeros(size), np.zeros(size, np.int64)
    n_listed, tried = 0, 0
    for root in range(n - size + 1):
        for j in range(root + 1, n):
            candidates[0, j - root - 1] = j
            gains[0, j - root - 1] = charges[j] - _squares(coordinates, root, j) / size
        charged[0], chosen[0], place[0] = charges[root], root, 0
        number[0] = _keep_useful(candidates, gains, 0, n - root - 1, size - 1, charged[0] - slack)
        depth = 0
        while depth >= 0:
            wanted = size - 1 - depth
            at = place[depth]
            reach = charged[depth] - slack
            for i in range(at, min(at + wanted, number[depth])):
                reach += gains[depth, i]
            if number[depth] - at < wanted or reach <= 0:
                depth -= 1
                continue
            place[depth] += 1
            tried += 1
            if tried > most:
                return -1
            record = candidates[depth, at]
            chosen[depth + 1] = record
            total = charged[depth] + gains[depth, at]
            if wanted == 1:
                if _raise_surplus(surplus, chosen, total / size) and n_listed < listed.shape[0]:
                    for i in range(size):
                        listed[n_listed, i] = chosen[i]
                    excess[n_listed] = total
                    n_listed += 1
                continue
            for i in range(at + 1, number[depth]):
                other = candidates[depth, i]
                candidates[depth + 1, i - at - 1] = other
                gains[depth + 1, i - at - 1] = gains[depth, i] - _squares(coordinates, record, other) / size
            charged[depth + 1], place[depth + 1] = total, 0
            left = number[depth] - at - 1
            number[depth + 1] = _keep_useful(candidates, gains, depth + 1, left, wanted - 1, total - slack)
            depth += 1
    return n_listed


@inner_kernel
def _squares(coordinates: NDArray[np.float64], i: int, j: int) -> float:
    """Return the squared distance of two records."""
    total = 0.0
    for f in range(coordinates.shape[1]):
        total += (coordinates[i, f] - coordinates[j, f]) ** 2
    return total


@inner_kernel
def _raise_surplus(surplus: NDArray[np.float64], chosen: NDArray[np.int64], share: float) -> bool:
    """Raise the surplus of the records of a class to its share; return whether one was raised."""
    raised = False
    for record in chosen:
        if share > surplus[record]:
            surplus[record] = share
            raised = True
    return raised


@inner_kernel
def _keep_useful(
    candidates: NDArray[np.int64], gains: NDArray[np.float64], depth: int, count: int, wanted: int, charged: float
) -> int:
    """Keep the candidates that can be in a class that is charged too much, the largest gain first; return how many.

    With each of them, `wanted` are still to be chosen, none of which gains more than the largest.
    """
    largest = -np.inf
    for i in range(count):
        largest = max(largest, gains[depth, i])
    kept = 0
    for i in range(count):
        gain, record = gains[depth, i], candidates[depth, i]
        if charged + gain + (wanted - 1) * largest > 0:
            gains[depth, kept], candidates[depth, kept] = gain, record
            kept += 1
    _sort_down(candidates, gains, depth, kept)
    return kept


@inner_kernel
def _sort_down(candidates: NDArray[np.int64], gains: NDArray[np.float64], depth: int, count: int) -> None:
    """Sort candidates by their gains, the largest first (Shell's sort: no arrays are made)."""
    step = 1
    while step < count // 3:
        step = 3 * step + 1
    while step > 0:
        for i in range(step, count):
            gain, record, at = gains[depth, i], candidates[depth, i], i
            while at >= step and gains[depth, at - step] < gain:
                gains[depth, at], candidates[depth, at] = gains[depth, at - step], candidates[depth, at - step]
                at -= step
            gains[depth, at], candidates[depth, at] = gain, record
        step //= 3
