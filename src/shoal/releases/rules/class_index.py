"""Class index: the classes of rules as boxes over the ranks of the columns, to find those that contain a point."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.foundation.parallel import THREADS
from shoal.kernels.rules.stabbing import Boxes, BoxTree, bound_nodes, build_tree, stab
from shoal.releases.rules.domains import CellCovers

_BITS = 64
_BLOCK = 65_536  # points per task of a thread


@dataclass(frozen=True, slots=True, eq=False)
class ClassIndex:
    """A spatial index of classes; those that cover the least are found first.

    Args:
        order: The class of each box.
        boxes: The boxes, over the ranks of the leaves of each column.
        tree: The search tree of the boxes.
    """

    order: NDArray[np.int64]
    boxes: Boxes
    tree: BoxTree

    @classmethod
    def of(cls, covers: Sequence[CellCovers], classes: NDArray[np.int64], weights: Sequence[float]) -> "ClassIndex":
        """Build the index.

        Args:
            covers: The leaves that the cells of each column cover.
            classes: `classes[class, column]`, the cell of each class.
            weights: The weight of each column in the size of a class, which is the sum of the shares of other values
                that its cells cover.
        """
        cost = np.zeros(len(classes))
        for j, (cover, weight) in enumerate(zip(covers, weights, strict=True)):
            cost += weight * ((np.maximum(cover.counts, 1) - 1) / max(len(cover.ranks) - 1, 1))[classes[:, j]]
        order = np.lexsort((np.arange(len(classes)), cost))
        rows = classes[order]
        marked = [j for j, cover in enumerate(covers) if any(map(len, cover.members))]
        group = [-(-len(covers[j].ranks) // _BITS) for j in marked]
        starts = np.cumsum([0, *(len(covers[j].members) for j in marked)]).tolist()
        sets = [part for j in marked for part in covers[j].members]
        none = np.zeros((len(rows), 0), dtype=np.int64)
        marks = [_marks(covers[j], size)[rows[:, j], None] for j, size in zip(marked, group, strict=True)]
        boxes = Boxes(
            low=np.column_stack([cover.low[rows[:, j]] for j, cover in enumerate(covers)]),
            high=np.column_stack([cover.high[rows[:, j]] for j, cover in enumerate(covers)]),
            marked=np.array(marked, dtype=np.int64),
            group=np.array(group, dtype=np.int64),
            marks=np.hstack([none.astype(np.uint64), *marks]),
            cells=np.hstack([none, *(start + rows[:, j, None] for j, start in zip(marked, starts, strict=False))]),
            offsets=np.cumsum([0, *map(len, sets)]).astype(np.int64),
            members=np.concatenate([np.zeros(0, dtype=np.int64), *sets]),
        )
        tree = build_tree(boxes.low, boxes.high, np.array([max(len(cover.ranks), 1) for cover in covers]))
        around = bound_nodes(*tree[:3], boxes.low, boxes.high, boxes.marks)
        return cls(order, boxes, BoxTree(*tree, *around))

    def find(self, points: NDArray[np.int64], alive: NDArray[np.bool_], most: int) -> NDArray[np.int32]:
        """Return the classes that cover each point, the smallest first, and -1 after the last.

        Args:
            points: `points[point, column]`, ranks.
            alive: Which classes may be found.
            most: The most classes for each point.
        """
        found = np.empty((len(points), most), dtype=np.int32)
        living = alive[self.order]

        def part(begin: int) -> None:
            block = slice(begin, begin + _BLOCK)
            stab(points[block], living, self.boxes, self.tree, found[block])

        with ThreadPoolExecutor(THREADS) as pool:
            list(pool.map(part, range(0, len(points), _BLOCK)))
        return np.where(found >= 0, self.order[found], -1).astype(np.int32)


def _marks(cover: CellCovers, group: int) -> NDArray[np.uint64]:
    """Return a bit mask for each cell, with a bit for each group of ranks that it intersects."""
    words = np.zeros(len(cover.low), dtype=np.uint64)
    for at, (low, high, members) in enumerate(zip(cover.low.tolist(), cover.high.tolist(), cover.members, strict=True)):
        if len(members):
            bits = np.unique(members // group).tolist()
            words[at] = np.uint64(sum(1 << bit for bit in bits))
        elif low <= high:
            first, last = low // group, high // group
            words[at] = np.uint64((1 << (last + 1)) - (1 << first))
    return words
