"""A picture of clusters: the records of the raw table, the centres and discs around them, as SVG.

It is for the steward of the table. No script, no font and no file from elsewhere is in it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.errors import SpecError
from shoal.kernels.metrics import EQUAL, NUMBER, TABLE
from shoal.metric import Metric
from shoal.reach import Numbers, Reach, numbers_of
from shoal.reports.axes import Scale, category_ticks, number_ticks
from shoal.reports.directions import principal

WIDTH, HEIGHT = 640, 480
_LEFT, _TOP, _RIGHT, _BOTTOM = 64, 40, 624, 400
_POINTS = 5_000  # records that are drawn, at most
_DISCS = 1_000  # clusters that are drawn, at most
_COLOURS = ("#0b6e99", "#b8492b", "#4b7f2a", "#7d4fa3", "#a86d00", "#2f5da8", "#a83a70", "#3f7f72")


@dataclass(frozen=True, slots=True, eq=False)
class _Plane:
    """Where records and centres stand on the page's two axes, in their own units.

    Args:
        records: `records[:, entry]`.
        centres: `centres[:, cluster]`.
        titles: What the axes show.
        ticks: For an axis of categories, their texts by place; None for numbers.
        units: How many units of the metric a unit of each axis is, if that is known; None lets each fill the page.
        whole: Whether the two axes are all that the distance is made of, as in a plane.
    """

    records: NDArray[np.float64]
    centres: NDArray[np.float64]
    titles: tuple[str, str]
    ticks: tuple[Sequence[str] | None, Sequence[str] | None]
    units: tuple[float, float] | None
    whole: bool


def picture(reach: Reach, clusters: pl.DataFrame, x: str | None = None, y: str | None = None) -> str:
    """Return the SVG text.

    Args:
        reach: Where the records stand, and in which cluster.
        clusters: The table of clusters.
        x: The quasi column along the page.
        y: The quasi column up the page.
    """
    texts = {column.name: clusters[column.name].to_list() for column in reach.metric.columns}
    centres = numbers_of(reach.metric, texts)
    plane = _plane(reach, centres, x, y)
    across, up = _scales(plane)
    radii = _radii(reach, centres, plane, across, up, clusters.height)
    drawn, points_said = _chosen_records(reach)
    discs, discs_said = _chosen_discs(clusters.height)
    colour = [_COLOURS[cluster % len(_COLOURS)] for cluster in range(clusters.height)]
    parts = [_frame(across, up, plane)]
    parts += [_circle("disc", across(plane.centres[0, c]), up(plane.centres[1, c]), radii[c], colour[c]) for c in discs]
    parts += [
        _circle("record", across(plane.records[0, i]), up(plane.records[1, i]), 2.0, colour[reach.clusters[i]])
        if reach.clusters[i] >= 0
        else _circle("suppressed", across(plane.records[0, i]), up(plane.records[1, i]), 2.5, "#555555")
        for i in drawn
    ]
    parts += [_cross(across(plane.centres[0, c]), up(plane.centres[1, c]), colour[c]) for c in discs]
    said = (
        "discs: the radius of each cluster, to scale"
        if plane.whole
        else "discs: how far the records of each cluster are from its centre in this picture"
    )
    caption = "; ".join(part for part in (said, points_said, discs_said) if part)
    return _page(
        [*parts, *_legend(bool((reach.clusters < 0).any())), _caption(caption)], _title(reach, clusters.height)
    )


def _plane(reach: Reach, centres: Numbers, x: str | None, y: str | None) -> _Plane:
    """Return two columns as they are, or the two principal directions of all."""
    metric = reach.metric
    names = [column.name for column in metric.columns]
    for name in (x, y):
        if name is not None and name not in names:
            raise SpecError(f"There is no quasi column '{name}' to show. Quasi columns are: {', '.join(names)}.")
    if (x is None) != (y is None) or (x is not None and x == y):
        raise SpecError("Name two different quasi columns to show, or none for the two principal directions.")
    if x is None or y is None:
        if len(names) != 2:
            found = principal(metric, reach.numbers, centres, reach.counts)
            titles = (f"first principal direction ({found.shares[0]:.0%})", f"second ({found.shares[1]:.0%})")
            return _Plane(found.records, found.centres, titles, (None, None), (1.0, 1.0), False)
        x, y = names
    chosen = [names.index(x), names.index(y)]
    records, middles = (np.stack([part[number] for number in chosen]) for part in (reach.numbers, centres))
    weights = {axis.columns[0]: axis.weight for axis in metric.axes if axis.kind == NUMBER and axis.weight > 0}
    plain = metric.squares and all(number in weights for number in chosen)
    return _Plane(
        records,
        middles,
        (x, y),
        (_categories(metric, chosen[0]), _categories(metric, chosen[1])),
        (weights[chosen[0]], weights[chosen[1]]) if plain else None,
        plain and len(metric.axes) == 2,
    )


def _categories(metric: Metric, number: int) -> list[str] | None:
    """Return the texts of a column's places, if these are no numbers; days are written as dates on any axis."""
    for axis in metric.axes:
        if number in axis.columns and axis.kind in (EQUAL, TABLE):
            return ["" if value is None else value for value in metric.columns[number].hierarchy.values]
    return None


