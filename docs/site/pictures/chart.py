"""A chart of curves: points joined by lines, on linear or logarithmic axes, each curve named at its end."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from docs.site.pictures.shapes import FAINT, INK, line, picture
from shoal.reports.drawing.svg import lettering

_COLOURS = ("#0b6e99", "#b8492b", "#4b7f2a", "#7d4fa3", "#a86d00", "#1d2329")
_DASHES = ("", "6 3", "2 3", "8 3 2 3", "4 2", "1 2")
_WIDTH, _HEIGHT = 560.0, 300.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 60.0, 410.0, 40.0, 250.0


@dataclass(frozen=True, slots=True)
class Curve:
    """A curve.

    Args:
        name: What stands at its end.
        points: Its points.
    """

    name: str
    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class ChartAxis:
    """An axis.

    Args:
        title: What it shows, with its unit.
        log: Whether it is logarithmic.
        share: Whether its numbers are shares, written in per cent.
    """

    title: str
    log: bool = False
    share: bool = False

    def written(self, number: float) -> str:
        """Return a number as its tick says it."""
        if self.share:
            return f"{100 * number:g}%"
        if number >= 1_000_000:
            return f"{number / 1_000_000:g} M"
        return f"{number:,.0f}" if number >= 10 else f"{number:g}"


def chart(title: str, words: str, across: ChartAxis, up: ChartAxis, curves: Sequence[Curve]) -> str:
    """Return the chart as SVG."""
    xs, ys = ([point[axis] for curve in curves for point in curve.points] for axis in (0, 1))
    (low_x, high_x), (low_y, high_y) = _ends(xs, across), _ends(ys, up)

    def place(x: float, y: float) -> tuple[float, float]:
        return (
            _LEFT + (_RIGHT - _LEFT) * _part(x, low_x, high_x, across),
            _BOTTOM - (_BOTTOM - _TOP) * _part(y, low_y, high_y, up),
        )

    parts = [lettering(_LEFT, 22, title, size=13), line((_LEFT, _BOTTOM), (_RIGHT, _BOTTOM), stroke=INK)]
    for x in _ticks(low_x, high_x, across):
        at, _ = place(x, low_y)
        parts += [line((at, _BOTTOM), (at, _BOTTOM + 4)), lettering(at, _BOTTOM + 17, across.written(x), "middle", 10)]
    for y in _ticks(low_y, high_y, up):
        _, at = place(low_x, y)
        parts += [
            line((_LEFT, at), (_RIGHT, at), stroke=FAINT),
            lettering(_LEFT - 6, at + 3.5, up.written(y), "end", 10),
        ]
    parts += [
        lettering((_LEFT + _RIGHT) / 2, _BOTTOM + 36, across.title, "middle", 11),
        f'<g transform="rotate(-90 14 {(_TOP + _BOTTOM) / 2:.0f})">'
        f"{lettering(14, (_TOP + _BOTTOM) / 2, up.title, 'middle', 11)}</g>",
    ]
    ends = _apart([place(*curve.points[-1])[1] for curve in curves])
    for number, (curve, end) in enumerate(zip(curves, ends, strict=True)):
        colour, points = _COLOURS[number % len(_COLOURS)], [place(*point) for point in curve.points]
        parts.append(line(*points, stroke=colour, heavy=2, dashes=_DASHES[number % len(_DASHES)]))
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5" fill="{colour}"/>' for x, y in points]
        parts.append(
            lettering(points[-1][0] + 8, end + 4, curve.name, size=11).replace("<text", f'<text fill="{colour}"', 1)
        )
    return picture(title, words, _WIDTH, _HEIGHT, parts)


def _part(number: float, low: float, high: float, axis: ChartAxis) -> float:
    if axis.log:
        number, low, high = math.log10(number), math.log10(low), math.log10(high)
    return (number - low) / (high - low)


def _ends(numbers: Sequence[float], axis: ChartAxis) -> tuple[float, float]:
    """Return where an axis begins and ends: around all points, from 0 if it is linear."""
    low, high = min(numbers), max(numbers)
    if axis.log:
        return (low, high) if low < high else (low / 2, high * 2)
    return 0.0, (high or 1.0) * 1.05


def _ticks(low: float, high: float, axis: ChartAxis) -> list[float]:
    """Return round numbers on an axis."""
    if axis.log:
        powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        steps = (1, 2, 5) if high / low < 500 else (1,)
        return [
            step * 10.0**power
            for power in powers
            for step in steps
            if low <= step * 10.0**power * 1.0001 and step * 10.0**power <= high * 1.0001
        ]
    power = 10.0 ** math.floor(math.log10(high / 5))
    step = next(power * times for times in (1, 2, 5, 10) if power * times >= high / 6)
    return [round(number * step, 12) for number in range(int(high / step) + 1)]


def _apart(heights: Sequence[float]) -> list[float]:
    """Return heights for labels that do not touch, in the same order."""
    found = list(heights)
    last = -math.inf
    for number in sorted(range(len(found)), key=lambda one: found[one]):
        found[number] = last = max(found[number], last + 13)
    return found
