"""The best clusters of at least r records, by looking at every way to split them."""

from collections.abc import Callable, Sequence
from functools import cache
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]


def one_by_one(matrix: Matrix, counts: Sequence[int]) -> Matrix:
    """Return the distances of the records, where `counts` stand at each point."""
    record = np.repeat(np.arange(len(matrix)), counts)
    return matrix[np.ix_(record, record)]


def radius_of(matrix: Matrix, members: Sequence[int]) -> float:
    """Return the least radius of a cluster around a record of the table, of this cluster or not."""
    return float(matrix[:, list(members)].max(axis=1).min())


def diameter_of(matrix: Matrix, members: Sequence[int]) -> float:
    """Return the largest distance within a cluster: half of it is a bound on its radius around whatever centre."""
    return float(matrix[np.ix_(list(members), list(members))].max())


def least(matrix: Matrix, r: int, *, left_out: int = 0, clusters: int | None = None, diameter: bool = False) -> float:
    """Return the least that the largest radius of a cluster can be, or the largest diameter.

    Args:
        matrix: The distances of the records.
        r: The least number of records in a cluster.
        left_out: How many records may be in none; at least one cluster there must be.
        clusters: The most clusters, if there is a limit.
        diameter: Whether diameters are asked for; else radii around records.
    """
    measured = diameter_of if diameter else radius_of
    return _least(lambda members: measured(matrix, members), max, len(matrix), r, left_out, clusters)


def least_sum(matrix: Matrix, r: int, objective: str, *, setup: float = 0.0, left_out: int = 0) -> float:
    """Return the least sum over clusters, around records of the table.

    Args:
        matrix: The distances of the records.
        r: The least number of records in a cluster.
        objective: `cellular`, records times radius, or `sse`, the squares of the distances.
        setup: What each cluster costs besides.
        left_out: How many records may be in none.
    """

    def cost(members: tuple[int, ...]) -> float:
        if objective == "cellular":
            return len(members) * radius_of(matrix, members) + setup
        return float((matrix[:, list(members)] ** 2).sum(axis=1).min())

    return _least(cost, lambda one, other: one + other, len(matrix), r, left_out, None)


def _least(
    cost: Callable[[tuple[int, ...]], float],
    joined: Callable[[float, float], float],
    n: int,
    r: int,
    left_out: int,
    clusters: int | None,
) -> float:
    cost = cache(cost)

    @cache
    def best(members: tuple[int, ...], still: int) -> float:
        """Return the least for these records, all of which are in one of `still` clusters at most."""
        if not members:
            return 0.0
        if len(members) < r or still == 0:
            return np.inf
        first, rest = members[0], members[1:]
        found = np.inf
        for size in range(r - 1, len(members)):
            for others in combinations(rest, size):
                price = cost((first, *others))
                if price < found:
                    left = tuple(member for member in rest if member not in others)
                    found = min(found, joined(price, best(left, still - 1)))
        return found

    most = n // r if clusters is None else min(clusters, n // r)
    kept = range(max(n - left_out, 1), n + 1)
    return min(best(members, most) for size in kept for members in combinations(range(n), size))


def printed_centres(matrix: Matrix, r: int, clusters: int, left_out: int, tau: float) -> list[list[int]] | None:
    """Return the clusters of (k, r, eps)-center as the paper prints it (001 s.2.4), at 2R = tau; None if it fails.

    The ball of a centre is counted among all records, but only those that passed the filter are ever covered and
    assigned: so a cluster may be left with fewer than r.
    """
    near = matrix <= tau
    passed = near.sum(axis=1) >= r
    uncovered = passed.copy()
    centres: list[int] = []
    while uncovered.any() and len(centres) < clusters:
        around = np.where(uncovered, (near & uncovered).sum(axis=1), -1)
        centres.append(int(around.argmax()))
        uncovered &= matrix[centres[-1]] > 2 * tau
    covered = passed & ~uncovered
    if not centres or covered.sum() < len(matrix) - left_out:
        return None
    owner = np.array(centres)[matrix[:, centres].argmin(axis=1)]
    return [np.flatnonzero(covered & (owner == centre)).tolist() for centre in centres]
