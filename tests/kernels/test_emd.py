"""The work of the earth mover, against plain twins and against every way to move single units."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from shoal.kernels.emd import plain, transport, work_equal, work_hierarchical, work_ordered

Counts = list[list[int]]


@st.composite
def tables(draw: st.DrawFn) -> Counts:
    """Draw `counts[class][value]`, no class empty."""
    n_values = draw(st.integers(1, 6))
    rows = st.lists(st.integers(0, 4), min_size=n_values, max_size=n_values).filter(any)
    return draw(st.lists(rows, min_size=1, max_size=4))


class Sparse:
    """The same counts without the zeros."""

    def __init__(self, counts: Counts) -> None:
        self.full = np.array(counts, dtype=np.int64)
        classes, self.values = np.nonzero(self.full)
        self.counts = self.full[classes, self.values]
        self.offsets = np.searchsorted(classes, np.arange(len(counts) + 1))
        self.sizes = self.full.sum(axis=1)
        self.reference = self.full.sum(axis=0)
        self.total = int(self.reference.sum())
        self.masses = self.full * self.total - np.outer(self.sizes, self.reference)
        self.work = np.zeros(len(counts), dtype=np.int64)


@settings(deadline=None)  # the first call compiles
@given(tables())
def test_equal_is_the_sum_of_the_positive_masses(counts: Counts) -> None:
    sparse = Sparse(counts)
    work_equal(sparse.offsets, sparse.values, sparse.counts, sparse.sizes, sparse.reference, sparse.total, sparse.work)
    assert sparse.work.tolist() == np.maximum(sparse.masses, 0).sum(axis=1).tolist()


@settings(deadline=None)  # the first call compiles
@given(tables())
def test_ordered_is_the_sum_of_the_running_masses(counts: Counts) -> None:
    sparse = Sparse(counts)
    below = np.cumsum(sparse.reference)
    sums = np.append(0, np.cumsum(below))
    work_ordered(sparse.offsets, sparse.values, sparse.counts, sparse.sizes, below, sums, sparse.work)
    assert sparse.work.tolist() == np.abs(np.cumsum(sparse.masses, axis=1)).sum(axis=1).tolist()


@settings(deadline=None)  # the first call compiles
@given(tables(), st.data())
def test_hierarchical_is_the_sum_over_all_nodes(counts: Counts, data: st.DataObject) -> None:
    sparse = Sparse(counts)
    n_values = len(counts[0])
    upper = data.draw(st.lists(st.integers(0, 2), min_size=n_values, max_size=n_values))
    nodes = np.array([range(n_values), upper], dtype=np.int32)
    parts = np.zeros((2, max(n_values, 3)), dtype=np.int64)
    expected = np.zeros(len(counts), dtype=np.int64)
    for level in range(2):
        np.add.at(parts[level], nodes[level], sparse.reference)
        for node in range(parts.shape[1]):
            expected += np.abs(sparse.masses[:, nodes[level] == node].sum(axis=1))
    work_hierarchical(
        sparse.offsets, sparse.values, sparse.counts, sparse.sizes, nodes, parts, sparse.total, sparse.work
    )
    assert sparse.work.tolist() == expected.tolist()


@cache
def cheapest(costs: tuple[tuple[int, ...], ...], supply: tuple[int, ...], demand: tuple[int, ...]) -> int:
    """Try every sink for the first unit that is left, then the rest."""
    if not any(supply):
        return 0
    source = next(i for i, amount in enumerate(supply) if amount)
    left = tuple(amount - (i == source) for i, amount in enumerate(supply))
    return min(
        costs[source][sink] + cheapest(costs, left, tuple(a - (j == sink) for j, a in enumerate(demand)))
        for sink, amount in enumerate(demand)
        if amount
    )


@st.composite
def shipments(draw: st.DrawFn) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Draw costs, and supply and demand of equal sums."""
    n, m, units = draw(st.integers(1, 4)), draw(st.integers(1, 4)), draw(st.integers(1, 7))
    costs = draw(st.lists(st.lists(st.integers(0, 9), min_size=m, max_size=m), min_size=n, max_size=n))
    supply = np.bincount(draw(st.lists(st.integers(0, n - 1), min_size=units, max_size=units)), minlength=n)
    demand = np.bincount(draw(st.lists(st.integers(0, m - 1), min_size=units, max_size=units)), minlength=m)
    return np.array(costs, dtype=np.int64), supply, demand


@settings(deadline=None, max_examples=150)
@given(shipments())
def test_transport_is_the_cheapest_of_all(
    shipment: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]],
) -> None:
    costs, supply, demand = shipment
    best = cheapest(tuple(map(tuple, costs.tolist())), tuple(supply.tolist()), tuple(demand.tolist()))
    assert transport(costs, supply, demand) == best
    large = 10**30
    parts = (part.astype(object) * large for part in (costs, supply, demand))
    assert plain(transport)(*parts) == best * large * large


@pytest.mark.parametrize("scale", [1, 10**25])
def test_plain_transport_knows_no_overflow(scale: int) -> None:
    costs = np.array([[1, 3], [2, 5]], dtype=object) * scale
    supply, demand = np.array([2, 1], dtype=object) * scale, np.array([1, 2], dtype=object) * scale
    assert plain(transport)(costs, supply, demand) == 8 * scale * scale
