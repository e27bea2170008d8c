"""The algorithms, by name."""

from typing import TYPE_CHECKING

from shoal.foundation.lazy_imports import offer
from shoal.foundation.shelf import Shelf

if TYPE_CHECKING:  # imported when asked for; the members in the order of the shelf
    # isort: off
    from shoal.search.algorithms.algorithm import Algorithm as Algorithm
    from shoal.search.algorithms.tightest import Tightest as Tightest
    from shoal.search.algorithms.exact import Exact as Exact
    from shoal.search.algorithms.optimal import Optimal as Optimal
    from shoal.search.algorithms.exhaustive import Exhaustive as Exhaustive
    from shoal.search.algorithms.samarati import Samarati as Samarati
    from shoal.search.algorithms.incognito import Incognito as Incognito
    from shoal.search.algorithms.attribute_suppression import AttributeSuppression as AttributeSuppression
    from shoal.search.algorithms.tuple_suppression import TupleSuppression as TupleSuppression
    from shoal.search.algorithms.ag_cs import AgCs as AgCs
    from shoal.search.algorithms.mondrian import Mondrian as Mondrian
    from shoal.search.algorithms.m_approximation import MApproximation as MApproximation
    from shoal.search.algorithms.three_phase import ThreePhase as ThreePhase
    from shoal.search.algorithms.top_down import TopDown as TopDown
    from shoal.search.algorithms.forest import Forest as Forest
    from shoal.search.algorithms.greedy_cover import GreedyCover as GreedyCover
    from shoal.search.algorithms.two_factor_2 import TwoFactor2 as TwoFactor2
    from shoal.search.algorithms.two_factor_3 import TwoFactor3 as TwoFactor3
    from shoal.search.algorithms.optimal_2 import Optimal2 as Optimal2
    from shoal.search.algorithms.k_optimize import KOptimize as KOptimize
    from shoal.search.algorithms.r_gather import RGather as RGather
    from shoal.search.algorithms.r_gather_outliers import RGatherOutliers as RGatherOutliers
    from shoal.search.algorithms.rk_center import RkCenter as RkCenter
    from shoal.search.algorithms.rk_center_outliers import RkCenterOutliers as RkCenterOutliers
    from shoal.search.algorithms.cellular import Cellular as Cellular
    from shoal.search.algorithms.r_cellular import RCellular as RCellular
    from shoal.search.algorithms.r_cellular_outliers import RCellularOutliers as RCellularOutliers
    from shoal.search.algorithms.mdav import Mdav as Mdav
    from shoal.search.algorithms.microaggregation import Microaggregation as Microaggregation
else:
    __getattr__, __dir__ = offer(__name__, "ALGORITHMS")

ALGORITHMS: "Shelf[Algorithm]" = Shelf("algorithm", __name__, "Algorithm")
