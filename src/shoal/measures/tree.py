"""The tree measure."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.classes.tally import QuasiColumn
from shoal.measures.measure import CellCosts, CellMeasure
from shoal.tables.hierarchies.hierarchy import Hierarchy


@dataclass(frozen=True, slots=True)
class Tree(CellMeasure):
    """A cell costs the level of its node divided by the level of the root.

    The level of a node is the lowest at which it occurs: in an unbalanced tree a leaf that stays itself for some levels
    costs nothing at any of them, and the root costs 1 however many levels repeat it. A column with one value is all
    root at level 0 and costs nothing to publish.

    Monotone: a node that covers more first occurs at a higher level. With suppression hierarchies the
    measure is `stars`.
    """

    name: ClassVar[str] = "tree"
    reference: ClassVar[str] = "Aggarwal et al. 2005, section 2; Gionis and Tassa 2009, section 4.1"
    words: ClassVar[str] = "how high each cell is in the tree of its column"
    monotone: ClassVar[bool] = True
    weighable: ClassVar[bool] = True

    def costs(self, column: QuasiColumn) -> CellCosts:
        """Divide the levels by the root's."""
        levels = standing_levels(column.hierarchy)
        root = max(float(levels[-1][0]), 1.0)
        return CellCosts(tuple(level / root for level in levels), 1.0)


def standing_levels(hierarchy: Hierarchy) -> tuple[NDArray[np.float64], ...]:
    """Return, for each node of each level, the lowest level at which a node with the same leaves occurs."""
    levels = [np.zeros(hierarchy.n_leaves)]
    for level in range(1, hierarchy.height + 1):
        above = hierarchy.lift(level - 1, level)
        alone = np.bincount(above, minlength=hierarchy.size(level))[above] == 1
        here = np.full(hierarchy.size(level), float(level))
        here[above[alone]] = levels[-1][alone]
        levels.append(here)
    return tuple(levels)