def _scales(plane: _Plane) -> tuple[Scale, Scale]:
    """Return the scales of the page; where both axes have one unit, a unit is as long on one as on the other."""
    both = [np.concatenate([plane.records[axis], plane.centres[axis]]) for axis in (0, 1)]
    lows, highs = ([float(of(values)) for values in both] for of in (np.nanmin, np.nanmax))
    spans = [max(high - low, 0.0) or 1.0 for low, high in zip(lows, highs, strict=True)]
    middles = [(low + high) / 2 for low, high in zip(lows, highs, strict=True)]
    room = ((_RIGHT - _LEFT) * 0.9, (_BOTTOM - _TOP) * 0.9)
    scale = [length / span for length, span in zip(room, spans, strict=True)]
    if plane.units is not None:
        least = min(one / unit for one, unit in zip(scale, plane.units, strict=True))
        scale = [least * unit for unit in plane.units]
    return (
        Scale(middles[0], scale[0], (_LEFT + _RIGHT) / 2, _LEFT, _RIGHT),
        Scale(middles[1], -scale[1], (_TOP + _BOTTOM) / 2, _TOP, _BOTTOM),
    )


def _radii(
    reach: Reach, centres: Numbers, plane: _Plane, across: Scale, up: Scale, n_clusters: int
) -> NDArray[np.float64]:
    """Return the radius of each disc on the page: that of the cluster, or how far its records are in the picture."""
    if plane.whole and plane.units is not None:
        return reach.radii(centres, n_clusters) * abs(across.factor) / plane.units[0]
    inside = reach.clusters >= 0
    owners = reach.clusters[inside]
    apart = np.hypot(
        (plane.records[0, inside] - plane.centres[0, owners]) * across.factor,
        (plane.records[1, inside] - plane.centres[1, owners]) * up.factor,
    )
    found = np.zeros(n_clusters)
    np.maximum.at(found, owners, np.nan_to_num(apart))
    return found


def _chosen_records(reach: Reach) -> tuple[list[int], str]:
    """Return which entries to draw: all, or a sample that does not depend on their order in the table."""
    n = len(reach.clusters)
    if n <= _POINTS:
        return list(range(n)), ""
    some = np.sort(np.random.default_rng(0).choice(n, _POINTS, replace=False))
    return some.tolist(), f"{_POINTS:,} of {n:,} different places are drawn"


def _chosen_discs(n_clusters: int) -> tuple[list[int], str]:
    if n_clusters <= _DISCS:
        return list(range(n_clusters)), ""
    some = np.sort(np.random.default_rng(0).choice(n_clusters, _DISCS, replace=False))
    return some.tolist(), f"{_DISCS:,} of {n_clusters:,} clusters are drawn"


