"""Public domain: the distinct values of a public column, found by text, number and day."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.audits.notations import number
from shoal.tables.hierarchies.dates import read_date
from shoal.tables.hierarchies.numeric import scaled

Codes = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class PublicDomain:
    """The distinct values of a public column, indexed by text, number and day.

    Args:
        values: The values, without the missing one.
    """

    values: Sequence[str]

    @cached_property
    def all(self) -> Codes:
        """The codes of all values, the missing one included."""
        return np.arange(len(self.values) + 1, dtype=np.int32)

    @cached_property
    def code(self) -> dict[str, int]:
        """The code of each value."""
        return {value: code for code, value in enumerate(self.values)}

    @cached_property
    def numbers(self) -> "Ordered":
        """The values that are numbers, in order."""
        found = scaled(self.values)
        if found is None:
            return Ordered.of((number(value), code) for code, value in enumerate(self.values))
        order = sorted(range(len(self.values)), key=found[0].__getitem__)  # whole numbers are compared far faster
        return Ordered([found[0][code] for code in order], np.array(order, dtype=np.int32), found[1])

    @cached_property
    def days(self) -> "Ordered":
        """The values that are ISO dates or times, in order."""
        return Ordered.of((read_date(value), code) for code, value in enumerate(self.values))

    @cached_property
    def texts(self) -> "Ordered":
        """All values, in text order."""
        return Ordered.of((value, code) for code, value in enumerate(self.values))

    def chosen(self, values: Iterable[str]) -> Codes:
        """Return the codes of those values that the column has."""
        return np.array([self.code[value] for value in values if value in self.code], dtype=np.int32)


@dataclass(frozen=True, slots=True, eq=False)
class Ordered:
    """Values in ascending order of a key, with the code of each.

    Args:
        keys: The keys, ascending; with `unit`, the numbers multiplied by it, which are then whole.
        codes: The code of each value.
        unit: The common denominator of the numbers; None if the keys are kept as they are.
    """

    keys: list[Any]
    codes: Codes
    unit: int | None = None

    @classmethod
    def of(cls, found: Iterable[tuple[Any, int]]) -> "Ordered":
        """Sort the pairs of a key and a code; those without a key are left out."""
        pairs = sorted(pair for pair in found if pair[0] is not None)
        return cls([key for key, _ in pairs], np.array([code for _, code in pairs], dtype=np.int32))

    def between(self, low: Any, high: Any, *, low_in: bool = True, high_in: bool = True) -> Codes:
        """Return the codes of the values from `low` to `high`; an end that is None is open."""
        first = 0 if low is None else self._before(low) if low_in else self._up_to(low)
        last = len(self.keys) if high is None else self._up_to(high) if high_in else self._before(high)
        return self.codes[first:last]

    def _before(self, key: Any) -> int:
        """Return the number of keys below `key`."""
        if self.unit is not None:
            key = -(-key.numerator * self.unit // key.denominator)
        return bisect_left(self.keys, key)

    def _up_to(self, key: Any) -> int:
        """Return the number of keys up to `key`."""
        if self.unit is not None:
            key = key.numerator * self.unit // key.denominator
        return bisect_right(self.keys, key)
