"""(k, e)-anonymity."""

from bisect import bisect_left
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from shoal.classes.grouping import Histogram
from shoal.classes.person_values import PersonValues
from shoal.classes.tally import SensitiveColumn
from shoal.foundation.exact import ExactNumber
from shoal.models.linear import Linear
from shoal.models.model import Measured, SensitiveModel
from shoal.models.sufficient_test import SufficientTest
from shoal.tables.hierarchies.numeric import DecimalMark, pointed, scaled

_FITS = 2**62  # a difference of two numbers below it fits into 64 bits


@dataclass(frozen=True, slots=True, kw_only=True)
class KEAnonymity(SensitiveModel):
    """Each class shows at least `k` different numbers of `column`, and the largest is at least `e` above the smallest.

    So an attacker who knows a person's class can narrow the number down neither to fewer than k values nor to a range
    of less than e. A value that is missing or not a number counts for neither. `decimal` is the decimal separator;
    with a comma, points may separate groups of three digits.

    Joining classes never loses a number, so neither their count nor their range shrinks: a class that keeps the promise
    keeps it whatever joins it, and the model is monotone, with suppression too. For the same reason removing records
    never helps; evening out the counts, which leaves a record of each value, does no harm.

    With an `entity`, persons who hold a number are counted. Fewer than all of them hold one of the `k` - 1 most
    frequent numbers, counted once for each number: for any k - 1 numbers, somebody holds none of them. And
    the smallest number of one person is at least `e` above the largest of another: no range of less than e has a
    number of both.
    """

    name: ClassVar[str] = "k-e-anonymity"
    reference: ClassVar[str] = "Zhang, Koudas, Srivastava and Yu 2007"
    monotone: ClassVar[bool] = True
    absorbing: ClassVar[bool] = True
    evened: ClassVar[bool] = True
    by_sets: ClassVar[bool] = True
    thresholds: ClassVar[tuple[str, ...]] = ("k", "e")
    plain: ClassVar[tuple[str, ...]] = (*SensitiveModel.plain, "decimal")

    k: Annotated[int, Field(ge=1)]
    e: Annotated[ExactNumber, Field(ge=0)]
    decimal: DecimalMark = "."

    @property
    def least_size(self) -> int:
        """Different numbers are in different records, and a range has two ends."""
        return max(self.k, 2 if self.e > 0 else 1)

    def sufficient_test(self, column: SensitiveColumn, reference: NDArray[np.int64]) -> SufficientTest | None:
        """Count the numbers, and compare the last of them with the first."""
        numbers, ranks, unit = numbers_of(column, self.decimal)
        return SufficientTest.spread(self.k, Fraction(self.e) * unit, ranks, numbers)

    def linear(self, column: SensitiveColumn, reference: NDArray[np.int64]) -> Linear | None:
        """Count the numbers, and ask for one with another far above it."""
        numbers, ranks, unit = numbers_of(column, self.decimal)
        far = [bisect_left(numbers, number + Fraction(self.e) * unit) for number in numbers]
        return Linear.spread(self.k, ranks.tolist(), far)

    def passes(self, blocks: Histogram) -> NDArray[np.bool_]:
        """Compare the count and the range of the numbers of each block."""
        return self._kept(_spread(blocks, self.decimal))

    def passes_for(self, persons: PersonValues) -> NDArray[np.bool_]:
        """Compare the holders of the most frequent numbers, and the gap between two persons."""
        return self._kept(_spread_for(persons, self.decimal))

    def measured(self, blocks: Histogram) -> Measured:
        """Return the fewest different numbers and the smallest range of any block."""
        return _reached(_spread(blocks, self.decimal))

    def measured_for(self, persons: PersonValues) -> Measured:
        """Return the largest `k` and `e` that every class keeps."""
        return _reached(_spread_for(persons, self.decimal))

    def _kept(self, spread: "_Spread") -> NDArray[np.bool_]:
        _, needed, ranges, unit = spread
        least = ceil(Fraction(self.e) * unit)  # of whole numbers, so that it is the same to be at least that
        return (needed >= self.k) & (ranges >= least).astype(np.bool_)


_Spread = tuple[list[int], NDArray[np.int64], NDArray[Any], int]
"""The numbers of a column, how many of them each class has or needs, their range in it, and the unit."""


