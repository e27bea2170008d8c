"""What a promise about a whole release is: it looks at the sizes of all classes together."""

from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.classes.grouping import Grouping
from shoal.models.model import PrivacyModel


@dataclass(frozen=True, slots=True, kw_only=True)
class TableModel(PrivacyModel):
    """A promise about the sizes of all classes of a release together: it is kept by all of them, or broken.

    If it is broken, `holds` names the smallest classes: those without which the others keep it. So `holds` is true of
    all classes exactly if the release keeps the promise, and a search that suppresses what fails ends with a release
    that does.

    `enough` is a size that suffices: a release keeps the promise if all of its classes have so many records. A search
    that looks at one class at a time goes by that, which asks for more than the promise does.

    To suppress a class may break the promise, even one that was kept: no such promise is monotone with suppression.
    """

    absorbing: ClassVar[bool] = False
    relative: ClassVar[bool] = True
    by_sets: ClassVar[bool] = True
    thresholds: ClassVar[tuple[str, ...]] = ("most",)

    @property
    @abstractmethod
    def enough(self) -> int:
        """A size that suffices, if all classes have it."""

    @abstractmethod
    def kept(self, sizes: NDArray[np.int64]) -> bool:
        """Return whether a release whose classes have these sizes keeps the promise; at least one is given."""

    @abstractmethod
    def reached(self, sizes: NDArray[np.int64]) -> float:
        """Return what is limited, for people to read; at least one size is given."""

    def smallest_kept(self, sizes: NDArray[np.int64]) -> int:
        """Return a size such that the promise is kept without the smaller classes; they break it together."""
        return self.enough

    def lacking(self, sizes: NDArray[np.int64]) -> NDArray[np.float64] | None:
        """Return what each class adds to a sum that is at most 0 exactly if the promise is kept; None if none is known.

        What a class adds never grows with its size.
        """
        return None

    def holds(self, groups: Grouping) -> NDArray[np.bool_]:
        """Decide about the whole release; if it breaks the promise, the smallest classes fail."""
        if groups.n_classes == 0 or self.kept(groups.sizes):
            return np.ones(groups.n_classes, dtype=np.bool_)
        return groups.sizes >= self.smallest_kept(groups.sizes)

    def achieved(self, groups: Grouping) -> dict[str, int | float | str]:
        """Return what is limited; 0 if there are no classes."""
        return {"most": self.reached(groups.sizes) if groups.n_classes else 0.0}

    def forfeits(self, groups: Grouping, share: Fraction) -> NDArray[np.int64]:
        """Say nothing about a class: any of them may be released if others are suppressed (see `fewest_lost`)."""
        return np.zeros(groups.n_classes, dtype=np.int64)

    def fewest_lost(self, sizes: NDArray[np.int64]) -> int:
        """Return a number of records that every refinement of these classes suppresses, at least.

        What is released of a refinement, joined, is a part of some of these classes, with at most as large a sum (see
        `lacking`). So let j of them have a part. The sum is least, and the number of records largest, if these are the
        j largest ones as a whole; and since the sums of ever more of the largest classes first fall and then rise, the
        most records are those of the most classes with a sum of at most 0.
        """
        order = np.sort(sizes)[::-1]
        lacking = self.lacking(order)
        if lacking is None:
            return 0
        sums, sizes_below = np.cumsum(lacking), np.cumsum(order)
        slack = 1e-9 * sizes_below  # sums are floats, and this is a lower bound
        fine = np.flatnonzero(sums <= slack)
        return int(sizes_below[-1]) - (int(sizes_below[fine[-1]]) if len(fine) else 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class LinearTableModel(TableModel):
    """A promise that a number of records or classes, over the number of records, is at most `most`."""

    @property
    @abstractmethod
    def limit(self) -> Fraction:
        """The largest ratio."""

    @abstractmethod
    def counted_in(self, sizes: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return what each class adds to the number: 0 or 1, and never more than a smaller class."""

    def kept(self, sizes: NDArray[np.int64]) -> bool:
        """Compare the ratio with the limit, in whole numbers."""
        number, records = int(self.counted_in(sizes).sum()), int(sizes.sum())
        return number * self.limit.denominator <= records * self.limit.numerator

    def reached(self, sizes: NDArray[np.int64]) -> float:
        """Return the ratio."""
        return int(self.counted_in(sizes).sum()) / int(sizes.sum())

    def smallest_kept(self, sizes: NDArray[np.int64]) -> int:
        """Return the least size such that the classes of that size, and larger ones, keep the promise together."""
        different, numbers = np.unique(sizes, return_counts=True)
        count, records = 0, 0
        least = int(different[-1]) + 1
        for size, number, one in zip(
            different[::-1].tolist(), numbers[::-1].tolist(), self.counted_in(different)[::-1].tolist(), strict=True
        ):
            count, records = count + number * one, records + number * size
            if count * self.limit.denominator > records * self.limit.numerator:
                break  # the ratio grows from here on
            least = size
        return least

    def lacking(self, sizes: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return what a class adds to the number, less the limit for each of its records."""
        return self.counted_in(sizes) - float(self.limit) * sizes
