"""A picture of clusters as SVG: the records of the raw table, the centres, and a ball around each centre.

It is for the steward of the table. It contains no script, no font and no external file.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.clusters.centre_distances import AxisNumbers, CentreDistances, numbers_of
from shoal.clusters.metric import Metric
from shoal.foundation.errors import SpecError
from shoal.kernels.clusters.metrics import EARTH, HOLED, NUMBER
from shoal.reports.drawing.axes import AxisScale, category_ticks, number_ticks
from shoal.reports.drawing.directions import principal
from shoal.reports.drawing.svg import lettering, page

WIDTH, HEIGHT = 640, 480
_LEFT, _TOP, _RIGHT, _BOTTOM = 64, 40, 624, 400
_POINTS = 5_000  # most records that are drawn
_BALLS = 1_000  # most clusters that are drawn
_LABELS = 60  # up to so many clusters tell their records beside the centre
_SPREAD = 0.56  # how far records of one category are spread around it, of the distance to the next
_GOLDEN = (0.6180339887498949, 0.7548776662466927)  # steps that spread evenly, for either axis
_COLOURS = ("#0b6e99", "#b8492b", "#4b7f2a", "#7d4fa3", "#a86d00", "#2f5da8", "#a83a70", "#3f7f72")


@dataclass(frozen=True, slots=True, eq=False)
class _Plane:
    """Records and centres on the two axes of the picture, in the units of the axes.

    Args:
        records: `records[:, entry]`.
        centres: `centres[:, cluster]`.
        titles: The titles of the axes.
        ticks: For an axis of categories, their texts by position; None for numbers.
        days: Whether the numbers of an axis are days.
        units: The length of a unit of each axis in units of the metric; None if it is unknown, and each axis fills the
            page.
        whole: Whether the distance depends on these two axes only, as in a plane.
    """

    records: NDArray[np.float64]
    centres: NDArray[np.float64]
    titles: tuple[str, str]
    ticks: tuple[Sequence[str] | None, Sequence[str] | None]
    days: tuple[bool, bool]
    units: tuple[float, float] | None
    whole: bool


def picture(distances: CentreDistances, clusters: pl.DataFrame, x: str | None = None, y: str | None = None) -> str:
    """Return the picture as SVG.

    Args:
        distances: The positions of the records, and their clusters.
        clusters: The table of clusters.
        x: The quasi column of the horizontal axis.
        y: The quasi column of the vertical axis.
    """
    texts = {column.name: clusters[column.name].to_list() for column in distances.metric.columns}
    centres = numbers_of(distances.metric, texts)
    plane = _plane(distances, centres, x, y)
    radii = distances.radii(centres, clusters.height)
    across, up = _scales(plane, radii)
    balls, discs_said = _sample(clusters.height, _BALLS, "clusters")
    drawn, points_said = _sample(len(distances.clusters), _POINTS, "different places")
    extents = _extents(distances, plane, radii, across, up)
    inside = distances.clusters >= 0
    colour = [_COLOURS[cluster % len(_COLOURS)] for cluster in range(clusters.height)]
    middles, records = _on_page(plane.centres, across, up), _on_page(plane.records, across, up)
    parts = [_ball(middles[c], extents[:, c], colour[c]) for c in balls]
    for i in drawn:
        cluster = int(distances.clusters[i])
        parts.append(_dot(*records[i], colour[cluster] if cluster >= 0 else None))
    parts += [_cross(*middles[c], colour[c]) for c in balls]
    if clusters.height <= _LABELS:
        sizes = np.bincount(distances.clusters[inside], weights=distances.counts[inside], minlength=clusters.height)
        parts += [_label(*middles[c], f"{sizes[c]:,.0f}") for c in balls]
    spread = "records of one category are spread around it" if any(plane.ticks) else ""
    said = (
        "balls: the radius of each cluster, to scale"
        if plane.whole
        else "balls: how far the records of a cluster are from its centre in this picture"
    )
    body = "\n".join(part for part in parts if part)
    return page(
        [
            _frame(across, up, plane),
            f'<g clip-path="url(#frame)">\n{body}\n</g>',
            *_legend(suppressed=not inside.all(), labels=clusters.height <= _LABELS),
            lettering(
                _LEFT,
                470,
                "; ".join(part for part in (said, spread, points_said, discs_said) if part),
                "start",
                9,
                "caption",
            ),
        ],
        _title(distances, clusters.height),
        WIDTH,
        HEIGHT,
        _LEFT,
    )


def _plane(distances: CentreDistances, centres: AxisNumbers, x: str | None, y: str | None) -> _Plane:
    """Return the two given columns, or the two principal directions of all columns."""
    metric = distances.metric
    names = [column.name for column in metric.columns]
    for name in (x, y):
        if name is not None and name not in names:
            raise SpecError(f"There is no quasi column '{name}' to show. Quasi columns are: {', '.join(names)}.")
    if (x is None) != (y is None) or (x is not None and x == y):
        raise SpecError("Name two different quasi columns to show, or none for the two principal directions.")
    if x is None or y is None:
        if len(names) != 2:
            found = principal(metric, distances.numbers, centres, distances.counts)
            titles = (f"first principal direction ({found.shares[0]:.0%})", f"second ({found.shares[1]:.0%})")
            return _Plane(found.records, found.centres, titles, (None, None), (False, False), (1.0, 1.0), False)
        x, y = names
    chosen = [names.index(x), names.index(y)]
    records, middles = (np.stack([part[number] for number in chosen]) for part in (distances.numbers, centres))
    weights = {axis.columns[0]: axis.weight for axis in metric.axes if axis.kind == NUMBER and axis.weight > 0}
    plain = metric.squares and all(number in weights for number in chosen)
    ticks = (_categories(metric, chosen[0]), _categories(metric, chosen[1]))
    return _Plane(
        _spread(records, ticks),
        middles,
        (x, y),
        ticks,
        (_days(metric, chosen[0]), _days(metric, chosen[1])),
        (weights[chosen[0]], weights[chosen[1]]) if plain else None,
        plain and len(metric.axes) == 2,
    )


def _spread(
    records: NDArray[np.float64], ticks: tuple[Sequence[str] | None, Sequence[str] | None]
) -> NDArray[np.float64]:
    """Return the records, those of one category spread around it: else all of them are drawn at one place."""
    number = np.arange(records.shape[1])
    shifts = [
        np.zeros(len(number)) if texts is None else ((number * step) % 1 - 0.5) * _SPREAD
        for texts, step in zip(ticks, _GOLDEN, strict=True)
    ]
    return records + np.stack(shifts)


def _categories(metric: Metric, number: int) -> list[str] | None:
    """Return the texts of a column's categories; None if it holds numbers."""
    for axis in metric.axes:
        if number in axis.columns and axis.kind not in (NUMBER, HOLED, EARTH):
            leaves = dict(zip(axis.leaves[0].tolist(), metric.columns[number].hierarchy.values, strict=True))
            return [leaves.get(place) or "" for place in range(int(max(leaves)) + 1)]
    return None


