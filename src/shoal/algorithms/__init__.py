"""The algorithms, by name."""

from shoal.algorithms.algorithm import Algorithm
from shoal.algorithms.attribute_suppression import AttributeSuppression
from shoal.algorithms.cellular import Cellular
from shoal.algorithms.exact import Exact
from shoal.algorithms.exhaustive import Exhaustive
from shoal.algorithms.forest import Forest
from shoal.algorithms.greedy_cover import GreedyCover
from shoal.algorithms.incognito import Incognito
from shoal.algorithms.k_optimize import KOptimize
from shoal.algorithms.m_approximation import MApproximation
from shoal.algorithms.mdav import Mdav
from shoal.algorithms.microaggregation import Microaggregation
from shoal.algorithms.mondrian import Mondrian
from shoal.algorithms.optimal import Optimal
from shoal.algorithms.optimal_2 import Optimal2
from shoal.algorithms.r_cellular import RCellular
from shoal.algorithms.r_cellular_outliers import RCellularOutliers
from shoal.algorithms.r_gather import RGather
from shoal.algorithms.r_gather_outliers import RGatherOutliers
from shoal.algorithms.rk_center import RkCenter
from shoal.algorithms.rk_center_outliers import RkCenterOutliers
from shoal.algorithms.samarati import Samarati
from shoal.algorithms.tightest import Tightest
from shoal.algorithms.top_down import TopDown
from shoal.algorithms.tuple_suppression import TupleSuppression
from shoal.algorithms.two_factor_2 import TwoFactor2
from shoal.algorithms.two_factor_3 import TwoFactor3
from shoal.shelf import Shelf

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
