"""Random tallies of columns with trees, and distances between their rows, straight from the definition."""

from random import Random

import numpy as np
from numpy.typing import NDArray

from shoal.classes.tally import QuasiColumn, Tally
from shoal.kernels.local.closures import Forms
from shoal.measures import MEASURES
from shoal.measures.measure import CellMeasure
from shoal.search.local.forms import forms_of
from shoal.tables.distinct_rows import distinct_rows
from shoal.tables.hierarchies.hierarchy import Hierarchy
from tests.oracles.random_tables import random_rows


def random_tally(rng: Random, n: int, n_columns: int, size: int) -> Tally:
    """Return n records with up to `size` values in a column, weights and unbalanced trees; many are alike."""
    hierarchies = [
        Hierarchy.of_rows(list(random_rows(rng, rng.randint(1, size), rng.randint(1, 4)).values()), "hierarchy")
        for _ in range(rng.randint(1, n_columns))
    ]
    codes = [
        np.array([min(rng.randrange(h.n_leaves), rng.randrange(h.n_leaves)) for _ in range(n)], dtype=np.int32)
        for h in hierarchies
    ]
    point_of, points = distinct_rows(codes, [h.n_leaves for h in hierarchies], n)
    counts = np.bincount(point_of, minlength=len(points)).astype(np.int64)
    quasi = [
        QuasiColumn(f"q{j}", h, np.bincount(codes[j], minlength=h.n_leaves), rng.choice([1.0, 1.0, 0.5, 3.0, 0.0]))
        for j, h in enumerate(hierarchies)
    ]
    return Tally(
        tuple(quasi), (), points, np.zeros(len(points), dtype=np.int32), np.zeros((1, 0), dtype=np.int32), counts
    )


def forms_by(tally: Tally, measure: str) -> Forms:
    """Return what the columns may publish, at the prices of a measure that has prices."""
    priced = MEASURES[measure]()
    assert isinstance(priced, CellMeasure)
    return forms_of(tally.quasi, priced)


def path(forms: Forms, column: int, node: int) -> list[int]:
    """Return a node and all above it."""
    found = [node]
    while forms.parent[forms.nodes[column] + found[-1]] != found[-1]:
        found.append(int(forms.parent[forms.nodes[column] + found[-1]]))
    return found


def covering(forms: Forms, column: int, nodes: list[int]) -> int:
    """Return the lowest node above all."""
    paths = [path(forms, column, node) for node in nodes]
    return next(node for node in paths[0] if all(node in other for other in paths))


def price(forms: Forms, rows: NDArray[np.int32]) -> float:
    """Return what covers some rows, in leaves or nodes, costs one record."""
    total = 0.0
    for j in range(rows.shape[1]):
        total += float(forms.prices[forms.nodes[j] + covering(forms, j, rows[:, j].tolist())])
    return total


def distances(forms: Forms, codes: NDArray[np.int32]) -> NDArray[np.float64]:
    """Return the price of covering each pair of rows."""
    n = len(codes)
    return np.array([[price(forms, codes[[a, b]]) for b in range(n)] for a in range(n)]).reshape(n, n)
