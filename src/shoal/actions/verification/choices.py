"""Choices: what each column may publish for a class, and for how many units, by its hierarchy and the measure alone."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

import numpy as np
from numpy.typing import NDArray

from shoal.classes.tally import QuasiColumn
from shoal.kernels.prices import ENTROPY, price_subsets
from shoal.kernels.verification.overcharges import ENDS, NODES, RANGES, SETS, Choices
from shoal.measures.measure import CellCosts, CellMeasure, SubsetRule

_MOST_VALUES = 3_000  # of a column of ranges or sets: each pair of values has a price
_DENOMINATOR, _COMMON = 1_000, 10_000_000  # the largest denominator of a price, and of all prices together
_ROUNDING = 1e-13  # the rounding error of a price, as a share of the largest one
_LEAF = -1  # a node without children


@dataclass(frozen=True, slots=True, eq=False)
class _Column:
    """What one column may publish, with its weight, in the unit of the measure.

    Args:
        kind: `NODES`, `RANGES`, `SETS` or `ENDS`.
        ranks: The rank of each leaf.
        nodes: Below which ranks each node is: the first and the one behind the last, and where its children begin.
        prices: The price of each node.
        ends: See `Choices.ends`.
        pairs: See `Choices.pairs`.
    """

    kind: int
    ranks: NDArray[np.int32]
    nodes: NDArray[np.int64]
    prices: NDArray[np.float64]
    ends: NDArray[np.int64]
    pairs: NDArray[np.float64]

    @property
    def amounts(self) -> NDArray[np.float64]:
        """All prices."""
        return np.concatenate([self.prices, self.pairs])


@dataclass(frozen=True, slots=True, eq=False)
class Priced:
    """What may be published for a class, priced by a measure, with what suppression costs.

    Args:
        columns: The columns.
        full: What suppressing a record costs.
        offset: What the measure charges whatever is released.
    """

    columns: tuple[_Column, ...]
    full: float
    offset: Fraction

    @classmethod
    def of(cls, columns: Sequence[QuasiColumn], measure: CellMeasure) -> "Priced | None":
        """Price some columns; None if a column of sets or ranges has too many values, or sets of no known price."""
        found = []
        full, offset = 0.0, Fraction(0)
        for column in columns:
            costs = measure.costs(column)
            nodes = costs.rule is None or column.hierarchy.form == "tree"
            priced = _nodes(column, costs) if nodes or costs.rule is None else _pairs(column, costs, costs.rule)
            if priced is None:
                return None
            found.append(priced)
            full += column.weight * costs.full
            offset += Fraction(column.weight * costs.offset)
        return cls(tuple(found), full, offset)

    @property
    def dearest(self) -> float:
        """What no cells of all columns cost more than, nor a suppressed record."""
        return max(self.full, sum(float(np.abs(column.amounts).max()) for column in self.columns))

    @property
    def common(self) -> int | None:
        """A number by which every price becomes whole, if they are plain fractions: then every loss does."""
        common = 1
        prices = np.unique(np.concatenate([[self.full], *(column.amounts for column in self.columns)]))
        hair = _ROUNDING * float(np.abs(prices).max())
        for price in prices.tolist():
            near = Fraction(price).limit_denominator(_DENOMINATOR)
            common = lcm(common, near.denominator)
            if abs(float(near) - price) > hair or (near == 0) != (price == 0) or common > _COMMON:
                return None
        return common if self.offset == 0 else None

    def choices(self, order: Sequence[int], unit: int) -> Choices:
        """Return the prices in units of 2 ** -unit, rounded down, of the columns in an order."""
        some = [self.columns[j] for j in order]
        prices = [_units(column.prices, unit) for column in some]
        pairs = [_units(column.pairs, unit) for column in some]
        least = [int(np.concatenate(both).min()) for both in zip(prices, pairs, strict=True)]
        nodes, below = [], 0
        for column in some:
            nodes.append(column.nodes + np.array([0, 0, below]) * (column.nodes[:, 2:] >= 0))
            below += len(column.ends)
        together = np.concatenate(nodes)
        return Choices(
            kinds=np.array([column.kind for column in some], dtype=np.int8),
            widths=np.array([len(column.ranks) for column in some], dtype=np.int64),
            begins=np.cumsum([0, *map(len, prices)]).astype(np.int64),
            lows=np.ascontiguousarray(together[:, 0]),
            highs=np.ascontiguousarray(together[:, 1]),
            prices=np.concatenate(prices),
            children=np.ascontiguousarray(together[:, 2]),
            ends=np.concatenate([column.ends for column in some]),
            tables=np.cumsum([0, *map(len, pairs)])[:-1].astype(np.int64),
            pairs=np.concatenate(pairs),
            least=np.cumsum([0, *least[::-1]])[::-1].astype(np.int64),
        )


def _units(amounts: NDArray[np.float64], unit: int) -> NDArray[np.int64]:
    """Return amounts in units, rounded down; to multiply by a power of two rounds nothing."""
    return np.floor(np.ldexp(amounts, unit)).astype(np.int64)


def _nodes(column: QuasiColumn, costs: CellCosts) -> _Column:
    """Price the nodes of a tree: a class is published as the cheapest node that covers it.

    So a node costs what the cheapest of those from it upwards does.
    """
    codes = column.hierarchy.codes
    height, n_leaves = len(codes) - 1, codes.shape[1]
    order = np.lexsort(codes)  # by the top first: the leaves below a node are adjacent
    ranks = np.empty(n_leaves, dtype=np.int32)
    ranks[order] = np.arange(n_leaves, dtype=np.int32)
    prices = np.full((height + 1, n_leaves), np.inf)
    for level in range(height, -1, -1):
        own = column.weight * costs.by_level[level][codes[level][order]]
        prices[level] = own if level == height else np.minimum(own, prices[level + 1])
    begins = [np.flatnonzero(np.diff(codes[level][order], prepend=-1)) for level in range(height + 1)]
    highs = [np.append(begin[1:], n_leaves) for begin in begins]
    ends = [np.repeat(high, high - begin) for begin, high in zip(begins, highs, strict=True)]
    nodes = [
        np.stack([begin, high, np.full(len(begin), (level - 1) * n_leaves if level else _LEAF)], axis=1)
        for level, (begin, high) in enumerate(zip(begins, highs, strict=True))
    ]
    found = np.concatenate([prices[level][begin] for level, begin in enumerate(begins)])
    flat = np.concatenate(ends).astype(np.int64)
    return _Column(NODES, ranks, np.concatenate(nodes).astype(np.int64), found, flat, np.zeros(0))


def _pairs(column: QuasiColumn, costs: CellCosts, rule: SubsetRule) -> _Column | None:
    """Price the ranges by their ends, or sets by their two cheapest values: more values cost no less, by most rules.

    The entropy of a set is no less than that of its most frequent value against the rest, if that value has half of its
    records, and so no less than that of the rarest of all values against the most frequent one; else it is above 1, and
    no two values have more. With a missing value and another one a class is published as the top.
    """
    hierarchy = column.hierarchy
    n, sets = hierarchy.n_leaves, hierarchy.form == "sets"
    entropy = sets and rule.code == ENTROPY
    if n > _MOST_VALUES or (entropy and hierarchy.missing_leaf >= 0):
        return None
    missing = np.arange(n) == hierarchy.missing_leaf
    order = np.lexsort((np.arange(n), rule.firsts, missing)) if sets else np.arange(n)
    if sets:
        sums = [leaf[order][:, None] + leaf[order][None, :] for leaf in (rule.firsts, rule.seconds)]
    else:
        sums = [upper[None, :] - lower[:, None] for lower, upper in rule.ends(hierarchy)]
    prices = price_subsets(rule.code, sums[0].ravel(), sums[1].ravel(), rule.constant).reshape(n, n)
    top = float(costs.by_level[-1][0])
    if missing.any():
        prices = np.minimum(prices, top) if sets else prices
        prices[:, missing[order]] = top
    alone = np.min([costs.by_level[level][hierarchy.codes[level]] for level in range(hierarchy.height + 1)], axis=0)
    np.fill_diagonal(prices, alone[order])
    prices[np.tril_indices(n, -1)] = top  # the lower end comes first
    ranks = np.empty(n, dtype=np.int32)
    ranks[order] = np.arange(n, dtype=np.int32)
    nothing = np.zeros((0, 3), dtype=np.int64)
    kind = ENDS if entropy else SETS if sets else RANGES
    return _Column(kind, ranks, nothing, np.zeros(0), np.zeros(0, dtype=np.int64), column.weight * prices.ravel())