def _reached(spread: _Spread) -> Measured:
    """Return what every class reaches; of no class it is what the whole column has."""
    numbers, needed, ranges, unit = spread
    whole = numbers[-1] - numbers[0] if numbers else 0
    return {
        "k": int(needed.min(initial=len(numbers))),
        "e": float(Fraction(int(min(ranges.tolist(), default=whole)), unit)),
    }


def numbers_of(column: SensitiveColumn, decimal: DecimalMark = ".") -> tuple[list[int], NDArray[np.int64], int]:
    """Return the different numbers of a column, ascending; the place of each value's number among them; and the unit.

    The numbers are whole multiples of one over the unit. The place of a value that is no number is -1.
    """
    numbers, ranks, unit, _ = _read_once(column, decimal)
    return numbers, ranks, unit


def _read_once(column: SensitiveColumn, decimal: DecimalMark) -> tuple[list[int], NDArray[np.int64], int, NDArray[Any]]:
    """Return the same with the numbers as an array, which is made when they are first asked for."""
    name = f"numbers with {decimal}"
    if name not in column.read:
        numbers, ranks, unit = _read(column, decimal)
        column.read[name] = (numbers, ranks, unit, _array_of(numbers))
    found: tuple[list[int], NDArray[np.int64], int, NDArray[Any]] = column.read[name]
    return found


def _read(column: SensitiveColumn, decimal: DecimalMark) -> tuple[list[int], NDArray[np.int64], int]:
    texts = [pointed(value, decimal) if isinstance(value, str) else None for value in column.values]
    whole = scaled([text for text in texts if text is not None])
    assert whole is not None  # noqa: S101  (each of them is a number)
    found, unit = whole
    numbers = sorted(set(found))
    place = {number: rank for rank, number in enumerate(numbers)}
    each = iter(found)
    return numbers, np.array([-1 if text is None else place[next(each)] for text in texts], dtype=np.int64), unit


def _array_of(numbers: list[int]) -> NDArray[Any]:
    """Return ascending numbers as an array; of Python's integers if a difference of two might not fit into 64 bits."""
    return np.array(numbers, dtype=np.int64 if not numbers or -_FITS < numbers[0] <= numbers[-1] < _FITS else object)


def _spread_for(persons: PersonValues, decimal: DecimalMark) -> _Spread:
    """Return how many numbers the persons of each class need, and the widest gap between two of them, both ends apart.

    A class without a number has neither.
    """
    numbers, ranks, unit, values = _read_once(persons.column, decimal)
    needed, gaps = np.zeros(persons.n_classes, dtype=np.int64), np.zeros(persons.n_classes, dtype=object)
    if not numbers:
        return numbers, needed, gaps, unit
    known = persons.lifted(ranks, len(numbers))
    some = np.unique(known.classes)
    needed[some] = known.within(some).holders().needed
    lowest, highest = known.ends
    last, first = np.zeros(persons.n_classes, dtype=np.int64), np.full(persons.n_classes, len(numbers) - 1)
    np.maximum.at(last, known.classes, lowest)
    np.minimum.at(first, known.classes, highest)
    gaps[some] = np.maximum(values[last] - values[first], 0)[some]
    return numbers, needed, gaps, unit


def _spread(blocks: Histogram, decimal: DecimalMark) -> _Spread:
    """Return how many different numbers each block has, and their range in it."""
    numbers, ranks, unit, values = _read_once(blocks.column, decimal)
    n = len(blocks.sizes)
    if not numbers:
        return numbers, np.zeros(n, dtype=np.int64), np.zeros(n, dtype=object), unit
    entries = ranks[blocks.values]
    counted = entries >= 0
    owners, entries = blocks.owners[counted], entries[counted]
    if len(numbers) == np.count_nonzero(ranks >= 0):  # no two values are the same number, such as 1 and 1.0
        distinct = np.bincount(owners, minlength=n)
    else:
        distinct = np.bincount(np.unique(owners * len(numbers) + entries) // len(numbers), minlength=n)
    first, last = np.full(n, len(numbers) - 1), np.zeros(n, dtype=np.int64)
    np.minimum.at(first, owners, entries)
    np.maximum.at(last, owners, entries)
    ranges = np.maximum(values[last] - values[first], 0)  # of a block without numbers the last is before the first
    return numbers, distinct, ranges, unit
