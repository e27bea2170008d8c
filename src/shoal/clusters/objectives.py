"""Objectives: the loss of a table whose records are published as the centres of their clusters."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from shoal.measures.measure import Loss

Objective = Literal["radius", "cellular", "distortion", "sse"]

LOWERED: dict[Objective, str] = {
    "radius": "the largest distance of a record from its centre",
    "cellular": "the records of each cluster times its radius, and the cost of each centre",
    "distortion": "the sum of the distances of all records from their centres",
    "sse": "the sum of the squared distances of all records from their centres",
}


@dataclass(frozen=True, slots=True, eq=False)
class Spread:
    """The distances of the records of each cluster from its centre, along each axis and in total.

    Args:
        names: The axes.
        sizes: The number of records of each cluster.
        radii: `radii[cluster, axis]`, the largest distance along each axis; the last column is the total distance.
        sums: The sums of the distances.
        squares: The sums of their squares.
    """

    names: tuple[str, ...]
    sizes: NDArray[np.int64]
    radii: NDArray[np.float64]
    sums: NDArray[np.float64]
    squares: NDArray[np.float64]

    def totals(self, objective: Objective, setup: float = 0.0) -> NDArray[np.float64]:
        """Return the objective along each axis; the last entry is the total.

        `radius`: the largest radius of a cluster. `cellular`: the sum over the clusters of records times radius, plus
        the setup cost of each (Aggarwal et al. 2010, Definition 3.1). `distortion`: the sum of all distances. `sse`:
        the sum of their squares.
        """
        if objective == "radius":
            return self.radii.max(axis=0, initial=0.0)
        if objective == "cellular":
            return self.sizes @ self.radii + np.append(np.zeros(len(self.names)), setup * len(self.sizes))
        return (self.sums if objective == "distortion" else self.squares).sum(axis=0)

    def loss(self, objective: Objective, whole: "Spread", setup: float = 0.0) -> Loss:
        """Return the objective as a loss; its share is relative to the loss of all records in one cluster."""
        *along, total = self.totals(objective, setup).tolist()
        worst = float(whole.totals(objective, setup)[-1])
        share = min(total / worst, 1.0) if worst > 0 else 0.0
        return Loss(objective, total, share, dict(zip(self.names, along, strict=True)))
