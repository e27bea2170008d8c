"""How far the share of a sensitive value in a release can go, if only so many records may be suppressed."""

import numpy as np
from numpy.typing import NDArray

from shoal.classes.grouping import Grouping
from shoal.models.model import ShareRanges

_ROUNDING = 1e-12  # far above that of a few sums; the ranges are widened by it
_MOST_ENTRIES = 5_000_000  # of the table of counts; beyond that nothing is claimed


class ReleaseShares:
    """The counts of one sensitive column in each class, and the shares that a release of some classes may have.

    Args:
        groups: All classes.
        column: The sensitive column.
    """

    def __init__(self, groups: Grouping, column: str) -> None:
        found = groups.histogram(column)
        self._rates = found.dense()
        self._sizes = found.sizes.astype(np.float64)

    @staticmethod
    def can_tell(groups: Grouping, column: str) -> bool:
        """Return whether the table of counts is small enough."""
        values = next(len(one.values) for one in groups.sensitive if one.name == column)
        return groups.n_classes * values <= _MOST_ENTRIES

    def ranges(self, kept: NDArray[np.bool_], droppable: NDArray[np.bool_], spare: int) -> ShareRanges:
        """Return the range of the share of any set of values, whichever classes are suppressed.

        Of all ways to remove d records of classes, parts of them included, that which takes the classes with the lowest
        rate of a set first removes the fewest records with a value of it. So the largest share is found by removing
        classes in this order; the least in the opposite order.

        Args:
            kept: The classes that are not suppressed.
            droppable: Those of them that may be suppressed.
            spare: How many records may be suppressed.
        """
        records, sizes = float(self._sizes[kept].sum()), self._sizes[droppable]

        def of(sets: NDArray[np.bool_]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
            rates = self._rates @ sets.T
            counts = self._sizes[kept] @ rates[kept]
            high = _largest(rates[droppable], sizes, counts, records, spare)
            low = 1 - _largest(1 - rates[droppable], sizes, records - counts, records, spare)
            return low - _ROUNDING, high + _ROUNDING

        return of


def _largest(
    rates: NDArray[np.float64], sizes: NDArray[np.float64], counts: NDArray[np.float64], records: float, spare: int
) -> NDArray[np.float64]:
    """Return the largest share of each value: `counts` of `records`, less classes of these rates and sizes.

    Where nothing may be left, it is said to be 1.
    """
    order = np.argsort(rates, axis=0)
    rates = np.take_along_axis(rates, order, axis=0)
    below = np.cumsum(sizes[order], axis=0) - sizes[order]
    taken = np.clip(spare - below, 0, sizes[order])
    removed = np.vstack([np.zeros_like(counts), np.cumsum(taken, axis=0)])
    gone = np.vstack([np.zeros_like(counts), np.cumsum(taken * rates, axis=0)])
    left = records - removed
    shares: NDArray[np.float64] = np.divide(counts - gone, left, out=np.ones_like(left), where=left > 0)
    return shares.max(axis=0)
