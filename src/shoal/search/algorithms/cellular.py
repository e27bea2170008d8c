"""Cellular: clusters of any size that minimize records times radii, each with a fixed cost."""

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from shoal.clusters.searches.cellular import FACTOR, cellular, finding_of
from shoal.clusters.searches.points import FoundClusters, Points
from shoal.foundation.progress import Progress
from shoal.search.algorithms.cluster_algorithm import CellularAlgorithm


@dataclass(frozen=True, slots=True, kw_only=True)
class Cellular(CellularAlgorithm):
    """Split the records into clusters of any size; a cluster costs its records times its radius, plus `setup`.

    Idea (primal-dual): the charge of every record grows, for all alike, until the records around some centre have paid
    for a cluster there: a radius each, and together its setup. These join it, and are charged no more. So the sum of
    all charges is a lower bound. The clusters that were paid for are thinned out until no record pays for two, or kept,
    if that is cheaper.

    Guarantee: at most 3 times the least cost of clusters around records, at most 6 times that of clusters around any
    centres. The proof is in `clusters/searches/cellular.py`.

    Clusters may have a single record, which is no privacy by itself. `r-cellular` has a least size.

    Cost: O(n^2 log n) for n distinct points, to sort their distances; then mostly less. Memory: 12 n^2 bytes, at most 2
    GB.

    Args:
        setup: The fixed cost of a cluster, in the unit of distances times records. The larger it is, the fewer
            clusters.
        centres: What the bound and the factor are compared with: clusters around `records`, as in the paper, or `any`.
    """

    name: ClassVar[str] = "cellular"
    reference: ClassVar[str] = "Aggarwal et al. 2010, Theorem 3.5"

    setup: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 1.0

    def found(self, points: Points, k: int, limit: int, deadline: float, tell: Progress) -> FoundClusters:
        """Let the charges grow, and open clusters."""
        setup = np.full(len(points), self.setup)
        opened = cellular(points, setup, limit=limit, centres=self.centres, deadline=deadline, tell=tell)
        return finding_of(opened, self.centres, limit, factor=FACTOR)
