"""Hierarchy: a tree over the values of one column, read level by level or node by node."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from shoal.errors import SpecError
from shoal.hierarchies.tree import Tree

Label = str | None  # None is the missing value: an empty field, never a star


@dataclass(frozen=True, slots=True, eq=False)
class Hierarchy:
    """Every leaf's node at every level: level 0 keeps the value, the last level has one node.

    Each level is a partition of the leaves that refines the next one. An unbalanced tree is read
    this way too: a shallow leaf stays itself until its parent's level is reached.

    Args:
        values: The leaves, by leaf code.
        codes: `codes[level, leaf]` is the code of the leaf's node at that level; `codes[0]` counts up.
        labels: `labels[level][code]` is what is published for that node.
        spans: For numbers, `spans[level][code]` is the width of the node's interval; else None.
    """

    values: tuple[Label, ...]
    codes: NDArray[np.int32]
    labels: tuple[tuple[Label, ...], ...]
    spans: tuple[NDArray[np.float64], ...] | None = None

    @classmethod
    def of_rows(cls, rows: Sequence[Sequence[str]], where: str) -> "Hierarchy":
        """Build from one row per value: the value, then its label at each level up to the top.

        Args:
            rows: All of one length; nodes of a level are told apart by their labels.
            where: What the rows are, for messages, e.g. `hierarchy 'zip.csv' of column 'zip'`.
        """
        check_rows(rows, where)
        codes = np.empty((len(rows[0]), len(rows)), dtype=np.int32)
        labels: list[tuple[str, ...]] = []
        for level in range(len(rows[0])):
            seen: dict[str, int] = {}
            codes[level] = [seen.setdefault(row[level], len(seen)) for row in rows]
            labels.append(tuple(seen))
        return cls(labels[0], codes, tuple(labels))

    @property
    def height(self) -> int:
        """The number of the top level, which is the number of generalization steps."""
        return len(self.labels) - 1

    @property
    def n_leaves(self) -> int:
        """The number of values, the missing one included where there is one."""
        return len(self.values)

    def size(self, level: int) -> int:
        """Return the number of nodes at a level."""
        return len(self.labels[level])

    def leaves(self, level: int) -> NDArray[np.int64]:
        """Return the number of leaves below each node of a level."""
        return np.bincount(self.codes[level], minlength=self.size(level)).astype(np.int64)

    def lift(self, low: int, high: int) -> NDArray[np.int32]:
        """Return, for each node of level `low`, its node at the level `high` above it."""
        lifted = np.empty(self.size(low), dtype=np.int32)
        lifted[self.codes[low]] = self.codes[high]
        return lifted

    def meeting_level(self, first: NDArray[np.int32], second: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return, for pairs of leaf codes, the lowest level at which the two share a node."""
        levels = np.full(np.broadcast(first, second).shape, self.height, dtype=np.int32)
        for level in range(self.height - 1, -1, -1):
            levels[self.codes[level][first] == self.codes[level][second]] = level
        return levels

    def tree(self) -> Tree:
        """Return the same hierarchy node by node, where a node stands once however many levels it spans."""
        return Tree.of_levels(self.codes, self.labels)

    def with_missing(self) -> "Hierarchy":
        """Return the hierarchy with a leaf for the missing value, apart from all others below the top."""
        top = self.height
        added = np.array([[self.size(level)] for level in range(top)] + [[0]], dtype=np.int32)
        spans = self.spans
        if spans is not None:
            spans = (*(np.append(span, 0.0) for span in spans[:top]), spans[top])
        return replace(
            self,
            values=(*self.values, None),
            codes=np.hstack([self.codes, added]),
            labels=(*((*labels, None) for labels in self.labels[:top]), self.labels[top]),
            spans=spans,
        )

    def missing_code(self, level: int) -> int:
        """Return the code of the missing value's own node at a level, or -1 if it has none there."""
        return self.size(level) - 1 if self.labels[level][-1] is None else -1

    def encode(self, values: Sequence[Label], column: str) -> NDArray[np.int32]:
        """Return the leaf codes of `values`; a SpecError counts those that the hierarchy lacks."""
        code_of = {value: code for code, value in enumerate(self.values)}
        codes = np.array([code_of.get(value, -1) for value in values], dtype=np.int32)
        lacking = int(np.count_nonzero(codes < 0))
        if lacking:
            raise SpecError(
                f"The hierarchy of column '{column}' lacks {lacking} of the {len(codes)} different values in the data. "
                "Add a row for each of them to the hierarchy (they are not shown here, since they are data)."
            )
        return codes


def check_rows(rows: Sequence[Sequence[str]], where: str) -> None:
    """Raise a SpecError unless the rows are of one length, each value once, nested, with one top."""
    if not rows:
        raise SpecError(f"The {where} is empty: one row per value is needed, as 'value;level 1;...;*'.")
    for line, row in enumerate(rows, 1):
        if len(row) != len(rows[0]):
            raise SpecError(
                f"Rows of different lengths in the {where}: row 1 has {len(rows[0])} fields, row {line} has {len(row)}."
            )
    if len(rows[0]) < 2:
        raise SpecError(f"The {where} has no level above the values: each row is 'value;level 1;...;*'.")
    _check_duplicates(rows, where)
    _check_nested(rows, where)
    tops: dict[str, int] = {}
    for line, row in enumerate(rows, 1):
        tops.setdefault(row[-1], line)
    if len(tops) > 1:
        first, second = list(tops.values())[:2]
        raise SpecError(
            f"No single top in the {where}: the last level has {len(tops)} different labels (rows {first} and {second} "
            "differ). End every row with the same label, such as '*'."
        )


def _check_duplicates(rows: Sequence[Sequence[str]], where: str) -> None:
    first: dict[str, int] = {}
    for line, row in enumerate(rows, 1):
        if row[0] in first:
            raise SpecError(f"Duplicate value in the {where}: rows {first[row[0]]} and {line} describe the same value.")
        first[row[0]] = line


def _check_nested(rows: Sequence[Sequence[str]], where: str) -> None:
    values = {row[0] for row in rows}
    for level in range(1, len(rows[0]) - 1):
        first: dict[str, int] = {}
        for line, row in enumerate(rows):
            other = rows[first.setdefault(row[level], line)]
            if other[level + 1] != row[level + 1]:
                raise SpecError(
                    f"Levels that are not nested in the {where}: {_node(row[level], level, values)} lies below "
                    f"two nodes of level {level + 1} that so overlap, {_node(other[level + 1], level + 1, values)} in row "
                    f"{first[row[level]] + 1} and {_node(row[level + 1], level + 1, values)} in row {line + 1}."
                )


def _node(label: str, level: int, values: set[str]) -> str:
    """Name a node by its label, unless that label is itself a value of the data."""
    return f"a node of level {level}" if label in values else f"node '{label}' of level {level}"