def _days(metric: Metric, number: int) -> bool:
    return any(axis.days for axis in metric.axes if number in axis.columns)


def _scales(plane: _Plane, radii: NDArray[np.float64]) -> tuple[AxisScale, AxisScale]:
    """Return the scales of the page; if both axes have the same unit, it has the same length on both."""
    lows, highs = [], []
    for axis in (0, 1):
        wide = radii / plane.units[axis] if plane.whole and plane.units is not None else np.zeros(len(radii))
        lows.append(float(np.nanmin(np.concatenate([plane.records[axis], plane.centres[axis] - wide]))))
        highs.append(float(np.nanmax(np.concatenate([plane.records[axis], plane.centres[axis] + wide]))))
    room = ((_RIGHT - _LEFT) * 0.94, (_BOTTOM - _TOP) * 0.94)
    scale = [length / ((high - low) or 1.0) for length, low, high in zip(room, lows, highs, strict=True)]
    if plane.units is not None:
        least = min(one / unit for one, unit in zip(scale, plane.units, strict=True))
        scale = [least * unit for unit in plane.units]
    return (
        AxisScale((lows[0] + highs[0]) / 2, scale[0], (_LEFT + _RIGHT) / 2, _LEFT, _RIGHT),
        AxisScale((lows[1] + highs[1]) / 2, -scale[1], (_TOP + _BOTTOM) / 2, _TOP, _BOTTOM),
    )


def _extents(
    distances: CentreDistances, plane: _Plane, radii: NDArray[np.float64], across: AxisScale, up: AxisScale
) -> NDArray[np.float64]:
    """Return the horizontal and vertical radius of each ball on the page.

    It is the radius of the cluster, to scale; or the least that covers its records: a circle if both axes have the same
    unit, else an ellipse.
    """
    if plane.whole and plane.units is not None:
        return np.stack([radii, radii]) * abs(across.factor) / plane.units[0]
    inside = distances.clusters >= 0
    owners = distances.clusters[inside]
    apart = np.nan_to_num(np.abs(plane.records[:, inside] - plane.centres[:, owners]))
    apart *= np.array([[abs(across.factor)], [abs(up.factor)]])
    reached = np.zeros((2, len(radii)))
    for axis in (0, 1):
        np.maximum.at(reached[axis], owners, apart[axis])
    reached = np.maximum(reached, 3.0) if plane.units is None else np.ones_like(reached)
    times = np.zeros(len(radii))
    np.maximum.at(times, owners, np.hypot(*(apart / reached[:, owners])))
    return reached * np.maximum(times, 1.0 if plane.units is None else 0.0)


