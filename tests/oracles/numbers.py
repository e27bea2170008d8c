"""Problems over tables of numbers and categories, and the best clusters of a few records by looking at all."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.classes.tally import QuasiColumn, SensitiveColumn, Tally
from shoal.clusters.metric import Axis, Metric
from shoal.kernels.clusters.metrics import NUMBER
from shoal.measures.lm import Lm
from shoal.models import KAnonymity, PrivacyModel
from shoal.search.problem import Problem
from shoal.tables.hierarchies.suppression import Suppression


def table_problem(
    rows: NDArray[Any],
    k: int,
    *,
    kinds: Sequence[int] | None = None,
    squares: bool = True,
    values: Sequence[str] | None = None,
    models: Sequence[PrivacyModel] = (),
    limit: Fraction = Fraction(0),
    seed: int = 0,
) -> Problem:
    """Return a problem whose records have the numbers, or codes of categories, of the rows.

    Args:
        rows: `rows[record, column]`.
        k: The least size of a cluster.
        kinds: What each column is; numbers if left out.
        squares: Whether distances are added up as squares.
        values: The sensitive value of each record, in the column `s`.
        models: Further promises.
        limit: The share of records that may be left out.
        seed: The seed.
    """
    n, width = rows.shape
    found = [np.unique(rows[:, j], return_inverse=True) for j in range(width)]
    known = tuple(sorted(set(values))) if values is not None else ("v",)
    secrets = [known.index(value) for value in values] if values is not None else [0] * n
    coded = np.column_stack([*(codes for _, codes in found), secrets])
    points, counts = np.unique(coded, axis=0, return_counts=True)
    quasi = tuple(
        QuasiColumn(
            f"q{j}", Suppression().build([f"{value:07}" for value in range(len(leaves))], f"q{j}"), np.bincount(codes)
        )
        for j, (leaves, codes) in enumerate(found)
    )
    tally = Tally(
        quasi=quasi,
        sensitive=(SensitiveColumn("s", known),),
        codes=points[:, :-1].astype(np.int32),
        profiles=points[:, -1].astype(np.int32),
        profile_codes=np.arange(len(known), dtype=np.int32)[:, None],
        counts=counts.astype(np.int64),
    )
    axes = tuple(
        Axis(
            NUMBER if kinds is None else kinds[j],
            (j,),
            (
                leaves.astype(np.float64)
                if kinds is None or kinds[j] == NUMBER
                else np.arange(len(leaves), dtype=float),
            ),
            1.0,
        )
        for j, (leaves, _) in enumerate(found)
    )
    metric = Metric(quasi, axes, squares=squares)
    return Problem(tally, (KAnonymity(k=k), *models), Lm(), max_suppressed=limit, metric=metric, seed=seed)


def squared_errors(rows: NDArray[Any], members: Sequence[int]) -> float:
    """Return the sum of squared distances of some rows to their mean."""
    own = rows[list(members)]
    return float(((own - own.mean(axis=0)) ** 2).sum())


def least_squared_errors(rows: NDArray[Any], k: int) -> float:
    """Return the least sum of squared errors of all partitions into classes of at least k rows."""
    best: dict[tuple[int, ...], float] = {(): 0.0}

    def of(left: tuple[int, ...]) -> float:
        if left not in best:
            first, others = left[0], left[1:]
            found = float("inf")
            for size in range(k - 1, len(others) + 1):
                if 0 < len(others) - size < k:
                    continue
                for more in combinations(others, size):
                    rest = tuple(one for one in others if one not in more)
                    found = min(found, squared_errors(rows, (first, *more)) + of(rest))
            best[left] = found
        return best[left]

    return of(tuple(range(len(rows))))


def plain_mdav(rows: NDArray[Any], k: int) -> list[list[int]]:
    """Return the classes of MDAV on numbers, as they are written down: each the numbers of its rows."""
    left, classes = list(range(len(rows))), []

    def apart(one: NDArray[Any], other: NDArray[Any]) -> float:
        return float(np.sqrt(((one - other) ** 2).sum()))  # two squares may differ where the distances do not

    def take(middle: NDArray[Any]) -> NDArray[Any]:
        far = max(left, key=lambda i: (apart(rows[i], middle), -i))
        near = sorted(left, key=lambda i: (apart(rows[i], rows[far]), i))[:k]
        classes.append(near)
        for i in near:
            left.remove(i)
        return rows[far]

    while len(left) >= 3 * k:
        take(take(rows[left].mean(axis=0)))
    if len(left) >= 2 * k:
        take(rows[left].mean(axis=0))
    return [*classes, left]
