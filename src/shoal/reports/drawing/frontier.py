"""A picture of settings by risk and loss as SVG; a line joins those that no other dominates."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

from shoal.reports.drawing.axes import AxisScale, number_ticks
from shoal.reports.drawing.label_placement import LabelBox, label_boxes
from shoal.reports.drawing.svg import lettering, page, safe
from shoal.reports.drawing.wording import ENGLISH, Wording

WIDTH, HEIGHT = 900, 560
_LEFT, _TOP, _RIGHT, _BOTTOM = 72, 44, 660, 456
_LEGEND, _ROW = 680, 20
_SIZE = 11  # of labels
_MARK_RADIUS = 6.0  # of a mark, in pixels
_TARGET = 13  # radius around a mark that leads to somewhere
_HAIR = 3.0  # points nearer than this count as one position
_WIDE = 30  # most letters of a line of the legend
# distinguishable with colour blindness (Okabe and Ito), and by their lightness in print
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#000000", "#cc79a7", "#8c6d00", "#4d4d9f")
_MARKS = (  # around 0, 0; their number and that of the colours are coprime, so that pairs of both repeat late
    "M-5 0a5 5 0 1 0 10 0a5 5 0 1 0 -10 0z",
    "M-4.5 -4.5h9v9h-9z",
    "M0 -6l5.5 10h-11z",
    "M0 -6.2l6.2 6.2l-6.2 6.2l-6.2 -6.2z",
    "M0 6l5.5 -10h-11z",
    "M-2 -6h4v4h4v4h-4v4h-4v-4h-4v-4h4z",
    "M-6 0l3 -5.2h6l3 5.2l-3 5.2h-6z",
    "M-6 -5h12l-12 10h12z",
)


@dataclass(frozen=True, slots=True)
class Point:
    """A setting as a point of the picture.

    Args:
        group: Its algorithm, which the legend lists.
        label: What distinguishes it from others of its group.
        smallest: The number of records of its smallest class; the risk is the inverse.
        loss: Its loss, from 0 to 1.
        undominated: Whether no other dominates it.
        joined: A key; a line joins the undominated settings with the same key.
        link: Where its mark leads to, if the picture stands in a page.
    """

    group: str
    label: str
    smallest: int
    loss: float
    undominated: bool
    joined: Any = None
    link: str = ""


def frontier_picture(
    points: Sequence[Point], measure: str, threshold: Fraction, failed: int = 0, wording: Wording = ENGLISH
) -> str:
    """Return the picture as SVG.

    Args:
        points: The settings that have a release.
        measure: The name of the measure of their losses.
        threshold: A risk to mark.
        failed: The number of other settings, which have no release.
        wording: The language of its words.
    """
    say = wording.say
    across, up = _scales(points)
    groups = list(dict.fromkeys(point.group for point in points))
    places = [(across(-math.log10(point.smallest)), up(100 * point.loss)) for point in points]
    limit = across(math.log10(threshold))
    lines = _lines(points, places)
    parts = [_frame(across, up, measure, wording), _threshold(limit), *map(_joined, lines)]
    order = sorted(range(len(points)), key=lambda i: points[i].undominated)
    spots = _spots(places)
    marks = _side_by_side(places, spots)
    drawn = [
        _mark(groups.index(point.group), mark, filled=point.undominated)
        for point, mark in zip(points, marks, strict=True)
    ]
    parts += [_linked(points[i], drawn[i], marks[i], wording) for i in order]
    labels, left_out = _labels(points, marks, spots, lines, wording)
    said = [say("failed", count=failed) if failed != 1 else say("failed_one")] if failed else []
    said += [say("side_by_side")] if len(spots) < len(points) else []
    said += [say("left_out", count=left_out)] if left_out else []
    shown = _LEFT < limit < _RIGHT
    legend, height = _legend(groups, threshold if shown else None, wording)
    legend.append(lettering(_LEFT, _BOTTOM + 84, "; ".join(said), "start", 10, "caption") if said else "")
    title = say("settings", count=len(points)) if len(points) != 1 else say("setting")
    links = any(point.link for point in points)
    return page([*parts, *labels, *legend], title, WIDTH, max(HEIGHT, height), _LEFT, "group" if links else "img")


def _scales(points: Sequence[Point]) -> tuple[AxisScale, AxisScale]:
    """Return the scales: the logarithm of the risk, and the loss in per cent from 0."""
    risks = [-math.log10(point.smallest) for point in points] or [-1.0]
    most = max([100 * point.loss for point in points], default=0.0) or 1.0
    wide = max(max(risks) - min(risks), 0.6)
    across = AxisScale(
        (max(risks) + min(risks)) / 2, (_RIGHT - _LEFT) * 0.82 / wide, (_LEFT + _RIGHT) / 2, _LEFT, _RIGHT
    )
    room = _BOTTOM - _TOP
    return across, AxisScale(0.0, -room * 0.9 / most, _BOTTOM - 0.04 * room, _TOP, _BOTTOM)


def _frame(across: AxisScale, up: AxisScale, measure: str, wording: Wording) -> str:
    """Return the axes, with ticks and titles."""
    lines = [
        f'<rect class="frame" x="{_LEFT}" y="{_TOP}" width="{_RIGHT - _LEFT}" height="{_BOTTOM - _TOP}" '
        'fill="#ffffff" stroke="#777777"/>'
    ]
    for at, risk in _risk_ticks(across):
        lines.append(f'<path d="M{at:.1f} {_BOTTOM}v5" stroke="#777777"/>')
        lines.append(lettering(at, _BOTTOM + 18, wording.decimal(float(risk), 12), "middle", 11, "tick"))
        lines.append(lettering(at, _BOTTOM + 32, wording.say("one_in", count=1 / risk), "middle", 10, "tick"))
    for number, text in number_ticks(up):
        if number >= 0:
            at = up(number)
            lines.append(f'<path d="M{_LEFT} {at:.1f}h{_RIGHT - _LEFT}" stroke="#e4e4e4"/>')
            lines.append(
                lettering(
                    _LEFT - 8,
                    at + 4,
                    wording.share(wording.decimal(number, len(text.partition(".")[2]))),
                    "end",
                    11,
                    "tick",
                )
            )
    middle = (_TOP + _BOTTOM) / 2
    lines.append(lettering((_LEFT + _RIGHT) / 2, _BOTTOM + 54, wording.say("risk_axis"), "middle", 12, "title"))
    words = lettering(18, middle, wording.say("loss_axis", measure=measure), "middle", 12, "title")
    lines.append(f'<g transform="rotate(-90 18 {middle:.1f})">{words}</g>')
    return "\n".join(lines)


def _risk_ticks(across: AxisScale) -> list[tuple[float, Fraction]]:
    """Return ticks for risks of the form 1, 2 or 5 times a power of ten, as many as have room."""
    low, high = across.ends
    sizes = [
        times * 10**power for power in range(12) for times in (1, 2, 5) if low <= -math.log10(times * 10**power) <= high
    ]
    ticks: list[tuple[float, Fraction]] = []
    for size in sizes:
        at = across(-math.log10(size))
        if not ticks or abs(at - ticks[-1][0]) >= 62:
            ticks.append((at, Fraction(1, size)))
    return ticks


def _threshold(at: float) -> str:
    if not _LEFT < at < _RIGHT:
        return ""
    return f'<path class="threshold" d="M{at:.1f} {_TOP}V{_BOTTOM}" stroke="#555555" stroke-dasharray="2 4"/>'


def _lines(points: Sequence[Point], places: Sequence[tuple[float, float]]) -> list[list[tuple[float, float]]]:
    """Return the lines that join undominated settings, each ordered by risk."""
    families: dict[Any, set[tuple[float, float]]] = {}
    for point, place in zip(points, places, strict=True):
        if point.undominated:
            families.setdefault(point.joined, set()).add(place)
    return [sorted(family) for family in families.values() if len(family) > 1]


def _joined(line: Sequence[tuple[float, float]]) -> str:
    path = "L".join(f"{x:.1f} {y:.1f}" for x, y in line)
    return f'<path class="joined" d="M{path}" fill="none" stroke="#444444" stroke-width="1.5"/>'


def _along(line: Sequence[tuple[float, float]]) -> list[LabelBox]:
    """Return small boxes along a line, so close that no label falls between them."""
    boxes = []
    for (x, y), (to_x, to_y) in pairwise(line):
        steps = math.ceil(math.hypot(to_x - x, to_y - y) / _MARK_RADIUS) or 1
        for step in range(steps + 1):
            at_x, at_y = x + (to_x - x) * step / steps, y + (to_y - y) * step / steps
            boxes.append(LabelBox(at_x - 1, at_y - 1, at_x + 1, at_y + 1))
    return boxes


def _mark(group: int, place: tuple[float, float], *, filled: bool) -> str:
    colour = _COLOURS[group % len(_COLOURS)]
    x, y = place
    return (
        f'<path class="{"undominated" if filled else "dominated"}" transform="translate({x:.1f} {y:.1f})" '
        f'd="{_MARKS[group % len(_MARKS)]}" fill="{colour if filled else "#ffffff"}" stroke="{colour}" '
        'stroke-width="1.6"/>'
    )


def _linked(point: Point, mark: str, place: tuple[float, float], wording: Wording) -> str:
    """Return a mark that leads to somewhere, with room around it to be hit, and words for who does not see it."""
    if not point.link:
        return mark
    told = {"label": point.label, "group": point.group, "count": point.smallest}
    words = wording.say("mark", **told, loss=wording.percent(point.loss))
    x, y = place
    return (
        f'<a href="{safe(point.link)}" aria-label="{safe(words)}"><title>{safe(words)}</title>'
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{_TARGET}" fill="transparent"/>{mark}</a>'
    )


def _spots(places: Sequence[tuple[float, float]]) -> list[list[int]]:
    """Return the groups of points that have nearly the same position."""
    spots: dict[tuple[int, int], list[int]] = {}
    for i, (x, y) in enumerate(places):
        spots.setdefault((round(x / _HAIR), round(y / _HAIR)), []).append(i)
    return list(spots.values())


def _side_by_side(places: Sequence[tuple[float, float]], spots: Sequence[Sequence[int]]) -> list[tuple[float, float]]:
    """Return the positions of the marks: those of one position are drawn side by side, so that none hides another."""
    marks = list(places)
    for spot in spots:
        for number, i in enumerate(spot):
            marks[i] = (places[i][0] + 2 * _MARK_RADIUS * (number - (len(spot) - 1) / 2), places[i][1])
    return marks


def _labels(
    points: Sequence[Point],
    marks: Sequence[tuple[float, float]],
    spots: Sequence[Sequence[int]],
    lines: Sequence[Sequence[tuple[float, float]]],
    wording: Wording,
) -> tuple[list[str], int]:
    """Return the labels that fit, and the number that do not; undominated settings come first.

    Points at one position share a label.
    """
    ordered = sorted(spots, key=lambda spot: not any(points[i].undominated for i in spot))
    words = [_together([points[i].label for i in spot], wording) for spot in ordered]
    taken = [LabelBox(x - _MARK_RADIUS, y - _MARK_RADIUS, x + _MARK_RADIUS, y + _MARK_RADIUS) for x, y in marks]
    taken += [box for line in lines for box in _along(line)]
    at = [marks[spot[-1]] for spot in ordered]
    boxes = label_boxes(at, words, LabelBox(_LEFT + 2, _TOP + 2, _RIGHT - 2, _BOTTOM - 2), taken, _SIZE)
    drawn = []
    for place, text, box in zip(at, words, boxes, strict=True):
        if box is None:
            continue
        middle, foot = (box.left + box.right) / 2, box.bottom - 0.3 * _SIZE
        halo = '<text paint-order="stroke" stroke="#ffffff" stroke-width="3" stroke-linejoin="round"'
        drawn.append(_leader(place, box))
        drawn.append(lettering(middle, foot, text, "middle", _SIZE, "label").replace("<text", halo, 1))
    return drawn, boxes.count(None)


def _together(labels: Sequence[str], wording: Wording) -> str:
    different = list(dict.fromkeys(labels))
    more = [wording.say("more", count=len(different) - 2)] if len(different) > 2 else []
    return "; ".join([*different[:2], *more])


def _leader(place: tuple[float, float], box: LabelBox) -> str:
    """Return a thin line to a label that is not next to its mark."""
    x, y = min(max(place[0], box.left), box.right), min(max(place[1], box.top), box.bottom)
    if math.hypot(x - place[0], y - place[1]) <= 2.2 * _MARK_RADIUS:
        return ""
    return f'<path class="leader" d="M{place[0]:.1f} {place[1]:.1f}L{x:.1f} {y:.1f}" stroke="#999999"/>'


def _legend(groups: Sequence[str], threshold: Fraction | None, wording: Wording) -> tuple[list[str], int]:
    """Return the legend, and its lower end on the page."""
    rows = [(_mark(number, (_LEGEND + 8, 0), filled=True), name) for number, name in enumerate(groups)]
    rows.append((_mark(3, (_LEGEND + 8, 0), filled=True), wording.say("filled")))
    rows.append((_mark(3, (_LEGEND + 8, 0), filled=False), wording.say("open")))
    line = f'<path d="M{_LEGEND} 0h16" stroke="#444444" stroke-width="1.5"/>'
    rows.append((line, wording.say("frontier")))
    if threshold is not None:
        dashed = f'<path d="M{_LEGEND} 0h16" stroke="#555555" stroke-dasharray="2 4"/>'
        rows.append((dashed, wording.say("risk", risk=wording.decimal(float(threshold), 4))))
    lines = []
    for number, (mark, words) in enumerate(rows):
        at = _TOP + 10 + _ROW * (number + (0.5 if number >= len(groups) else 0))
        short = words if len(words) <= _WIDE else f"{words[: _WIDE - 1]}…"
        text = lettering(_LEGEND + 24, 4, short, "start", 11, "legend")
        lines.append(f'<g transform="translate(0 {at:.1f})">{mark}{text}</g>')
    return lines, _TOP + _ROW * (len(rows) + 2)