def _sample(n: int, most: int, words: str) -> tuple[list[int], str]:
    """Return a reproducible random sample of what to draw, and a sentence about it."""
    if n <= most:
        return list(range(n)), ""
    some = np.sort(np.random.default_rng(0).choice(n, most, replace=False))
    return some.tolist(), f"{most:,} of {n:,} {words} are drawn"


def _on_page(places: NDArray[np.float64], across: AxisScale, up: AxisScale) -> list[tuple[float, float]]:
    return [(across(x), up(y)) for x, y in places.T.tolist()]


def _frame(across: AxisScale, up: AxisScale, plane: _Plane) -> str:
    """Return the axes, with ticks and titles."""
    box = f'x="{_LEFT}" y="{_TOP}" width="{_RIGHT - _LEFT}" height="{_BOTTOM - _TOP}"'
    lines = [
        f'<rect class="frame" {box} fill="#ffffff" stroke="#999999"/>',
        f'<clipPath id="frame"><rect {box}/></clipPath>',
    ]
    for number, scale in enumerate((across, up)):
        texts, days = plane.ticks[number], plane.days[number]
        ticks = number_ticks(scale, days=days) if texts is None else category_ticks(texts)
        lines += [_tick(scale(place), text, level=number == 0) for place, text in ticks]
    middle = (_TOP + _BOTTOM) / 2
    lines.append(lettering((_LEFT + _RIGHT) / 2, _BOTTOM + 34, plane.titles[0], "middle", 12, "title"))
    upright = lettering(14, middle, plane.titles[1], "middle", 12, "title")
    lines.append(f'<g transform="rotate(-90 14 {middle:.1f})">{upright}</g>')
    return "\n".join(lines)


def _tick(at: float, text: str, *, level: bool) -> str:
    if level:
        mark = f'<path d="M{at:.1f} {_BOTTOM}v5" stroke="#999999"/>'
        return mark + lettering(at, _BOTTOM + 17, text, "middle", 10, "tick")
    mark = f'<path d="M{_LEFT} {at:.1f}h-5" stroke="#999999"/>'
    return mark + lettering(_LEFT - 8, at + 3.5, text, "end", 10, "tick")


def _ball(middle: tuple[float, float], extent: NDArray[np.float64], colour: str) -> str:
    (x, y), (wide, high) = middle, extent.tolist()
    style = f'fill="{colour}" fill-opacity="0.12" stroke="{colour}" stroke-opacity="0.7"'
    if not (math.isfinite(x) and math.isfinite(y)):
        return ""  # a missing number has no position on the page
    if wide == high:
        return f'<circle class="ball" cx="{x:.1f}" cy="{y:.1f}" r="{wide:.1f}" {style}/>'
    return f'<ellipse class="ball" cx="{x:.1f}" cy="{y:.1f}" rx="{wide:.1f}" ry="{high:.1f}" {style}/>'


def _dot(x: float, y: float, colour: str | None) -> str:
    if not (math.isfinite(x) and math.isfinite(y)):
        return ""
    if colour is None:
        return f'<circle class="suppressed" cx="{x:.1f}" cy="{y:.1f}" r="2.5" fill="none" stroke="#555555"/>'
    return f'<circle class="record" cx="{x:.1f}" cy="{y:.1f}" r="2.0" fill="{colour}"/>'


def _cross(x: float, y: float, colour: str) -> str:
    if not (math.isfinite(x) and math.isfinite(y)):
        return ""
    return (
        f'<path class="centre" d="M{x - 4:.1f} {y:.1f}h8M{x:.1f} {y - 4:.1f}v8" stroke="{colour}" stroke-width="1.5"/>'
    )


def _label(x: float, y: float, text: str) -> str:
    if not (math.isfinite(x) and math.isfinite(y)):
        return ""
    return lettering(x + 5, y - 5, text, "start", 9, "size")


def _legend(*, suppressed: bool, labels: bool) -> list[str]:
    marks = [
        ('<circle cx="70" cy="446" r="2" fill="#333333"/>', 78, "record"),
        ('<path d="M141 446h8M145 442v8" stroke="#333333" stroke-width="1.5"/>', 154, "centre"),
        ('<circle cx="215" cy="446" r="6" fill="#333333" fill-opacity="0.12" stroke="#333333"/>', 226, "cluster"),
    ]
    if labels:
        marks.append((lettering(410, 450, "12", "start", 9), 424, "records of a cluster"))
    if suppressed:
        marks.append(('<circle cx="290" cy="446" r="2.5" fill="none" stroke="#555555"/>', 298, "suppressed record"))
    return [f'<g class="legend">{mark}{lettering(at, 450, word, "start", 11)}</g>' for mark, at, word in marks]


def _title(distances: CentreDistances, n_clusters: int) -> str:
    inside = distances.clusters >= 0
    return f"{int(distances.counts[inside].sum()):,} records in {n_clusters:,} clusters"
