"""R-cellular with outliers: clusters of at least k records that minimize records times radii, some records left out."""

from dataclasses import dataclass
from typing import ClassVar

from shoal.clusters.searches.cellular import (
    OUTLIER_FACTOR,
    CellularRequest,
    finding_of,
    r_cellular_outliers,
)
from shoal.clusters.searches.points import FoundClusters, Points
from shoal.foundation.progress import Progress
from shoal.search.algorithms.cluster_algorithm import CellularAlgorithm


@dataclass(frozen=True, slots=True, kw_only=True)
class RCellularOutliers(CellularAlgorithm):
    """Leave out records up to the limit, and split the others into clusters of at least k that cost little.

    Idea: as `r-cellular`, but the charges stop growing once few enough records have not joined: these are left out. The
    radius of the widest cluster of the best clustering has to be guessed, since the last cluster may serve only one of
    the records that paid for it.

    Guarantee: at most 54 times the least cost of clusters around records that leave out as many, at most 108 times that
    of clusters around any centres. The paper says that there is a constant and names none; the proof of this one is in
    `clusters/searches/cellular.py`.

    Cost: that of `r-cellular`, several times.

    Args:
        setup: The fixed cost of a cluster, in the unit of distances times records.
        centres: What the bound and the factor are compared with: clusters around `records`, as in the paper, or `any`.
    """

    name: ClassVar[str] = "r-cellular-outliers"
    reference: ClassVar[str] = "Aggarwal et al. 2010, end of section 3.1; Charikar et al. 2001"
    leaves_out: ClassVar[bool] = True

    def found(self, points: Points, k: int, limit: int, deadline: float, tell: Progress) -> FoundClusters:
        """Guess, let the charges grow, open clusters, assign records; return the best of all guesses."""
        request = CellularRequest(points, k, self.setup, limit, self.centres, deadline, tell)
        found = r_cellular_outliers(request)
        return finding_of(found, self.centres, limit, factor=OUTLIER_FACTOR, leaves_out=True)
