"""Promises: the diversity of sensitive values that a table allows."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from shoal.classes.person_values import PersonValues
from shoal.classes.tally import SensitiveColumn
from shoal.models.distinct_l_diversity import DistinctLDiversity
from shoal.models.k_e_anonymity import KEAnonymity
from shoal.models.model import SensitiveModel
from shoal.tables.hierarchies.hierarchy import Label
from shoal.tables.hierarchies.numeric import DecimalMark, pointed, power_of_ten, scaled
from shoal.tables.table import Column

_WISHED = 3  # distinct values to require in each class, if that costs little
_DEAR = 4  # times k: if classes must be larger than this on average, one value less is required


_CONTINUOUS = 50  # different numbers from which on it says nothing that three of them are in a class
_MOST = 0.95  # least share of the different values that must be numbers
_NICE = (5, 2, 1)


@dataclass(frozen=True, slots=True)
class FittingSpread:
    """The range of numbers that each class must show.

    Args:
        k: The number of different numbers.
        e: The range.
        decimal: What stands before the decimals of the numbers.
    """

    k: int
    e: Fraction
    decimal: DecimalMark = "."


def fitting_spread(
    values: Sequence[str], counts: NDArray[np.int64], decimal: DecimalMark = "."
) -> FittingSpread | None:
    """Return the range to suggest for a column of many numbers: half of the middle half of the records, rounded down.

    A class of five records drawn at random shows that in nearly all cases, so it costs little; and nobody's number is
    then known to less. None if too many are no numbers, too few are different, or most are equal.

    Args:
        values: The different values.
        counts: The number of records of each.
        decimal: What stands before the decimals of the numbers.
    """
    texts = [pointed(value, decimal) for value in values]
    plain = [text for text in texts if text is not None]
    counts = counts[np.array([text is not None for text in texts], dtype=np.bool_)]
    found = scaled(plain) if len(plain) >= max(_CONTINUOUS, _MOST * len(values)) else None
    if found is None:
        return None
    order = np.argsort(np.array(found[0], dtype=object), kind="stable")
    below = np.cumsum(counts[order])
    low, high = (int(np.searchsorted(below, share * below[-1])) for share in (0.25, 0.75))
    middle = Fraction(found[0][order[high]] - found[0][order[low]], found[1])
    return FittingSpread(_WISHED, _nice(middle / 2), decimal) if middle > 0 else None


def _nice(number: Fraction) -> Fraction:
    """Return the largest of 1, 2 and 5 times a power of ten that is at most a number above 0."""
    power = power_of_ten(number)
    return next(power * digit for digit in _NICE if power * digit <= number)


@dataclass(frozen=True, slots=True)
class Diversity:
    """The number of distinct values that each class must have.

    Args:
        l: That number; 1 requires nothing.
        classes: The largest possible number of classes with that many values.
    """

    l: int  # noqa: E741  (the paper's letter)
    classes: int


def most_classes(counts: NDArray[np.int64], needed: int) -> int:
    """Return the largest number of classes such that each can have `needed` distinct values.

    A value counts once in each class. So `c` classes need `sum(min(count, c)) >= needed * c`, and dealing out the
    values in turn shows that this suffices. If the condition fails for some `c`, it fails for all larger ones.
    """
    low, high = 0, int(counts.sum()) // max(needed, 1)
    while low < high:
        middle = (low + high + 1) // 2
        if int(np.minimum(counts, middle).sum()) >= needed * middle:
            low = middle
        else:
            high = middle - 1
    return low


def fitting_diversity(counts: NDArray[np.int64], k: int) -> Diversity:
    """Return the diversity to suggest: 3 values, or fewer if 3 would force large classes or do not exist."""
    present = counts[counts > 0]
    n = int(present.sum())
    for wished in range(_WISHED, 1, -1):
        classes = most_classes(present, wished)
        if classes and (n <= _DEAR * k * classes or wished == 2):
            return Diversity(wished, classes)
    return Diversity(1, n)


def beyond_persons(
    spreads: Mapping[str, FittingSpread], diversities: Mapping[str, int], columns: Mapping[str, Column], entity: str
) -> frozenset[str]:
    """Return the sensitive columns whose promise one class of all records breaks if it counts persons.

    Then it is likely that no class of any release keeps it; a release that parts the records of each person might.

    Args:
        spreads: The range that each class must show, by column.
        diversities: The number of values that each class must show, by column.
        columns: The columns of the table.
        entity: The one that tells whose record it is, without a missing value.
    """
    asked: list[SensitiveModel] = [
        KEAnonymity(k=one.k, e=one.e, column=name, decimal=one.decimal, entity=entity) for name, one in spreads.items()
    ]
    asked += [DistinctLDiversity(l=least, column=name, entity=entity) for name, least in diversities.items()]
    return frozenset(one.column for one in asked if not _together(one, columns[one.column], columns[entity]))


def told_of_records(names: Collection[str]) -> list[str]:
    """Say which promises count records, since persons hold several values."""
    if not names:
        return []
    listed = ", ".join(f"'{name}'" for name in sorted(names))
    return [
        f"Persons hold several values of {listed}: all of them together do not show as many as are asked, one who "
        "holds several counted for each. So these promises count records, which says less."
    ]


def _together(promise: SensitiveModel, column: Column, entity: Column) -> bool:
    """Tell whether one class of all records keeps a promise that counts persons."""
    labels: tuple[Label, ...] = (*column.values, *((None,) if column.missing else ()))
    pairs = np.unique(entity.codes.astype(np.int64) * len(labels) + column.codes)
    persons, values = np.divmod(pairs, len(labels))
    everybody = np.zeros(len(entity.values), dtype=np.int64)
    held = PersonValues(SensitiveColumn(promise.column, labels), everybody, persons, values, 1)
    return bool(promise.passes_for(held).all())
