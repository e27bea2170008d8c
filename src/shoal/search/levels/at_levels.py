"""A table at one level for each column, above which there are stars alone."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.classes.grouping import Parts
from shoal.classes.recoding import Recoding, Subsets
from shoal.classes.tally import QuasiColumn
from shoal.measures.measure import CellCosts, CellMeasure
from shoal.search.local.closure import recoding_of
from shoal.search.local.forms import node_prices
from shoal.search.local.partition import cell_measure
from shoal.search.problem import Problem
from shoal.tables.hierarchies.hierarchy import Hierarchy


@dataclass(frozen=True, slots=True)
class PricesAtLevels(CellMeasure):
    """A measure for columns whose values are the nodes of one level: what the nodes cost in the table itself.

    Args:
        columns: The prices of each column, by its name.
    """

    name: ClassVar[str] = "at-levels"
    reference: ClassVar[str] = "shoal"
    monotone: ClassVar[bool] = False

    columns: Mapping[str, CellCosts]

    def __post_init__(self) -> None:
        """Nothing is checked: no user writes this measure."""

    def costs(self, column: QuasiColumn) -> CellCosts:
        """Look up the prices."""
        return self.columns[column.name]


def at_levels(problem: Problem, levels: Sequence[int], name: str) -> Problem:
    """Return the problem of releasing the nodes of one level of each column, or stars.

    The points are those of the table, of which some may be alike. So classes of one problem are classes of the other.

    Args:
        problem: The problem; its measure prices single cells.
        levels: The level of each column.
        name: The name of the algorithm, for messages.
    """
    measure, tally = cell_measure(problem, name), problem.tally
    pairs = list(zip(tally.quasi, levels, strict=True))
    codes = [column.hierarchy.codes[level][tally.codes[:, j]] for j, (column, level) in enumerate(pairs)]
    costs = {column.name: _costs(column, measure.costs(column), level) for column, level in pairs}
    at = replace(tally, quasi=tuple(_column(*pair) for pair in pairs), codes=np.column_stack(codes))
    return replace(problem, tally=at, measure=PricesAtLevels(costs))


def _costs(column: QuasiColumn, costs: CellCosts, level: int) -> CellCosts:
    prices, nodes = node_prices(column.hierarchy, costs), column.hierarchy.tree().node_at[level]
    return replace(costs, by_level=(prices[nodes], prices[-1:]), rule=None)


def _column(column: QuasiColumn, level: int) -> QuasiColumn:
    """Return the column with the nodes of a level as its values, below the star."""
    hierarchy, size = column.hierarchy, column.hierarchy.size(level)
    codes = np.vstack([np.arange(size), np.zeros(size)]).astype(np.int32)
    nodes = Hierarchy(hierarchy.labels[level], codes, (hierarchy.labels[level], hierarchy.labels[-1]))
    counts = np.bincount(hierarchy.codes[level], column.leaf_counts, size).astype(np.int64)
    return replace(column, hierarchy=nodes, leaf_counts=counts)


def recoding_at(problem: Problem, levels: Sequence[int], parts: Parts, at: Problem) -> Recoding:
    """Return what some classes are published as: in each column the node of the level that all records have, or a star.

    A star is published as well where it costs less than that node. A group of one value is published as that value, as
    in every local recoding.

    Args:
        problem: The problem.
        levels: The level of each column.
        parts: The classes; none may be empty.
        at: The problem at these levels.
    """
    recoding, shown = recoding_of(at.tally, parts, at.measure), []
    for column, level, subsets in zip(problem.tally.quasi, levels, recoding.shown, strict=True):
        tree = column.hierarchy.tree()
        nodes = np.where(subsets.levels == 0, tree.node_at[level][subsets.codes], len(tree.parent) - 1)
        shown.append(Subsets.of_nodes(column.hierarchy, nodes.tolist(), column.name))
    return Recoding(problem.tally.quasi, tuple(shown), recoding.cells)


def prices_at(problem: Problem, name: str) -> list[list[NDArray[np.float64]]]:
    """Return what each leaf of each column costs at each level, at least: as its node there, or, if cheaper, a star.

    Where records may be suppressed, a cell may also cost what a suppressed record pays for its column. The prices are
    multiplied by the weight of the column.
    """
    measure, found = cell_measure(problem, name), []
    for column in problem.tally.quasi:
        costs, hierarchy = measure.costs(column), column.hierarchy
        prices, nodes = node_prices(hierarchy, costs), hierarchy.tree().node_at
        most = min(float(prices[-1]), costs.full) if problem.limit > 0 else float(prices[-1])
        own = [np.minimum(prices[at[codes]], most) for at, codes in zip(nodes, hierarchy.codes, strict=True)]
        found.append([column.weight * paid for paid in own])
    return found
