"""The nearest neighbours of each point of a metric space."""

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import kernel
from shoal.kernels.clusters.metrics import Space, fill_distances


@kernel
def update_neighbours(
    space: Space,
    positions: NDArray[np.float64],
    inside: NDArray[np.int64],
    begin: int,
    end: int,
    near: NDArray[np.int32],
    gaps: NDArray[np.float64],
) -> None:
    """Compare points `begin` to `end` of a list with all of it, and keep the nearest. O((end - begin) x inside x axes).

    Args:
        space: The metric space.
        positions: The position of each point.
        inside: The list of points.
        begin: The first point of the list whose neighbours are updated.
        end: Where these end.
        near: `near[point]`, the nearest neighbours known so far, the nearest first; the point itself where none is
            known.
        gaps: Their distances; infinite where none is known.
    """
    here = np.empty((positions.shape[0], inside.shape[0]))
    for r in range(positions.shape[0]):
        for p in range(inside.shape[0]):
            here[r, p] = positions[r, inside[p]]
    row = np.empty(inside.shape[0])
    width = near.shape[1]
    for a in range(begin, end):
        i = inside[a]
        fill_distances(space, here, a, here, row)
        for b in range(inside.shape[0]):
            if row[b] >= gaps[i, width - 1] or b == a:
                continue
            known = False
            for rank in range(width):
                if gaps[i, rank] > row[b]:
                    break
                known = known or near[i, rank] == inside[b]
            if known:
                continue
            slot = width - 1
            while slot > 0 and gaps[i, slot - 1] > row[b]:
                near[i, slot], gaps[i, slot] = near[i, slot - 1], gaps[i, slot - 1]
                slot -= 1
            near[i, slot], gaps[i, slot] = inside[b], row[b]
