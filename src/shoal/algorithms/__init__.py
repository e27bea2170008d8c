"""The algorithms, by name."""

from shoal.algorithms.algorithm import Algorithm
from shoal.algorithms.attribute_suppression import AttributeSuppression
from shoal.algorithms.exhaustive import Exhaustive
from shoal.algorithms.incognito import Incognito
from shoal.algorithms.optimal import Optimal
from shoal.algorithms.samarati import Samarati
from shoal.algorithms.tuple_suppression import TupleSuppression
from shoal.shelf import Shelf

__all__ = [
    "ALGORITHMS",
    "Algorithm",
    "AttributeSuppression",
    "Exhaustive",
    "Incognito",
    "Optimal",
    "Samarati",
    "TupleSuppression",
]

ALGORITHMS: Shelf[Algorithm] = Shelf(
    "algorithm",
    "algorithms",
    [
        Optimal,
        Exhaustive,
        Samarati,
        Incognito,
        AttributeSuppression,
        TupleSuppression,
    ],
)
