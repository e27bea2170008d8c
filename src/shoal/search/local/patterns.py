"""Closed patterns: what a class of at least k records can be published as, the cheapest first."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from math import inf, prod
from os import cpu_count

import numpy as np
from numpy.typing import NDArray

from shoal.classes.tally import Tally
from shoal.foundation.errors import SpecError
from shoal.kernels.local.closures import Forms
from shoal.kernels.local.patterns import FoundPatterns, PatternTable, closed_patterns
from shoal.search.lattice.cells import KeyLayout
from shoal.search.local.forms import check_trees
from shoal.search.problem import Problem
from shoal.tables.distinct_rows import distinct_rows
from shoal.tables.hierarchies.hierarchy import Hierarchy

_MOST_VECTORS = 4_000_000  # vectors of levels that are ever listed
_FEW_VECTORS = 100_000
_MOST_ROWS = 200  # with more vectors than these, and up to so many rows, only the closures of sets of rows are listed
_MOST_CLOSURES = 20_000
_TOGETHER = 64  # least number of vectors that are listed at once, distributed over the cores,
_WORTH = 200_000  # or as many as have so many rows together
_CORES = cpu_count() or 1


@dataclass(frozen=True, slots=True, eq=False)
class ColumnLevels:
    """The levels of one column at which a class can be closed, and the node of each leaf there.

    A level that divides the leaves in the data just as the step before it has no closed node: whatever agrees there
    agrees one step lower.

    Args:
        codes: `codes[step, leaf]`, the code of the leaf's node.
        prices: `prices[step, leaf]`, the price of that node, including the column's weight.
        floors: For each step, the least price of a node that can be closed.
    """

    codes: NDArray[np.int32]
    prices: NDArray[np.float64]
    floors: NDArray[np.float64]

    @classmethod
    def of(cls, hierarchy: Hierarchy, prices: NDArray[np.float64], leaves: NDArray[np.int32]) -> "ColumnLevels":
        """Return the steps of a hierarchy, given the price of each node of its tree and the leaves in the data."""
        tree = hierarchy.tree()
        levels = [0]
        for level in range(1, hierarchy.height + 1):
            if len(np.unique(hierarchy.codes[level][leaves])) < len(np.unique(hierarchy.codes[levels[-1]][leaves])):
                levels.append(level)
        codes = hierarchy.codes[levels]
        priced = np.stack([prices[tree.node_at[level][hierarchy.codes[level]]] for level in levels])
        floors = [float(priced[0][leaves].min(initial=np.inf))]
        for step in range(1, len(levels)):
            _, example = np.unique(codes[step - 1][leaves], return_index=True)  # one leaf of each node one step lower
            _, node, count = np.unique(codes[step][leaves[example]], return_inverse=True, return_counts=True)
            floors.append(float(priced[step][leaves[example]][count[node] > 1].min()))
        return cls(codes, priced, np.array(floors))


class Patterns:
    """The closed patterns of a table with the prices of a measure, listed by vectors of steps.

    A pattern has a node in each column; its support are the records below all of them. It is closed if it is the
    closure of its support: no node can be lowered without losing a record. The closed patterns with a support of at
    least k are all that a class of at least k records can be published as at least loss.

    At a vector of levels, the records are divided into groups with the same node in each column. Every pattern is such
    a group at the levels of its nodes, so visiting all vectors lists all patterns. A group is closed if in no column
    all its records agree one step lower (else that node could be lowered). So each pattern is listed once.

    No pattern of a vector costs less than its `floor`, the sum of the least prices of its steps. The vectors are sorted
    by it, so that a search that has no use for more expensive patterns can stop.

    Negative prices (`nonuniform-entropy`) are shifted so that none is negative. A row is a distinct tuple of quasi
    values; the records of a row are in the same patterns.

    Args:
        tally: The table.
        forms: What the columns publish, and the prices; all must be trees.
        k: The least support of a pattern.
        name: The name of the algorithm, for messages.
        most: How many rows may be visited, over all vectors together.
    """

    def __init__(self, tally: Tally, forms: Forms, k: int, name: str, most: float = inf) -> None:
        filled = np.flatnonzero(tally.counts > 0)
        sizes = [column.hierarchy.n_leaves for column in tally.quasi]
        row_of, codes = distinct_rows(list(tally.codes[filled].T), sizes, len(filled))
        self.k = k
        self.columns = tally.quasi
        self.row_of = np.full(tally.n_points, -1, dtype=np.int32)
        self.row_of[filled] = row_of
        steps = [
            ColumnLevels.of(column.hierarchy, forms.prices[forms.nodes[j] : forms.nodes[j + 1]], np.unique(codes[:, j]))
            for j, column in enumerate(tally.quasi)
        ]
        lowest = np.array([min(float(one.floors[0]), 0.0) for one in steps])
        counts = np.bincount(row_of, weights=tally.counts[filled], minlength=len(codes)).astype(np.int64)
        self.grid = _grid(codes, counts, steps, lowest)
        self.vectors, self.floors = _sorted_vectors(steps, codes, lowest, name, most)

    @property
    def together(self) -> int:
        """The number of vectors listed at once; more if there are few rows, since threads take time to start."""
        return max(_TOGETHER, _WORTH // max(self.n_rows, 1))

    @property
    def n_rows(self) -> int:
        """The number of distinct tuples of quasi values."""
        return len(self.grid.counts)

    @property
    def n_vectors(self) -> int:
        """The number of vectors."""
        return len(self.floors)

    def listed(self, rank: int, open_rows: NDArray[np.bool_]) -> list[FoundPatterns]:
        """Return the closed patterns with an open row of the next vectors from `rank` on, in their order."""
        inside, outside = (np.flatnonzero(side).astype(np.int32) for side in (open_rows, ~open_rows))
        ranks = np.arange(rank, min(rank + self.together, self.n_vectors), dtype=np.int32)
        with ThreadPoolExecutor(max_workers=_CORES) as threads:
            return list(
                threads.map(
                    lambda share: closed_patterns(self.grid, self.vectors, share, self.k, inside, outside),
                    np.array_split(ranks, _CORES),
                )
            )


def patterns_of(problem: Problem, forms: Forms, name: str) -> Patterns:
    """Return the closed patterns of a problem's table; raise a SpecError if a column publishes no tree.

    Args:
        problem: The problem.
        forms: What the columns publish, and the prices.
        name: The name of the algorithm, for messages.
    """
    check_trees(problem.tally.quasi, forms, name)
    return Patterns(problem.tally, forms, problem.k, name)


def _grid(
    codes: NDArray[np.int32], counts: NDArray[np.int64], steps: list[ColumnLevels], lowest: NDArray[np.float64]
) -> PatternTable:
    """Return the steps of all columns one after the other; `lowest` is subtracted from each column's prices."""
    layout = KeyLayout.of([one.codes.shape[1] for one in steps])
    lifts = [(one.codes.astype(np.uint64) << shift).ravel() for one, shift in zip(steps, layout.shifts, strict=True)]
    return PatternTable(
        codes=np.ascontiguousarray(codes.T),
        counts=counts,
        starts=np.cumsum([0, *(one.codes.size for one in steps[:-1])]).astype(np.int64),
        leaves=np.array([one.codes.shape[1] for one in steps], dtype=np.int64),
        lifts=np.concatenate(lifts),
        prices=np.concatenate([(one.prices - low).ravel() for one, low in zip(steps, lowest, strict=True)]),
        words=layout.words,
        masks=layout.masks << layout.shifts,
        n_words=int(layout.words.max()) + 1,
    )


