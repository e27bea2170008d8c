"""The distances of columns for which none were given."""

import numpy as np

from shoal.hierarchies.numeric import scaled
from shoal.kernels.metrics import EQUAL, NUMBER
from shoal.metric import Axis, Metric
from shoal.tally import QuasiColumn, Tally


def automatic(tally: Tally) -> Metric:
    """Return the sum of squares of numbers, each in units of its standard deviation, and of categories."""
    return Metric(tally.quasi, tuple(_axis(column, place) for place, column in enumerate(tally.quasi)), squares=True)


def _axis(column: QuasiColumn, place: int) -> Axis:
    values = [str(value) for value in column.hierarchy.values if value is not None]
    numbers = scaled(values)
    if numbers is None or len(values) < column.hierarchy.n_leaves:
        return Axis(EQUAL, (place,), (np.arange(column.hierarchy.n_leaves, dtype=np.float64),), column.weight)
    leaves = np.array([number / numbers[1] for number in numbers[0]])
    mean = np.average(leaves, weights=column.leaf_counts)
    deviation = float(np.sqrt(np.average((leaves - mean) ** 2, weights=column.leaf_counts)))
    return Axis(NUMBER, (place,), (leaves,), column.weight / (deviation or 1.0))
