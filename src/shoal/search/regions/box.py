"""Box: a range of leaves in each quasi column, and what a cell costs that leaves it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from shoal.classes.tally import QuasiColumn
from shoal.kernels.local.closures import RANGES, TREE, Forms
from shoal.kernels.prices import ENTROPY, price_subsets
from shoal.search.local.cuts import leaf_order

Positions = Sequence[NDArray[np.integer]]
"""For each quasi column, the place of each row's leaf in the order of the column's leaves."""


@dataclass(frozen=True, slots=True)
class LeafBox:
    """A product of ranges, one for each quasi column, of places in the order of its leaves (`leaf_order`).

    Args:
        low: The first place in each column.
        high: The place after the last one in each column.
    """

    low: tuple[int, ...]
    high: tuple[int, ...]

    @classmethod
    def whole(cls, columns: Sequence[QuasiColumn]) -> "LeafBox":
        """Return the box of all leaves."""
        return cls((0,) * len(columns), tuple(column.hierarchy.n_leaves for column in columns))

    def cut(self, column: int, place: int) -> tuple["LeafBox", "LeafBox"]:
        """Return the two parts before and from a place in a column."""
        high = (*self.high[:column], place, *self.high[column + 1 :])
        low = (*self.low[:column], place, *self.low[column + 1 :])
        return replace(self, high=high), replace(self, low=low)

    def holds(self, positions: Positions) -> NDArray[np.bool_]:
        """Return which rows are inside."""
        inside = np.ones(len(positions[0]), dtype=np.bool_)
        for places, low, high in zip(positions, self.low, self.high, strict=True):
            inside &= (places >= low) & (places < high)
        return inside


def box_numbers(boxes: Sequence[LeafBox], positions: Positions) -> NDArray[np.int64]:
    """Return the box of each row, of boxes that were made of the whole one by cuts: the rows are cut alike."""
    found = np.empty(len(positions[0]), dtype=np.int64)
    waiting = [(np.arange(len(found)), list(range(len(boxes))))]
    while waiting:
        rows, numbers = waiting.pop()
        if len(numbers) == 1:
            found[rows] = numbers[0]
            continue
        column, place = _first_cut([boxes[number] for number in numbers])
        before = positions[column][rows] < place
        waiting.append((rows[before], [number for number in numbers if boxes[number].high[column] <= place]))
        waiting.append((rows[~before], [number for number in numbers if boxes[number].low[column] >= place]))
    return found


def _first_cut(boxes: Sequence[LeafBox]) -> tuple[int, int]:
    """Return a cut along which no box lies on both sides; boxes that were made by cuts have one."""
    return next(
        (column, place)
        for column in range(len(boxes[0].low))
        for place in sorted({box.low[column] for box in boxes})[1:]
        if all(box.high[column] <= place or box.low[column] >= place for box in boxes)
    )


def places_of(column: QuasiColumn) -> NDArray[np.int32]:
    """Return the place of each leaf in the order of a column's leaves."""
    order = leaf_order(column.hierarchy)
    places = np.empty(len(order), dtype=np.int32)
    places[order] = np.arange(len(order), dtype=np.int32)
    return places


def leaving_prices(columns: Sequence[QuasiColumn], forms: Forms, box: LeafBox) -> tuple[NDArray[np.float64], ...]:
    """Return what a cell costs at least that covers a leaf of the box and one outside of it, column by column.

    A class with a record from outside of the box has a value from outside in some column, and the cell of that column
    covers it. So each of its records that are inside costs at least the least of these prices. A column in which
    nothing is outside has the price infinity.

    Args:
        columns: The quasi columns, with the leaves of the whole table.
        forms: What a class may be published as, and its price.
        box: The box.
    """
    found = []
    for number, column in enumerate(columns):
        outside = np.ones(column.hierarchy.n_leaves, dtype=np.bool_)
        outside[leaf_order(column.hierarchy)[box.low[number] : box.high[number]]] = False
        prices = np.full(len(outside), np.inf)
        if outside.any():
            price = _by_node if forms.kinds[number] == TREE else _by_subset
            prices[~outside] = price(forms, number, column, outside)[~outside]
        found.append(prices)
    return tuple(found)


def _by_node(forms: Forms, number: int, column: QuasiColumn, outside: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the price of the lowest node above each leaf with a leaf from outside; prices grow upwards."""
    hierarchy = column.hierarchy
    found = np.full(len(outside), np.inf)
    for level in range(hierarchy.height, 0, -1):
        codes = hierarchy.codes[level]
        reaching = np.bincount(codes, outside, hierarchy.size(level))[codes] > 0
        nodes = forms.nodes[number] + hierarchy.tree().node_at[level][codes]
        found[reaching] = forms.prices[nodes][reaching]
    return found


def _by_subset(forms: Forms, number: int, column: QuasiColumn, outside: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the least price of a range or a set with each leaf and one from outside.

    By most rules a subset costs no less than one that it contains: so the nearest leaves from outside count in ranges,
    and the one with the smallest term in sets. By the entropy of its values it may cost less, and nothing is said.
    """
    n_leaves, missing = len(outside), int(forms.missing[number])
    if forms.rules[number] == ENTROPY:
        return np.full(n_leaves, -np.inf)
    own = slice(int(forms.nodes[number]), int(forms.nodes[number]) + n_leaves)
    found = np.full(n_leaves, forms.tops[number])  # of a missing value with any other
    named = outside.copy()
    plain = np.arange(n_leaves) != missing
    named[~plain] = False
    others = np.flatnonzero(named)
    if len(others) == 0:
        return found
    if forms.kinds[number] == RANGES:
        inside = np.flatnonzero(~outside & plain)
        for other in (others[others < inside.min(initial=n_leaves)][-1:], others[others > inside.max(initial=-1)][:1]):
            for place in other.tolist():
                low, high = np.minimum(inside, place), np.maximum(inside, place)
                sums = forms.upper[:, own][:, high] - forms.lower[:, own][:, low]
                found[inside] = np.minimum(found[inside], _priced(forms, number, sums))
        return found
    adds = forms.adds[:, own]
    cheapest = others[np.argmin(adds[0, others])]
    pairs = _priced(forms, number, adds + adds[:, [cheapest]])
    return np.where(plain, np.minimum(found, pairs), found)


def _priced(forms: Forms, number: int, sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the prices of subsets by their two sums."""
    first, second = np.ascontiguousarray(sums[0]), np.ascontiguousarray(sums[1])
    prices = price_subsets(int(forms.rules[number]), first, second, float(forms.constants[number]))
    return forms.weights[number] * prices
