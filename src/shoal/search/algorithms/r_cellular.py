"""R-cellular: clusters of at least k records that minimize records times radii."""

from dataclasses import dataclass
from typing import ClassVar

from shoal.clusters.searches.cellular import PRIVATE_FACTOR, CellularRequest, finding_of, r_cellular
from shoal.clusters.searches.points import FoundClusters, Points
from shoal.foundation.progress import Progress
from shoal.search.algorithms.cluster_algorithm import CellularAlgorithm


@dataclass(frozen=True, slots=True, kw_only=True)
class RCellular(CellularAlgorithm):
    """Split the records into clusters of at least k; a cluster costs its number of records times its radius.

    Idea: as `cellular`, but a cluster of radius d costs k d in addition: enough to borrow k records from others. Then
    all borrowed records are assigned again. The paper's r is k, the least size that any promise requires.

    Guarantee: at most 36 times the least cost of clusters around records, at most 72 times that of clusters around any
    centres; the bound for the table at hand is far closer. The proof is in `clusters/searches/cellular.py` and
    `clusters/searches/sharing.py`.

    Cost: as `cellular`; then O(n k).

    Args:
        setup: The fixed cost of a cluster, in the unit of distances times records.
        centres: What the bound and the factor are compared with: clusters around `records`, as in the paper, or `any`.
    """

    name: ClassVar[str] = "r-cellular"
    reference: ClassVar[str] = "Aggarwal et al. 2010, Theorem 3.8"

    def found(self, points: Points, k: int, limit: int, deadline: float, tell: Progress) -> FoundClusters:
        """Let the charges grow, open clusters, and assign records."""
        request = CellularRequest(points, k, self.setup, limit, self.centres, deadline, tell)
        return finding_of(r_cellular(request), self.centres, limit, factor=PRIVATE_FACTOR)
