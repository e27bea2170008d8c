"""What a class may be published as, column by column, as arrays for compiled loops."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.classes.recoding import standing
from shoal.classes.tally import QuasiColumn
from shoal.foundation.errors import SpecError
from shoal.kernels.local.closures import RANGES, SETS, TREE, Forms
from shoal.measures.measure import CellCosts, CellMeasure
from shoal.tables.hierarchies.hierarchy import Hierarchy

_KINDS = {"tree": TREE, "ranges": RANGES, "sets": SETS}


def forms_of(columns: Sequence[QuasiColumn], measure: CellMeasure) -> Forms:
    """Return the forms of the columns with the prices of a measure.

    A column whose ranges or sets the measure prices as the node above them is searched as a tree. The price of a node
    is that of the cheapest node that covers it (`cheapest`), which is what a class is published as.
    """
    costs = [measure.costs(column) for column in columns]
    trees = [column.hierarchy.tree() for column in columns]
    nodes = np.cumsum([0, *(len(tree.parent) for tree in trees)])
    lower, upper, adds = (np.zeros((2, nodes[-1])) for _ in range(3))
    for column, cost, start in zip(columns, costs, nodes, strict=False):
        if cost.rule is not None:
            leaves = slice(start, start + column.hierarchy.n_leaves)
            for s, ends in enumerate(cost.rule.ends(column.hierarchy)):
                lower[s, leaves], upper[s, leaves] = ends
            adds[0, leaves], adds[1, leaves] = cost.rule.firsts, cost.rule.seconds
    prices = [
        column.weight * node_prices(column.hierarchy, cost)[cheapest(column.hierarchy, cost)]
        for column, cost in zip(columns, costs, strict=True)
    ]
    return Forms(
        kinds=np.array(
            [_KINDS[column.hierarchy.form] if cost.rule else TREE for column, cost in zip(columns, costs, strict=True)],
            dtype=np.int8,
        ),
        nodes=nodes,
        missing=np.array([column.hierarchy.missing_leaf for column in columns], dtype=np.int32),
        rules=np.array([cost.rule.code if cost.rule else 0 for cost in costs], dtype=np.int64),
        constants=np.array([cost.rule.constant if cost.rule else 0.0 for cost in costs], dtype=np.float64),
        weights=np.array([column.weight for column in columns], dtype=np.float64),
        tops=np.array([price[-1] for price in prices], dtype=np.float64),
        full=float(sum(column.weight * cost.full for column, cost in zip(columns, costs, strict=True))),
        parent=np.concatenate([tree.parent for tree in trees]),
        prices=np.concatenate(prices),
        lower=lower,
        upper=upper,
        adds=adds,
    )


def node_prices(hierarchy: Hierarchy, costs: CellCosts) -> NDArray[np.float64]:
    """Return the price of each node of the hierarchy's tree, at the lowest level on which it occurs."""
    levels, codes = standing(hierarchy)
    return np.array([costs.by_level[level][code] for level, code in zip(levels, codes, strict=True)])


def cheapest(hierarchy: Hierarchy, costs: CellCosts) -> NDArray[np.int32]:
    """Return, for each node, the cheapest node that covers it; in a monotone measure, the node itself.

    Where a node costs more than one above it (003 Example 4.7), publishing the one above loses less. So the prices that
    a search sees are monotone whatever the measure.
    """
    prices, parent = node_prices(hierarchy, costs), hierarchy.tree().parent
    best = np.arange(len(parent), dtype=np.int32)
    for node in range(len(parent) - 2, -1, -1):
        above = best[parent[node]]
        if prices[above] < prices[node]:
            best[node] = above
    return best


def check_trees(columns: Sequence[QuasiColumn], forms: Forms, name: str) -> None:
    """Raise a SpecError that names a column which publishes ranges or sets, for an algorithm that needs nodes."""
    for column, kind in zip(columns, forms.kinds, strict=True):
        if kind != TREE:
            raise SpecError(
                f"Column '{column.name}' publishes {column.hierarchy.form}, which may overlap, and the algorithm "
                f"'{name}' needs nodes of a tree: of two that share a value, one contains the other. Give the column "
                "a hierarchy such as 'intervals' or 'taxonomy', or use the algorithm 'mondrian'."
            )


def offset_of(columns: Sequence[QuasiColumn], measure: CellMeasure) -> float:
    """Return what the measure charges whatever is released."""
    return float(sum(column.weight * measure.costs(column).offset for column in columns))
