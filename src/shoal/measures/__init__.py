"""The measures of information loss, by name."""

from shoal.measures.lm import Lm
from shoal.measures.measure import Measure
from shoal.shelf import Shelf

MEASURES: Shelf[Measure] = Shelf(
    "measure",
    "measures",
    [
        Lm,
    ],
)
