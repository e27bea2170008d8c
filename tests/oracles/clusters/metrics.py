"""Small metric spaces of all kinds, and problems over them."""

from collections.abc import Sequence
from fractions import Fraction
from random import Random

import numpy as np
from numpy.typing import NDArray

from shoal.classes.tally import QuasiColumn, SensitiveColumn, Tally
from shoal.clusters.metric import Axis, Metric
from shoal.kernels.clusters.metrics import TABLE
from shoal.measures.lm import Lm
from shoal.models import KAnonymity, PrivacyModel
from shoal.search.problem import Problem
from shoal.tables.hierarchies.suppression import Suppression

KINDS = ("euclid", "manhattan", "hamming", "tree", "graph", "line", "one place")


def random_matrix(kind: str, n: int, seed: int) -> NDArray[np.float64]:
    """Return the distances of `n` points of one kind of space, some of them at one place."""
    draw = Random(seed)  # noqa: S311
    if kind in ("euclid", "manhattan"):
        places = np.array([[draw.randint(0, 9), draw.randint(0, 9)] for _ in range(n)], dtype=np.float64)
        apart = np.abs(places[:, None] - places[None])
        return np.sqrt((apart**2).sum(axis=2)) if kind == "euclid" else apart.sum(axis=2)
    if kind == "hamming":
        rows = np.array([[draw.randint(0, 2) for _ in range(4)] for _ in range(n)])
        return (rows[:, None] != rows[None]).sum(axis=2).astype(np.float64)
    if kind == "line":
        line = np.array([draw.choice((0, 1, 2, 5, 9, 20)) for _ in range(n)], dtype=np.float64)
        return np.abs(line[:, None] - line[None])
    if kind == "one place":
        return np.zeros((n, n))
    links = np.full((n, n), np.inf)
    np.fill_diagonal(links, 0.0)
    for i in range(1, n):
        j = draw.randrange(i)
        links[i, j] = links[j, i] = draw.randint(0, 4)
    if kind == "graph":
        for _ in range(n):
            i, j = draw.randrange(n), draw.randrange(n)
            links[i, j] = links[j, i] = min(links[i, j], draw.randint(0, 4))
    for middle in range(n):
        links = np.minimum(links, links[:, middle, None] + links[None, middle])
    return links


def metric_problem(
    matrix: NDArray[np.float64],
    counts: Sequence[int] | None = None,
    k: int = 2,
    limit: Fraction = Fraction(0),
    values: Sequence[str] | None = None,
    models: Sequence[PrivacyModel] = (),
) -> Problem:
    """Return a problem whose records have one quasi column, and distances as a matrix says.

    Args:
        matrix: The distances of the points.
        counts: The number of records of each point; 1 if left out. With `values`, they are 1.
        k: The least size of a cluster.
        limit: The share of records that may be left out.
        values: The sensitive value of each point, in the column `s`.
        models: Further promises.
    """
    n = len(matrix)
    numbers = np.ones(n, dtype=np.int64) if counts is None else np.array(counts, dtype=np.int64)
    hierarchy = Suppression().build([f"p{i:04}" for i in range(n)], "q")
    quasi = (QuasiColumn("q", hierarchy, numbers),)
    known = tuple(sorted(set(values))) if values is not None else ("v",)
    codes = [known.index(value) for value in values] if values is not None else [0] * n
    tally = Tally(
        quasi=quasi,
        sensitive=(SensitiveColumn("s", known),),
        codes=np.arange(n, dtype=np.int32)[:, None],
        profiles=np.array(codes, dtype=np.int32),
        profile_codes=np.arange(len(known), dtype=np.int32)[:, None],
        counts=numbers,
    )
    axis = Axis(TABLE, (0,), (np.arange(n, dtype=np.float64),), 1.0, np.ascontiguousarray(matrix, dtype=np.float64))
    metric = Metric(quasi, (axis,), squares=False)
    promises = (KAnonymity(k=k), *models)
    return Problem(tally, promises, Lm(), max_suppressed=limit, metric=metric)
