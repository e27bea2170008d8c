"""Intervals: numbers in nested intervals, given by widths or by cut points."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from math import lcm
from pathlib import Path
from typing import ClassVar, Literal

from shoal.foundation.errors import FieldError, SpecError
from shoal.foundation.exact import ExactNumber, fraction
from shoal.tables.hierarchies.hierarchy import Hierarchy
from shoal.tables.hierarchies.numeric import count_others, decimal_text, in_order, power_of_ten, scaled
from shoal.tables.hierarchies.spec import HierarchySpec

_FINEST = 20  # the finest automatic intervals are at least 1/20 of the range

Bounds = tuple[int | None, int | None]  # from, to (excluded), in units; None is unbounded


@dataclass(frozen=True, slots=True, kw_only=True)
class Intervals(HierarchySpec):
    """Replace each number by the interval that contains it, wider at each level, then by a star.

    By `widths`: intervals start at multiples of the width (counted from `start`), and each width is a
    multiple of the one before. By `cuts`: each level's ascending cut points are the ends of its intervals,
    and are among those of the level before. Either way, each interval lies within one interval of the next level.

    A label is `20-24` if all numbers and ends are whole and none is negative, else `[20.5, 25)`. The outer intervals of
    cuts are `<18` and `>=65`.

    Args:
        widths: The width of the intervals of each level, ascending.
        cuts: The cut points of each level, from the finest level on.
        start: The start of one of the intervals, with `widths`.
        notation: `whole` for `20-24`, `ends` for `[20, 25)`; chosen by the numbers by default.
    """

    name: ClassVar[str] = "intervals"
    public: ClassVar[bool] = True

    widths: tuple[ExactNumber, ...] | None = None
    cuts: tuple[tuple[ExactNumber, ...], ...] | None = None
    start: ExactNumber = 0
    notation: Literal["whole", "ends"] | None = None

    def __post_init__(self) -> None:
        """Raise an error that names the levels that do not nest."""
        HierarchySpec.__post_init__(self)
        if (self.widths is None) == (self.cuts is None):
            raise FieldError("intervals need 'widths' or 'cuts', and not both")
        if self.cuts is not None and self.start != 0:
            raise FieldError("'start' goes with 'widths': cut points say themselves where intervals start")
        if self.widths is not None:
            _check_widths([_exact(width) for width in self.widths])
        if self.cuts is not None:
            _check_cuts([[_exact(cut) for cut in level] for level in self.cuts])

    def build(self, values: Sequence[str], column: str, folder: Path = Path()) -> Hierarchy:
        """Return the hierarchy of the intervals of each number, computed in integers."""
        found = scaled(values)
        if found is None:
            raise SpecError(
                f"The intervals of column '{column}' need numbers: {count_others(values)} of its {len(values)} "
                "different values are none (they are not shown here, since they are data). Clean them, or choose "
                "another type of hierarchy."
            )
        levels = self._intervals_of(*found)
        whole = levels.whole if self.notation is None else self.notation == "whole"
        if whole and not levels.whole:
            raise SpecError(
                f"The intervals of column '{column}' are written by their whole numbers, as '20-24': "
                f"{sum(self.strangers(values, column))} of its {len(values)} different values lie in none (they are "
                "not shown here, since they are data). Choose notation = 'ends'."
            )
        order = in_order(values, levels.numbers)
        numbers = [levels.numbers[i] for i in order]
        bounds = [[level[i] for i in order] for level in levels.bounds]
        return Hierarchy.below_star(
            [values[i] for i in order],
            _labels(bounds, levels.unit, whole=whole),
            clipped_widths(bounds, numbers, levels.unit),
        )

    def pinned(self, values: Sequence[str]) -> "Intervals":
        """State explicitly which notation these values get."""
        found = scaled(values)
        if self.notation is not None or found is None or not values:
            return self
        return replace(self, notation="whole" if self._intervals_of(*found).whole else "ends")

    def strangers(self, values: Sequence[str], column: str, folder: Path = Path()) -> list[bool]:
        """Tell which values are not numbers, or are in no interval that the notation can express."""
        strange = []
        for value in values:
            found = scaled([value])
            strange.append(found is None or (self.notation == "whole" and not self._intervals_of(*found).whole))
        return strange

    def _intervals_of(self, numbers: Sequence[int], unit: int) -> "_NumberIntervals":
        """Return the interval of each number at every level; numbers are multiples of 1 / unit."""
        finer = lcm(unit, *(number.denominator for number in self._numbers()))
        numbers = [number * (finer // unit) for number in numbers]
        bounds = [[finder(number) for number in numbers] for finder in self._finders(finer)]
        return _NumberIntervals(numbers, finer, bounds)

    def _numbers(self) -> list[Fraction]:
        levels = self.cuts or ((*(self.widths or ()), self.start),)
        return [_exact(number) for level in levels for number in level]

    def _finders(self, unit: int) -> "list[_Steps | _Cuts]":
        if self.cuts is not None:
            return [_Cuts(tuple(int(_exact(cut) * unit) for cut in level)) for level in self.cuts]
        start = int(_exact(self.start) * unit)
        return [_Steps(start, int(_exact(width) * unit)) for width in self.widths or ()]


@dataclass(frozen=True, slots=True)
class _NumberIntervals:
    """Numbers as multiples of 1 / unit, and the interval of each at every level."""

    numbers: list[int]
    unit: int
    bounds: list[list[Bounds]]

    @property
    def whole(self) -> bool:
        """Whether all numbers and ends are whole and none is negative."""
        ends = {end for level in self.bounds for bounds in set(level) for end in bounds if end is not None}
        return all(number >= 0 and number % self.unit == 0 for number in (*self.numbers, *ends))


@dataclass(frozen=True, slots=True)
class _Steps:
    """Intervals of one width."""

    start: int
    width: int

    def __call__(self, number: int) -> Bounds:
        low = number - (number - self.start) % self.width
        return low, low + self.width


@dataclass(frozen=True, slots=True)
class _Cuts:
    """Intervals between cut points."""

    cuts: tuple[int, ...]

    def __call__(self, number: int) -> Bounds:
        i = bisect_right(self.cuts, number)
        return (self.cuts[i - 1] if i else None), (self.cuts[i] if i < len(self.cuts) else None)


def _labels(bounds: Sequence[Sequence[Bounds]], unit: int, *, whole: bool) -> list[list[str]]:
    """Return the labels of the intervals: the first and last whole number if `whole`, else the ends."""
    names = [{ends: _label(*ends, unit, whole) for ends in set(level)} for level in bounds]
    return [[name[ends] for ends in level] for name, level in zip(names, bounds, strict=True)]


def _label(low: int | None, high: int | None, unit: int, whole: bool) -> str:
    if low is None or high is None:
        end = high if low is None else low
        return ("<" if low is None else ">=") + decimal_text(Fraction(end or 0, unit))
    if whole:
        first, last = low // unit, high // unit - 1
        return str(first) if first == last else f"{first}-{last}"
    return f"[{decimal_text(Fraction(low, unit))}, {decimal_text(Fraction(high, unit))})"


def clipped_widths(bounds: Sequence[Sequence[Bounds]], numbers: Sequence[int], unit: int = 1) -> list[list[float]]:
    """Return the width of each interval, clipped to the range of the (ascending) numbers, then that of the range."""
    if not numbers:
        return [[0.0]]
    least, most = numbers[0], numbers[-1]
    widths = [
        [
            (min(most if high is None else high, most) - max(least if low is None else low, least)) / unit
            for low, high in level
        ]
        for level in bounds
    ]
    return [*widths, [(most - least) / unit]]


def fitting(numbers: Sequence[int], unit: int) -> Intervals | None:
    """Return default intervals for numbers, given as multiples of 1 / unit; None if their range is too small.

    The first width is 1 or 5 times a power of ten and at least a twentieth of the range (for whole numbers at
    least 2), and each next one is twice as wide while it is below the range. A range of 73 gives 5, 10, 20, 40.
    """
    reach = Fraction(max(numbers) - min(numbers), unit)
    if reach == 0:
        return None
    width = _nice(reach / _FINEST)
    if all(number % unit == 0 for number in numbers):
        width = max(width, Fraction(2))
    widths = []
    while width < reach:
        widths.append(width)
        width *= 2
    return Intervals(widths=tuple(widths)) if widths else None


def _nice(least: Fraction) -> Fraction:
    """Return the least number of the form 1 or 5 times a power of ten that is at least `least`."""
    power = power_of_ten(least)
    return next(power * step for step in (1, 5, 10) if power * step >= least)


def _exact(number: int | float | Fraction) -> Fraction:
    return Fraction(fraction(number))


def _check_widths(widths: Sequence[Fraction]) -> None:
    if not widths:
        raise FieldError("'widths' is empty: give the width of at least one level")
    if widths[0] <= 0:
        raise FieldError(f"'widths' starts with {decimal_text(widths[0])}: a width is above 0")
    for low, high in pairwise(widths):
        if high <= low:
            raise FieldError(f"'widths' must rise: {decimal_text(high)} comes after {decimal_text(low)}")
        if high % low:
            raise FieldError(
                f"'widths' do not nest: {decimal_text(high)} is not a multiple of {decimal_text(low)}, so that an "
                "interval of the one would lie in two of the other"
            )


def _check_cuts(cuts: Sequence[Sequence[Fraction]]) -> None:
    if not cuts:
        raise FieldError("'cuts' is empty: give the cut points of at least one level")
    for level, points in enumerate(cuts, 1):
        if not points:
            raise FieldError(f"'cuts' of level {level} is empty: give at least one cut point (the star needs none)")
        for low, high in pairwise(points):
            if high <= low:
                raise FieldError(
                    f"'cuts' of level {level} must rise: {decimal_text(high)} comes after {decimal_text(low)}"
                )
        strange = sorted(set(points) - set(cuts[level - 2])) if level > 1 else []
        if strange:
            raise FieldError(
                f"'cuts' do not nest: {decimal_text(strange[0])} is a cut of level {level} but not of level {level - 1}"
            )
