"""The measures of information loss, by name."""

from shoal.foundation.shelf import Shelf
from shoal.measures.absolute_distance import AbsoluteDistance
from shoal.measures.ambiguity import Ambiguity
from shoal.measures.class_size import ClassSize
from shoal.measures.classification import Classification
from shoal.measures.discernibility import Discernibility
from shoal.measures.distribution import Distribution
from shoal.measures.entropy import Entropy
from shoal.measures.lm import Lm
from shoal.measures.measure import CellCosts, CellMeasure, ClassMeasure, ClassSumMeasure, Loss, Measure
from shoal.measures.monotone_entropy import MonotoneEntropy
from shoal.measures.ncp import Ncp
from shoal.measures.nonuniform_entropy import NonuniformEntropy
from shoal.measures.precision import Precision
from shoal.measures.relative_distance import RelativeDistance
from shoal.measures.stars import Stars
from shoal.measures.suppression import Suppression
from shoal.measures.tree import Tree

MEASURES: Shelf[Measure] = Shelf(
    "measure",
    "measures",
    [
        Lm,
        Ncp,
        Stars,
        Tree,
        Entropy,
        MonotoneEntropy,
        NonuniformEntropy,
        AbsoluteDistance,
        RelativeDistance,
        Precision,
        Discernibility,
        ClassSize,
        Distribution,
        Suppression,
        Ambiguity,
        Classification,
    ],
)

__all__ = [
    "MEASURES",
    "AbsoluteDistance",
    "Ambiguity",
    "CellCosts",
    "CellMeasure",
    "ClassMeasure",
    "ClassSize",
    "ClassSumMeasure",
    "Classification",
    "Discernibility",
    "Distribution",
    "Entropy",
    "Lm",
    "Loss",
    "Measure",
    "MonotoneEntropy",
    "Ncp",
    "NonuniformEntropy",
    "Precision",
    "RelativeDistance",
    "Stars",
    "Suppression",
    "Tree",
]
