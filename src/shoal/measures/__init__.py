"""The measures of information loss, by name."""

from typing import TYPE_CHECKING

from shoal.foundation.lazy_imports import offer
from shoal.foundation.shelf import Shelf

if TYPE_CHECKING:  # imported when asked for; the members in the order of the shelf
    # isort: off
    from shoal.measures.measure import CellCosts as CellCosts
    from shoal.measures.measure import CellMeasure as CellMeasure
    from shoal.measures.measure import ClassMeasure as ClassMeasure
    from shoal.measures.measure import ClassSumMeasure as ClassSumMeasure
    from shoal.measures.measure import Loss as Loss
    from shoal.measures.measure import Measure as Measure
    from shoal.measures.lm import Lm as Lm
    from shoal.measures.ncp import Ncp as Ncp
    from shoal.measures.stars import Stars as Stars
    from shoal.measures.tree import Tree as Tree
    from shoal.measures.entropy import Entropy as Entropy
    from shoal.measures.monotone_entropy import MonotoneEntropy as MonotoneEntropy
    from shoal.measures.nonuniform_entropy import NonuniformEntropy as NonuniformEntropy
    from shoal.measures.absolute_distance import AbsoluteDistance as AbsoluteDistance
    from shoal.measures.relative_distance import RelativeDistance as RelativeDistance
    from shoal.measures.precision import Precision as Precision
    from shoal.measures.discernibility import Discernibility as Discernibility
    from shoal.measures.class_size import ClassSize as ClassSize
    from shoal.measures.distribution import Distribution as Distribution
    from shoal.measures.suppression import Suppression as Suppression
    from shoal.measures.ambiguity import Ambiguity as Ambiguity
    from shoal.measures.classification import Classification as Classification
    from shoal.measures.balanced_lm import BalancedLm as BalancedLm
    from shoal.measures.geometric_mean import GeometricMean as GeometricMean
    from shoal.measures.a_posteriori import APosteriori as APosteriori
    from shoal.measures.profitability import Profitability as Profitability
else:
    __getattr__, __dir__ = offer(__name__, "MEASURES")

MEASURES: "Shelf[Measure]" = Shelf("measure", __name__, "Measure")
