"""Vicinity: which points are near each point of a metric space."""

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import kernel
from shoal.kernels.clusters.metrics import Space, fill_distances


@kernel
def introduce(
    space: Space,
    positions: NDArray[np.float64],
    inside: NDArray[np.int64],
    begin: int,
    end: int,
    near: NDArray[np.int32],
    gaps: NDArray[np.float64],
) -> None:
    """Let some points take those of all that are nearer than what they know. O((end - begin) x inside x axes).

    Args:
        space: The metric space.
        positions: Where all points stand.
        inside: Points.
        begin: The first of these that takes some.
        end: Where those that take some end.
        near: `near[point]`, the points that each knows, the nearest first; itself where it knows none yet.
        gaps: How far they are from it; infinitely where it knows none.
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
            for place in range(width):
                if gaps[i, place] > row[b]:
                    break
                known = known or near[i, place] == inside[b]
            if known:
                continue
            place = width - 1
            while place > 0 and gaps[i, place - 1] > row[b]:
                near[i, place], gaps[i, place] = near[i, place - 1], gaps[i, place - 1]
                place -= 1
            near[i, place], gaps[i, place] = inside[b], row[b]
