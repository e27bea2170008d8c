"""Hierarchy: a tree over the values of one column, read level by level or node by node."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from shoal.foundation.errors import SpecError
from shoal.tables.hierarchies.grid_cells import GridCells
from shoal.tables.hierarchies.tree import NodeTree, depths

STAR = "*"  # the published text of a suppressed value
Form = Literal["tree", "ranges", "sets"]
Label = str | None  # None is the missing value: an empty field, never a star


@dataclass(frozen=True, slots=True, eq=False)
class Hierarchy:
    """A generalization hierarchy: the node of every leaf at every level, from the values to a single top node.

    Each level is a partition of the leaves that refines the next one. An unbalanced tree has the same form: a shallow
    leaf stays itself up to the level of its parent.

    Args:
        values: The leaves, by leaf code.
        codes: `codes[level, leaf]` is the code of the leaf's node at that level; `codes[0]` is 0, 1, 2, ...
        labels: `labels[level][code]` is the published label of that node.
        spans: For numbers, `spans[level][code]` is the width of the node's interval; else None.
        form: The cells that local recoding may publish: a node of the `tree`, any range of consecutive leaves
            (`ranges`), or any set of leaves (`sets`). A class with both missing and other values is published as the
            top.
        positions: For ranges of numbers, the distance of each leaf from the least number; a missing value has the last.
        grid: For ranges of numbers or days, the public cells at whose ends a range of several values ends; else None.
    """

    values: tuple[Label, ...]
    codes: NDArray[np.int32]
    labels: tuple[tuple[Label, ...], ...]
    spans: tuple[NDArray[np.float64], ...] | None = None
    form: Form = "tree"
    positions: NDArray[np.float64] | None = None
    grid: GridCells | None = None
    _tree: NodeTree | None = field(default=None, init=False, repr=False)

    @classmethod
    def of_rows(cls, rows: Sequence[Sequence[str]], where: str, numbers: Sequence[int] | None = None) -> "Hierarchy":
        """Build from one row per value: the value, then its label at each level up to the top.

        Args:
            rows: The rows, all of one length; the nodes of a level are identified by their labels.
            where: The name of the rows, for messages, e.g. `hierarchy 'zip.csv' of column 'zip'`.
            numbers: The number of each row, for messages; counted from 1 by default.
        """
        check_rows(rows, where, numbers if numbers is not None else range(1, len(rows) + 1))
        numbered = [_numbered([row[level] for row in rows]) for level in range(len(rows[0]))]
        return cls(numbered[0][1], np.stack([codes for codes, _ in numbered]), tuple(labels for _, labels in numbered))

    @classmethod
    def below_star(
        cls,
        values: Sequence[str],
        levels: Sequence[Sequence[str]],
        widths: Sequence[Sequence[float]] | None = None,
    ) -> "Hierarchy":
        """Build from the labels of the levels between the values and the star; the levels must nest.

        A column without values gets an empty level 0, and the star.

        Args:
            values: The leaves, in their order.
            levels: For each level above the values, the label of each leaf's node, which identifies it.
            widths: For numbers, the width of each leaf's node at the same levels, then that of the star.
        """
        between = levels if values else []
        numbered = [_numbered(values), *(_numbered(level) for level in between)]
        codes = np.stack([*(codes for codes, _ in numbered), np.zeros(len(values), dtype=np.int32)])
        labels = (*(labels for _, labels in numbered), ("*",))
        spans = None
        if widths is not None:
            spans = tuple(np.zeros(len(names)) for names in labels)
            for level, width in enumerate(widths[: len(between)], 1):
                spans[level][codes[level]] = width
            spans[-1][:] = widths[-1]
        return cls(tuple(values), codes, labels, spans)

    @classmethod
    def of_parents(
        cls,
        n_leaves: int,
        parent: NDArray[np.int32],
        labels: Sequence[Label],
        where: str,
        widths: NDArray[np.float64] | None = None,
    ) -> "Hierarchy":
        """Build from a tree, balanced or not: a shallow leaf stays itself up to the level of its parent.

        Args:
            n_leaves: The number of leaves, which are the first nodes.
            parent: The parent of each node, which has a higher number; the root is the last node and its own parent.
            labels: The published label of each node.
            where: The name of the tree, for messages.
            widths: For numbers, the width of each node.
        """
        depth = depths(parent)
        height = max(int(depth[:n_leaves].max(initial=0)), 1)
        nodes = np.arange(n_leaves, dtype=np.int32)
        codes = np.empty((height + 1, n_leaves), dtype=np.int32)
        found = []
        for level in range(height + 1):
            nodes = np.where(depth[nodes] > height - level, parent[nodes], nodes)
            codes[level], at = _by_appearance(nodes)
            found.append(at)
            if len({labels[node] for node in at}) < len(at):
                raise SpecError(
                    f"Two nodes of level {level} of the {where} have the same label, so that a release could not tell "
                    "them apart. Give them different labels."
                )
        names = tuple(tuple(labels[node] for node in at) for at in found)
        spans = None if widths is None else tuple(widths[at] for at in found)
        return cls(names[0], codes, names, spans)

    @property
    def height(self) -> int:
        """The index of the top level, which is the number of generalization steps."""
        return len(self.labels) - 1

    @property
    def n_leaves(self) -> int:
        """The number of values, the missing one included if there is one."""
        return len(self.values)

    def size(self, level: int) -> int:
        """Return the number of nodes at a level."""
        return len(self.labels[level])

    def leaves(self, level: int) -> NDArray[np.int64]:
        """Return the number of leaves below each node of a level."""
        return np.bincount(self.codes[level], minlength=self.size(level)).astype(np.int64)

    def lift(self, low: int, high: int) -> NDArray[np.int32]:
        """Return, for each node of level `low`, the code of its ancestor at level `high`."""
        lifted = np.zeros(self.size(low), dtype=np.int32)
        lifted[self.codes[low]] = self.codes[high]
        return lifted

    def meeting_level(self, first: NDArray[np.int32], second: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return, for pairs of leaf codes, the lowest level at which the two share a node."""
        levels = np.full(np.broadcast(first, second).shape, self.height, dtype=np.int32)
        for level in range(self.height - 1, -1, -1):
            levels[self.codes[level][first] == self.codes[level][second]] = level
        return levels

    def tree(self) -> NodeTree:
        """Return the tree of the hierarchy, in which a node that spans several levels occurs once; it is made once."""
        if self._tree is None:
            object.__setattr__(self, "_tree", NodeTree.of_levels(self.codes, self.labels))
        assert self._tree is not None  # noqa: S101  (set above)
        return self._tree

    def with_missing(self) -> "Hierarchy":
        """Return the hierarchy with a leaf for the missing value, directly below the top."""
        return self.with_apart([None])

    def with_apart(self, values: Sequence[Label]) -> "Hierarchy":
        """Return the hierarchy with more leaves, each directly below the top."""
        top, n = self.height, len(values)
        added = np.array(
            [[self.size(level) + place for place in range(n)] for level in range(top)] + [[0] * n], dtype=np.int32
        )
        spans, positions = self.spans, self.positions
        if spans is not None:
            spans = (*(np.append(span, np.zeros(n)) for span in spans[:top]), spans[top])
        if positions is not None:
            positions = np.append(positions, np.full(n, positions.max(initial=0.0)))
        grid = None if self.grid is None else self.grid.with_apart(values)
        return replace(
            self,
            values=(*self.values, *values),
            codes=np.hstack([self.codes, added.reshape(top + 1, n)]),
            labels=(*((*labels, *values) for labels in self.labels[:top]), self.labels[top]),
            spans=spans,
            positions=positions,
            grid=grid,
        )

    @property
    def edges(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """For each leaf, the first leaf that a range from it covers, and the last one that a range up to it covers."""
        leaves = np.arange(self.n_leaves, dtype=np.int32)
        return (leaves, leaves) if self.grid is None else (self.grid.firsts, self.grid.lasts)

    @property
    def places(self) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
        """For ranges of numbers, where a range from each leaf begins, and where one up to it ends; else None."""
        if self.grid is not None:
            return self.grid.low[self.grid.cell], self.grid.high[self.grid.cell]
        return None if self.positions is None else (self.positions, self.positions)

    @property
    def missing_leaf(self) -> int:
        """The code of the missing value, or -1 if there is none."""
        return self.n_leaves - 1 if self.values and self.values[-1] is None else -1

    def encode(self, values: Sequence[Label], column: str) -> NDArray[np.int32]:
        """Return the leaf codes of `values`; a SpecError counts those that the hierarchy lacks."""
        code_of = {value: code for code, value in enumerate(self.values)}
        codes = np.array([code_of.get(value, -1) for value in values], dtype=np.int32)
        lacking = int(np.count_nonzero(codes < 0))
        if lacking:
            raise SpecError(
                f"The hierarchy of column '{column}' lacks {lacking} of the {len(codes)} different values in the data. "
                "Add them to the hierarchy (they are not shown here, since they are data; 'shoal hierarchy' names "
                "them)."
            )
        return codes


def _numbered(labels: Sequence[str]) -> tuple[NDArray[np.int32], tuple[str, ...]]:
    """Number the distinct labels in the order of appearance."""
    seen: dict[str, int] = {}
    codes = [seen.setdefault(label, len(seen)) for label in labels]
    return np.array(codes, dtype=np.int32), tuple(seen)


def _by_appearance(nodes: NDArray[np.int32]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Number the distinct nodes in the order of appearance, and return them by number."""
    different, first, codes = np.unique(nodes, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty(len(order), dtype=np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    return rank[codes], different[order]


def check_rows(rows: Sequence[Sequence[str]], where: str, numbers: Sequence[int]) -> None:
    """Raise a SpecError unless the rows are of one length, each value once, nested, with one top."""
    if not rows:
        raise SpecError(f"The {where} is empty: one row per value is needed, as 'value;level 1;...;*'.")
    _check_fields(rows, where, numbers)
    first: dict[str, int] = {}
    for number, row in zip(numbers, rows, strict=True):
        if first.setdefault(row[0], number) != number:
            raise SpecError(
                f"Duplicate value in the {where}: rows {first[row[0]]} and {number} describe the same value."
            )
    _check_nested(rows, where, numbers)
    tops: dict[str, int] = {}
    for number, row in zip(numbers, rows, strict=True):
        tops.setdefault(row[-1], number)
    if len(tops) > 1:
        one, other = list(tops.values())[:2]
        raise SpecError(
            f"No single top in the {where}: the last level has {len(tops)} different labels (rows {one} and {other} "
            "differ). End every row with the same label, such as '*'."
        )


def _check_fields(rows: Sequence[Sequence[str]], where: str, numbers: Sequence[int]) -> None:
    for number, row in zip(numbers, rows, strict=True):
        if len(row) != len(rows[0]):
            raise SpecError(
                f"Rows of different lengths in the {where}: row {numbers[0]} has {len(rows[0])} fields, "
                f"row {number} has {len(row)}."
            )
        if "" in row:
            raise SpecError(
                f"Empty field in the {where}: field {row.index('') + 1} of row {number}. An empty field is published "
                "as a missing value: give the node a label. The missing value itself needs no row."
            )
    if len(rows[0]) < 2:
        raise SpecError(f"The {where} has no level above the values: each row is 'value;level 1;...;*'.")


def _check_nested(rows: Sequence[Sequence[str]], where: str, numbers: Sequence[int]) -> None:
    values = {row[0] for row in rows}
    for level in range(1, len(rows[0]) - 1):
        first: dict[str, int] = {}
        for i, row in enumerate(rows):
            j = first.setdefault(row[level], i)
            other = rows[j]
            if other[level + 1] != row[level + 1]:
                raise SpecError(
                    f"Levels that are not nested in the {where}: {_node(row[level], level, values)} lies below "
                    f"two nodes of level {level + 1} that so overlap, {_node(other[level + 1], level + 1, values)} "
                    f"in row {numbers[j]} and {_node(row[level + 1], level + 1, values)} in row {numbers[i]}."
                )


def _node(label: str, level: int, values: set[str]) -> str:
    """Return the name of a node for messages: its label, unless that is a value of the data."""
    return f"a node of level {level}" if label in values else f"node '{label}' of level {level}"
