"""Recoding: what each class is published as."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.hierarchies.hierarchy import STAR, Label
from shoal.tally import QuasiColumn


@dataclass(frozen=True, slots=True, eq=False)
class Recoding:
    """For each class and quasi column, a node of the column's hierarchy.

    Args:
        columns: The quasi columns.
        levels: `levels[class, column]`, the level of the node.
        codes: `codes[class, column]`, its code at that level.
    """

    columns: tuple[QuasiColumn, ...]
    levels: NDArray[np.int32]
    codes: NDArray[np.int32]

    @property
    def n_classes(self) -> int:
        """The number of classes."""
        return self.levels.shape[0]

    def pick(self, number: int, by_level: tuple[NDArray[np.float64], ...]) -> NDArray[np.float64]:
        """Return, for each class, the entry of `by_level[level][code]` at its node of one column."""
        picked = np.empty(self.n_classes, dtype=np.float64)
        for level in np.unique(self.levels[:, number]):
            here = self.levels[:, number] == level
            picked[here] = by_level[level][self.codes[here, number]]
        return picked

    def missing_codes(self) -> NDArray[np.int32]:
        """Return, for each class and column, the code that the missing value has at that level, or -1."""
        missing = np.full(self.codes.shape, -1, dtype=np.int32)
        for number, column in enumerate(self.columns):
            for level in np.unique(self.levels[:, number]):
                missing[self.levels[:, number] == level, number] = column.hierarchy.missing_code(int(level))
        return missing

    def star_codes(self) -> NDArray[np.int32]:
        """Return the codes of a starred record among the classes of one level a column; -2 where none shows a star."""
        shown = [column.hierarchy.labels[level] for column, level in zip(self.columns, self.levels[0], strict=True)]
        return np.array([0 if labels == (STAR,) else -2 for labels in shown], dtype=np.int32)

    def published(self, number: int) -> tuple[list[Label], NDArray[np.int32]]:
        """Return the labels that are published in one column, and which of them each class shows."""
        nodes = np.stack([self.levels[:, number], self.codes[:, number]], axis=1)
        found, shown = np.unique(nodes, axis=0, return_inverse=True)
        labels = self.columns[number].hierarchy.labels
        return [labels[level][code] for level, code in found], shown.reshape(-1).astype(np.int32)
