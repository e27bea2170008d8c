"""The algorithms, by name."""

from shoal.foundation.shelf import Shelf
from shoal.search.algorithms.algorithm import Algorithm
from shoal.search.algorithms.attribute_suppression import AttributeSuppression
from shoal.search.algorithms.cellular import Cellular
from shoal.search.algorithms.exact import Exact
from shoal.search.algorithms.exhaustive import Exhaustive
from shoal.search.algorithms.forest import Forest
from shoal.search.algorithms.greedy_cover import GreedyCover
from shoal.search.algorithms.incognito import Incognito
from shoal.search.algorithms.k_optimize import KOptimize
from shoal.search.algorithms.m_approximation import MApproximation
from shoal.search.algorithms.mdav import Mdav
from shoal.search.algorithms.microaggregation import Microaggregation
from shoal.search.algorithms.mondrian import Mondrian
from shoal.search.algorithms.optimal import Optimal
from shoal.search.algorithms.optimal_2 import Optimal2
from shoal.search.algorithms.r_cellular import RCellular
from shoal.search.algorithms.r_cellular_outliers import RCellularOutliers
from shoal.search.algorithms.r_gather import RGather
from shoal.search.algorithms.r_gather_outliers import RGatherOutliers
from shoal.search.algorithms.rk_center import RkCenter
from shoal.search.algorithms.rk_center_outliers import RkCenterOutliers
from shoal.search.algorithms.samarati import Samarati
from shoal.search.algorithms.tightest import Tightest
from shoal.search.algorithms.top_down import TopDown
from shoal.search.algorithms.tuple_suppression import TupleSuppression
from shoal.search.algorithms.two_factor_2 import TwoFactor2
from shoal.search.algorithms.two_factor_3 import TwoFactor3

__all__ = [
    "ALGORITHMS",
    "Algorithm",
    "AttributeSuppression",
    "Cellular",
    "Exact",
    "Exhaustive",
    "Forest",
    "GreedyCover",
    "Incognito",
    "KOptimize",
    "MApproximation",
    "Mdav",
    "Microaggregation",
    "Mondrian",
    "Optimal",
    "Optimal2",
    "RCellular",
    "RCellularOutliers",
    "RGather",
    "RGatherOutliers",
    "RkCenter",
    "RkCenterOutliers",
    "Samarati",
    "Tightest",
    "TopDown",
    "TupleSuppression",
    "TwoFactor2",
    "TwoFactor3",
]

ALGORITHMS: Shelf[Algorithm] = Shelf(
    "algorithm",
    "algorithms",
    [
        Tightest,
        Exact,
        Optimal,
        Exhaustive,
        Samarati,
        Incognito,
        AttributeSuppression,
        TupleSuppression,
        Mondrian,
        MApproximation,
        TopDown,
        Forest,
        GreedyCover,
        TwoFactor2,
        TwoFactor3,
        Optimal2,
        KOptimize,
        RGather,
        RGatherOutliers,
        RkCenter,
        RkCenterOutliers,
        Cellular,
        RCellular,
        RCellularOutliers,
        Mdav,
        Microaggregation,
    ],
)
