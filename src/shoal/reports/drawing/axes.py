"""Axes of a picture: the scale that maps numbers to the page, and the ticks."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

_WIDE = 12  # most letters of a tick
_MOST = 8  # most ticks of an axis


@dataclass(frozen=True, slots=True)
class AxisScale:
    """A linear scale from numbers to coordinates on the page.

    Args:
        middle: The number at the middle of the axis.
        factor: The length of one unit on the page.
        centre: The coordinate of the middle.
        start: The coordinate at which the axis begins.
        end: The coordinate at which it ends.
    """

    middle: float
    factor: float
    centre: float
    start: float
    end: float

    def __call__(self, number: float) -> float:
        """Return the coordinate of a number."""
        return self.centre + (number - self.middle) * self.factor

    @property
    def ends(self) -> tuple[float, float]:
        """The least and the largest number on the axis."""
        ends = [self.middle + (place - self.centre) / self.factor for place in (self.start, self.end)]
        return min(ends), max(ends)


def number_ticks(scale: AxisScale, *, days: bool = False) -> list[tuple[float, str]]:
    """Return round numbers on an axis, with their texts; days are written as dates.

    Around a number so large that doubles do not tell the ends of the axis apart, it is the only one.
    """
    low, high = scale.ends
    if low == high:
        return [(scale.middle, f"{scale.middle:,.0f}")]
    rough = (high - low) / _MOST
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * times for times in (1, 2, 5, 10) if power * times >= rough)
    step = max(math.ceil(step), 1) if days else step
    decimals = max(-math.floor(math.log10(step) + 1e-9), 0)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    numbers = [number * step for number in range(first, last + 1)]
    if days:
        least, most = date.min.toordinal(), date.max.toordinal()
        return [(day, date.fromordinal(int(day)).isoformat()) for day in numbers if least <= day <= most]
    return [(number, f"{number:,.{decimals}f}") for number in numbers]


def category_ticks(texts: Sequence[str]) -> list[tuple[float, str]]:
    """Return ticks for categories: evenly chosen positions, with shortened texts."""
    step = -(-len(texts) // _MOST)
    return [
        (float(place), text if len(text) <= _WIDE else f"{text[: _WIDE - 1]}…")
        for place, text in enumerate(texts)
        if place % step == 0
    ]