def _frame(across: Scale, up: Scale, plane: _Plane) -> str:
    """Return the axes, with ticks and titles."""
    lines = [
        f'<rect class="frame" x="{_LEFT}" y="{_TOP}" width="{_RIGHT - _LEFT}" height="{_BOTTOM - _TOP}" '
        'fill="#ffffff" stroke="#999999"/>'
    ]
    for scale, texts, level in ((across, plane.ticks[0], True), (up, plane.ticks[1], False)):
        ticks = number_ticks(scale) if texts is None else category_ticks(scale, texts)
        for place, text in ticks:
            at = scale(place)
            lines.append(_tick(at, text, level=level))
    middle = (_TOP + _BOTTOM) / 2
    lines.append(_text((_LEFT + _RIGHT) / 2, _BOTTOM + 34, plane.titles[0], "middle", 12, "title"))
    lines.append(
        f'<g transform="rotate(-90 14 {middle:.1f})">{_text(14, middle, plane.titles[1], "middle", 12, "title")}</g>'
    )
    return "\n".join(lines)


def _tick(at: float, text: str, *, level: bool) -> str:
    if level:
        mark = f'<path d="M{at:.1f} {_BOTTOM}v5" stroke="#999999"/>'
        return mark + _text(at, _BOTTOM + 17, text, "middle", 10, "tick")
    mark = f'<path d="M{_LEFT} {at:.1f}h-5" stroke="#999999"/>'
    return mark + _text(_LEFT - 8, at + 3.5, text, "end", 10, "tick")


def _circle(kind: str, x: float, y: float, radius: float, colour: str) -> str:
    styles: Mapping[str, str] = {
        "disc": f'fill="{colour}" fill-opacity="0.12" stroke="{colour}" stroke-opacity="0.7"',
        "record": f'fill="{colour}"',
        "suppressed": f'fill="none" stroke="{colour}"',
    }
    if not (np.isfinite(x) and np.isfinite(y)):
        return ""  # a missing number stands nowhere on the page
    return f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" {styles[kind]}/>'


def _cross(x: float, y: float, colour: str) -> str:
    if not (np.isfinite(x) and np.isfinite(y)):
        return ""
    return (
        f'<path class="centre" d="M{x - 4:.1f} {y:.1f}h8M{x:.1f} {y - 4:.1f}v8" stroke="{colour}" stroke-width="1.5"/>'
    )


def _legend(suppressed: bool) -> list[str]:
    marks = [
        ('<circle cx="70" cy="446" r="2" fill="#333333"/>', 78, "record"),
        ('<path d="M141 446h8M145 442v8" stroke="#333333" stroke-width="1.5"/>', 154, "centre"),
        ('<circle cx="215" cy="446" r="6" fill="#333333" fill-opacity="0.12" stroke="#333333"/>', 226, "cluster"),
    ]
    if suppressed:
        marks.append(('<circle cx="290" cy="446" r="2.5" fill="none" stroke="#555555"/>', 298, "suppressed record"))
    return [f'<g class="legend">{mark}{_text(at, 450, word, "start", 11)}</g>' for mark, at, word in marks]


def _caption(text: str) -> str:
    return _text(_LEFT, 470, text, "start", 10, "caption")


def _title(reach: Reach, n_clusters: int) -> str:
    inside = reach.clusters >= 0
    return f"{int(reach.counts[inside].sum()):,} records in {n_clusters:,} clusters"


def _text(x: float, y: float, text: str, anchor: str, size: int, kind: str = "") -> str:
    named = f' class="{kind}"' if kind else ""
    return f'<text{named} x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}">{_safe(text)}</text>'


def _safe(text: str) -> str:
    """Return a text that XML can hold: characters that it forbids are left out."""
    return escape("".join(sign for sign in text if sign in "\t\n" or (sign >= " " and sign not in "\ufffe\uffff")))


def _page(parts: Sequence[str], title: str) -> str:
    body = "\n".join(part for part in parts if part)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'font-family="sans-serif" fill="#222222" role="img">\n<title>{_safe(title)}</title>\n'
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fafafa"/>\n{_text(_LEFT, 24, title, "start", 14)}\n'
        f"{body}\n</svg>\n"
    )