def _sorted_vectors(
    steps: list[ColumnLevels], codes: NDArray[np.int32], lowest: NDArray[np.float64], name: str, most: float
) -> tuple[NDArray[np.int16], NDArray[np.float64]]:
    """Return the vectors of steps that may have closed patterns, sorted by the sum of their floors, and these sums."""
    sizes = [len(one.floors) for one in steps]
    few = prod(sizes) <= _FEW_VECTORS
    vectors = None if few else _vectors_of_sets(steps, codes)
    if vectors is None and prod(sizes) <= min(_MOST_VECTORS, most // max(len(codes), 1)):
        vectors = _all_vectors(sizes)
    if vectors is None:
        raise SpecError(
            f"The columns have about 10^{len(str(prod(sizes))) - 1} vectors of levels, too many for the algorithm "
            f"'{name}', which lists the patterns of each (at most {_MOST_VECTORS:,}). Use fewer columns, hierarchies "
            "with fewer levels, or an algorithm that lists no patterns, such as 'mondrian'."
        )
    sums = np.zeros(len(vectors))
    for j, one in enumerate(steps):  # added in the same order as the prices of a pattern, so never above its price
        sums += (one.floors - lowest[j])[vectors[:, j]]
    order = np.argsort(sums, kind="stable")
    return vectors[order], sums[order]


def _all_vectors(sizes: list[int]) -> NDArray[np.int16]:
    """Return all vectors of steps, in lexicographic order."""
    left = np.arange(prod(sizes))
    vectors = np.empty((len(left), len(sizes)), dtype=np.int16)
    for j in range(len(sizes) - 1, -1, -1):
        left, vectors[:, j] = np.divmod(left, sizes[j])
    return vectors


def _vectors_of_sets(steps: list[ColumnLevels], codes: NDArray[np.int32]) -> NDArray[np.int16] | None:
    """Return the vectors of the closures of all sets of rows, or None if these are too many.

    With few rows and many columns most vectors have no closed pattern. The closures of sets of the first i rows are
    those of the first i - 1, and each of these joined with row i. They are distinguished by their steps and nodes.
    """
    n_rows = len(codes)
    if n_rows > _MOST_ROWS:
        return None
    meets = np.stack([_meeting_steps(one, codes[:, j]) for j, one in enumerate(steps)], axis=2)
    family = np.zeros((0, len(steps) + 1), dtype=np.int16)  # the steps of a closure, then one row of it
    for row in range(n_rows):
        joined = family.copy()
        joined[:, :-1] = np.maximum(family[:, :-1], meets[family[:, -1], row])
        own = np.zeros((1, len(steps) + 1), dtype=np.int16)
        own[0, -1] = row
        family = _different(np.concatenate([family, joined, own]), steps, codes)
        if len(family) > _MOST_CLOSURES:
            return None
    return np.unique(family[:, :-1], axis=0)


def _meeting_steps(steps: ColumnLevels, leaves: NDArray[np.int32]) -> NDArray[np.int16]:
    """Return, for each two rows, the lowest step at which they agree in a column."""
    meets = np.zeros((len(leaves), len(leaves)), dtype=np.int16)
    for codes in steps.codes[:-1]:
        meets += codes[leaves][:, None] != codes[leaves][None, :]
    return meets


def _different(family: NDArray[np.int16], steps: list[ColumnLevels], codes: NDArray[np.int32]) -> NDArray[np.int16]:
    """Return the closures without those that have the same steps and nodes as one before."""
    nodes = [one.codes[family[:, j], codes[family[:, -1], j]] for j, one in enumerate(steps)]
    rows = np.column_stack([family[:, :-1], *nodes])
    _, first = np.unique(
        rows.view(np.dtype((np.void, rows.strides[0]))), return_index=True
    )  # compared as bytes, which is fast
    return family[np.sort(first)]
