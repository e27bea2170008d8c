"""Turns the forms of the columns into states that compiled searches join and price quickly."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.classes.tally import QuasiColumn
from shoal.kernels.local.closures import RANGES, SETS, Forms
from shoal.kernels.local.states import FIELD, LARGE_SET, LARGE_TREE, RANGE, SMALL_SET, SMALL_TREE, WORD, Columns
from shoal.kernels.prices import LINEAR, price_subsets
from shoal.tables.hierarchies.tree import NodeTree

_TABLE = 2_000  # in trees of up to so many nodes, the meets of all pairs are tabulated
_BITS = 16  # for sets of up to so many leaves, the prices of all subsets are tabulated


@dataclass(frozen=True, slots=True, eq=False)
class Encoding:
    """How leaf codes become states.

    Args:
        columns: The meaning of the fields of a state.
        order: The quasi column of each field.
        leaves: `leaves[f][leaf]`, the state of each leaf in field f.
    """

    columns: Columns
    order: NDArray[np.int64]
    leaves: tuple[NDArray[np.int64], ...]

    def states(self, codes: NDArray[np.int32]) -> NDArray[np.int64]:
        """Return `states[point, field]` of points given by their leaf codes."""
        fields = [leaf[codes[:, j]] for j, leaf in zip(self.order, self.leaves, strict=True)]
        return np.ascontiguousarray(np.column_stack(fields))


def encoding_of(columns: tuple[QuasiColumn, ...], forms: Forms) -> Encoding:
    """Return the encoding of some columns: the kind of each is chosen, and the fields are sorted by kind."""
    kinds = np.array(
        [_kind(column, forms.kinds[j], forms.nodes[j + 1] - forms.nodes[j]) for j, column in enumerate(columns)]
    )
    order: list[int] = []
    leaves: list[NDArray[np.int64]] = []
    words = []
    for j in np.argsort(kinds, kind="stable").tolist():
        own = _leaf_states(int(kinds[j]), columns[j].hierarchy.n_leaves)
        if kinds[j] == LARGE_SET:
            words.append(len(order))
        order += [j] * len(own)
        leaves += own
    fields = np.array(order, dtype=np.int64)
    words.append(len(order))
    return Encoding(_columns(columns, forms, kinds[fields], fields, words), fields, tuple(leaves))


def _kind(column: QuasiColumn, form: int, n_nodes: int) -> int:
    if form == RANGES:
        return RANGE
    if form == SETS:
        return SMALL_SET if column.hierarchy.n_leaves <= _BITS else LARGE_SET
    return SMALL_TREE if n_nodes <= _TABLE else LARGE_TREE


def _leaf_states(kind: int, n_leaves: int) -> list[NDArray[np.int64]]:
    """Return the state of each leaf, in one field or, for a large set, in several."""
    codes = np.arange(n_leaves, dtype=np.int64)
    if kind in (SMALL_TREE, LARGE_TREE):
        return [codes]
    if kind == RANGE:
        return [(codes << 32) | codes]
    n_words = 1 if kind == SMALL_SET else -(-n_leaves // WORD)
    return [np.where(codes // WORD == word, np.int64(1) << (codes % WORD), 0) for word in range(n_words)]


def _columns(
    columns: tuple[QuasiColumn, ...],
    forms: Forms,
    kinds: NDArray[np.int64],
    fields: NDArray[np.int64],
    words: list[int],
) -> Columns:
    tables = [
        _meets(columns[j]) if kind == SMALL_TREE else np.zeros(0, np.int32)
        for j, kind in zip(fields, kinds, strict=True)
    ]
    subsets = [
        _subset_prices(forms, j, columns[j].hierarchy.n_leaves) if kind == SMALL_SET else np.zeros(0)
        for j, kind in zip(fields, kinds, strict=True)
    ]
    ends = np.cumsum([len(forms.prices), *map(len, subsets)])
    known = np.zeros(len(fields), dtype=FIELD)
    known["start"] = np.where(kinds == SMALL_SET, ends[:-1], forms.nodes[fields])
    known["width"] = forms.nodes[fields + 1] - forms.nodes[fields]
    known["table"] = np.cumsum([0, *map(len, tables)])[:-1]
    known["rule"] = forms.rules[fields]
    known["missing"] = forms.missing[fields]
    known["constant"] = forms.constants[fields]
    known["weight"] = forms.weights[fields]
    known["top"] = forms.tops[fields]
    known["even"] = [_even(forms, j, columns[j].hierarchy.n_leaves) for j in fields]
    return Columns(
        cuts=np.searchsorted(kinds, np.arange(LARGE_SET + 2)).astype(np.int64),
        words=np.array(words, dtype=np.int64),
        fields=known,
        meets=np.concatenate([*tables, np.zeros(1, dtype=np.int32)]).astype(np.int32),
        parent=forms.parent,
        prices=np.concatenate([forms.prices, *subsets]),
        sums=np.vstack([forms.lower, forms.upper, forms.adds]),
    )


def _meets(column: QuasiColumn) -> NDArray[np.int32]:
    """Return the lowest common ancestor of every two nodes of the column's tree, as one flat table.

    That of a node and another is the node itself if the other is below it, else that of its parent and the other.
    """
    tree: NodeTree = column.hierarchy.tree()
    parent, size = tree.parent.tolist(), len(tree.parent)
    below: list[list[int]] = [[node] for node in range(size)]
    for node in range(size - 1):  # parents have higher numbers
        below[parent[node]] += below[node]
    table = np.full((size, size), size - 1, dtype=np.int32)
    for node in range(size - 2, -1, -1):
        table[node] = table[parent[node]]
        table[node, below[node]] = node
    return table.reshape(-1)


def _subset_prices(forms: Forms, column: int, n_leaves: int) -> NDArray[np.float64]:
    """Return the price of every subset of a column's leaves, indexed by its bits."""
    subsets = np.arange(1 << n_leaves)
    inside = ((subsets[:, None] >> np.arange(n_leaves)) & 1).astype(np.float64)
    start = forms.nodes[column]
    leaves = slice(start, start + n_leaves)
    firsts, seconds = inside @ forms.adds[0, leaves], inside @ forms.adds[1, leaves]
    constant = float(forms.constants[column])
    prices = forms.weights[column] * price_subsets(int(forms.rules[column]), firsts, seconds, constant)
    if forms.missing[column] >= 0:
        prices[(subsets >> forms.missing[column]) & 1 == 1] = forms.tops[column]
    prices[0] = 0.0
    prices[1 << np.arange(n_leaves)] = forms.prices[leaves]
    return prices


def _even(forms: Forms, column: int, n_leaves: int) -> float:
    adds = forms.adds[0, forms.nodes[column] : forms.nodes[column] + n_leaves]
    even = n_leaves > 0 and forms.rules[column] == LINEAR and bool(np.all(adds == adds[0]))
    return float(adds[0]) if even and forms.missing[column] < 0 else -1.0
