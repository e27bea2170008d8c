"""Recoding: the cells that are published for each class."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from shoal.classes.tally import QuasiColumn
from shoal.foundation.errors import SpecError
from shoal.tables.hierarchies.hierarchy import STAR, Hierarchy, Label


@dataclass(frozen=True, slots=True, eq=False)
class Subsets:
    """Subsets of a column's values, each with the label that is published for it.

    Each subset has a node of the column's hierarchy, the lowest that covers it. Most subsets are equal to that node; a
    range or a set need not be, and then lists its values itself.

    Args:
        labels: The texts, all different.
        levels: The level of each subset's node.
        codes: The code of the node at that level.
        offsets: The start of each subset's values in `members`, if some subsets are not nodes; a node lists none.
        members: The leaf codes of ranges and sets, ascending; of a range only the first and the last.
    """

    labels: tuple[Label, ...]
    levels: NDArray[np.int32]
    codes: NDArray[np.int32]
    offsets: NDArray[np.int64] | None = None
    members: NDArray[np.int32] | None = None

    @classmethod
    def of_level(cls, hierarchy: Hierarchy, level: int) -> "Subsets":
        """Return all nodes of one level."""
        size = hierarchy.size(level)
        return cls(hierarchy.labels[level], np.full(size, level, dtype=np.int32), np.arange(size, dtype=np.int32))

    @classmethod
    def of_nodes(cls, hierarchy: Hierarchy, nodes: Sequence[int], column: str) -> "Subsets":
        """Return nodes of the hierarchy's tree, each at the lowest level at which it occurs."""
        tree = hierarchy.tree()
        levels, codes = standing(hierarchy)
        labels = tuple(tree.labels[node] for node in nodes)
        if len(set(labels)) < len(labels):
            raise SpecError(
                f"Two nodes of different levels in the hierarchy of column '{column}' have the same label, so that a "
                "release with nodes of several levels could not tell them apart. Give them different labels."
            )
        chosen = np.array(nodes, dtype=np.int64)
        return cls(labels, levels[chosen], codes[chosen])

    def __len__(self) -> int:
        return len(self.labels)

    def pick(self, by_level: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
        """Return the entry of `by_level[level][code]` at each subset's node."""
        picked = np.empty(len(self), dtype=np.float64)
        for level in np.unique(self.levels):
            here = self.levels == level
            picked[here] = by_level[level][self.codes[here]]
        return picked

    def leaves(self, hierarchy: Hierarchy) -> NDArray[np.int64]:
        """Return the number of values that each subset covers."""
        below = [hierarchy.leaves(level).astype(np.float64) for level in range(hierarchy.height + 1)]
        covered = self.pick(below).astype(np.int64)
        if self.offsets is None or self.members is None:
            return covered
        named = np.diff(self.offsets) > 0
        if hierarchy.form == "ranges":
            spans = self.members[self.offsets[1:][named] - 1] - self.members[self.offsets[:-1][named]]
            covered[named] = spans + 1
        else:
            covered[named] = np.diff(self.offsets)[named]
        return covered

    def place(self, label: Label, absent: int) -> int:
        """Return the index of a label, or `absent` if there is none."""
        return self.labels.index(label) if label in self.labels else absent


def standing(hierarchy: Hierarchy) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return, for each node of the hierarchy's tree, the lowest level at which it occurs, and its code there."""
    tree = hierarchy.tree()
    levels = np.zeros(len(tree.parent), dtype=np.int32)
    codes = np.zeros(len(tree.parent), dtype=np.int32)
    for level in range(hierarchy.height, -1, -1):
        levels[tree.node_at[level]] = level
        codes[tree.node_at[level]] = np.arange(hierarchy.size(level), dtype=np.int32)
    return levels, codes


@dataclass(frozen=True, slots=True, eq=False)
class Recoding:
    """For each class and quasi column, a subset of the column's values.

    Args:
        columns: The quasi columns.
        shown: For each column, the subsets that are published in it.
        cells: `cells[class, column]`, the index of the subset that is published for the class.
    """

    columns: tuple[QuasiColumn, ...]
    shown: tuple[Subsets, ...]
    cells: NDArray[np.int32]

    @classmethod
    def full_domain(
        cls, columns: tuple[QuasiColumn, ...], levels: Sequence[int], cells: NDArray[np.int32]
    ) -> "Recoding":
        """Return a full-domain recoding, with one level for each column; `cells` are the codes at these levels."""
        pairs = zip(columns, levels, strict=True)
        return cls(columns, tuple(Subsets.of_level(column.hierarchy, level) for column, level in pairs), cells)

    @property
    def n_classes(self) -> int:
        """The number of classes."""
        return self.cells.shape[0]

    def only(self, kept: NDArray[np.bool_]) -> "Recoding":
        """Return some of the classes."""
        return replace(self, cells=self.cells[kept])

    def missing_cells(self) -> NDArray[np.int32]:
        """Return, for each column, the cell of the missing value alone, or -1."""
        return np.array([subsets.place(None, -1) for subsets in self.shown], dtype=np.int32)

    def star_cells(self) -> NDArray[np.int32]:
        """Return, for each column, the cell of the star, or -2 if no class has one."""
        return np.array([subsets.place(STAR, -2) for subsets in self.shown], dtype=np.int32)

    def published(self, number: int) -> tuple[list[Label], NDArray[np.int32]]:
        """Return the labels that are published in one column, and the index of each class's label."""
        cells, labels = self.cells[:, number], self.shown[number].labels
        used = np.zeros(len(labels), dtype=np.bool_)
        used[cells] = True
        place = np.cumsum(used, dtype=np.int32) - 1
        return [labels[cell] for cell in np.flatnonzero(used)], place[cells]
