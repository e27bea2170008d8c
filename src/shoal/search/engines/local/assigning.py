"""Assigning: the class of each record, by how many records of each point go to each class."""

import numpy as np
from numpy.typing import NDArray

from shoal.search.engines.engine import Counted
from shoal.search.engines.placement import placed
from shoal.search.problem import Solution
from shoal.tables.table import Table


def assigned(
    table: Table,
    counted: Counted[NDArray[np.int32]],
    solution: Solution,
    rng: np.random.Generator,
    *,
    blindly: bool = False,
) -> NDArray[np.int32]:
    """Return the class of each record, or -1 if it is suppressed; see `placed`."""
    return placed(table, counted, solution, rng, blindly=blindly).classes
