"""Charts of a report: narrow enough for a phone, and readable without colour."""

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise

from shoal.reports.drawing.svg import lettering, safe, short, small
from shoal.reports.drawing.wording import ENGLISH, Wording

WIDTH = 360
"""The width of every chart; letters of size 11 are readable at that width on a phone."""

AFTER, BEFORE = 'fill="#0b6e99"', 'fill="#ffffff" stroke="#5b6670" stroke-width="1"'
ToPixels = Callable[[float], float]

_LINE, _FAINT = "#5b6670", "#d5dade"
_LABELS = 128  # width for labels
_ROW, _BAR = 20, 13
_SMALL, _LETTERS = 18, 23  # from these lengths on, a label is written smaller, and cut
_DEEPEST = 1000  # the largest class that a curve of risks shows


def bars(
    title: str,
    labels: Sequence[str],
    after: Sequence[float],
    before: Sequence[float] | None = None,
    words: tuple[str, str] = ("before", "after"),
    wording: Wording = ENGLISH,
) -> str:
    """Return a bar chart of shares, with a hollow bar above each for the share before.

    Args:
        title: The title.
        labels: The labels.
        after: The share of each label in the release.
        before: The share of each label in the raw table.
        words: What both are called in the legend.
        wording: The language of the figures.
    """
    most = max([*after, *(before or []), 1e-9])
    room, row = WIDTH - _LABELS - 56, _ROW if before is None else _ROW + _BAR
    parts = []
    for number, name in enumerate(labels):
        top = number * row + 4
        parts.append(f"<g>{_bar_label(name, top, row)}")
        sides = [(AFTER, after[number])] if before is None else [(BEFORE, before[number]), (AFTER, after[number])]
        for at, (style, share) in enumerate(sides):
            y = top + at * _BAR
            parts.append(
                f'<rect x="{_LABELS}" y="{y + 1}" width="{share / most * room:.1f}" height="{_BAR - 2}" {style}/>'
            )
            parts.append(lettering(_LABELS + share / most * room + 4, y + 10.5, wording.percent(share), size=10))
        parts.append("</g>")
    height = len(labels) * row + 6
    if before is not None:
        parts += _legend(height + 6, *words)
        height += 24
    return small(parts, title, WIDTH, height)


def _bar_label(name: str, top: float, row: float) -> str:
    size = 11 if len(name) <= _SMALL else 9
    shown = lettering(_LABELS - 6, top + row / 2 + 2, short(name, _LETTERS), "end", size)
    return f"<title>{safe(name)}</title>{shown}"


def _legend(y: float, before: str, after: str) -> list[str]:
    return [
        f'<rect x="{_LABELS}" y="{y}" width="12" height="9" {BEFORE}/>',
        lettering(_LABELS + 17, y + 8.5, before, size=10),
        f'<rect x="{_LABELS + 70}" y="{y}" width="12" height="9" {AFTER}/>',
        lettering(_LABELS + 87, y + 8.5, after, size=10),
    ]


def curve(
    title: str,
    k: int,
    after: Mapping[int, float],
    before: Mapping[int, float] | None = None,
    wording: Wording = ENGLISH,
) -> str:
    """Return a curve of the share of records in classes of fewer than x records, with a logarithmic x axis.

    Args:
        title: The title.
        k: The promised least class size.
        after: The share for each x, in the release, or in the only table that is shown.
        before: The share for each x, in the raw table.
        wording: The language of the figures.
    """
    left, right, top, bottom = 44.0, WIDTH - 16.0, 14.0, 170.0
    most = max(*after, _DEEPEST)

    def across(x: float) -> float:
        return left + (right - left) * math.log(x) / math.log(most)

    def up(share: float) -> float:
        return bottom - (bottom - top) * share

    parts = [
        f'<rect x="{left}" y="{top}" width="{right - left}" height="{bottom - top}" fill="none" stroke="{_FAINT}"/>'
    ]
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        parts.append(f'<path d="M{left} {up(share):.1f}h{right - left}" stroke="{_FAINT}"/>')
        parts.append(lettering(left - 5, up(share) + 3.5, wording.percent(share, 0), "end", 10))
    for x in (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000):
        parts.append(f'<path d="M{across(x):.1f} {bottom}v4" stroke="{_LINE}"/>')
        parts.append(lettering(across(x), bottom + 15, str(x), "middle", 10))
    if 1 < k <= most:
        parts.append(f'<path d="M{across(k):.1f} {top}V{bottom}" stroke="{_LINE}" stroke-dasharray="1 3"/>')
        parts.append(lettering(across(k), top - 3, f"k = {k}", "middle", 10))
    parts.append(lettering((left + right) / 2, bottom + 31, "x", "middle", 10))
    if before is not None:
        parts.append(_steps(before, across, up, f'stroke="{_LINE}" stroke-width="1.5" stroke-dasharray="5 3"', most))
    parts.append(_steps(after, across, up, 'stroke="#0b6e99" stroke-width="2.5"', most))
    y = bottom + 46
    if before is not None:
        parts.append(f'<path d="M{left} {y - 4}h22" stroke="{_LINE}" stroke-width="1.5" stroke-dasharray="5 3"/>')
        parts.append(lettering(left + 27, y, "before", size=10))
        parts.append(f'<path d="M{left + 90} {y - 4}h22" stroke="#0b6e99" stroke-width="2.5"/>')
        parts.append(lettering(left + 117, y, "after", size=10))
    return small(parts, title, WIDTH, y + 6 if before is not None else bottom + 40)


def _steps(shares: Mapping[int, float], across: ToPixels, up: ToPixels, style: str, most: float) -> str:
    """Return a step line."""
    points = sorted(shares.items())
    path = [f"M{across(points[0][0]):.1f} {up(points[0][1]):.1f}"]
    for (_, low), (x, high) in pairwise(points):
        path.append(f"H{across(x):.1f}" + (f"V{up(high):.1f}" if high != low else ""))
    path.append(f"H{across(most):.1f}")
    return f'<path d="{"".join(path)}" fill="none" {style}/>'


def against(title: str, loss: float, bound: float | None) -> str:
    """Return a loss from 0 to 1 as a bar, with a mark for the lower bound."""
    left, right = 8.0, WIDTH - 8.0
    room = right - left
    parts = [
        f'<rect x="{left}" y="20" width="{room}" height="18" fill="#ffffff" stroke="{_LINE}"/>',
        f'<rect x="{left}" y="20" width="{room * loss:.1f}" height="18" {AFTER}/>',
        lettering(left, 13, f"lost {percent(loss)}", size=11),
        lettering(right, 52, "all", "end", 10),
    ]
    if bound is not None:
        x = left + room * bound
        parts.append(f'<path d="M{x:.1f} 16V42" stroke="#b8492b" stroke-width="2"/>')
        anchor = "start" if bound < 0.5 else "end"
        parts.append(
            lettering(x + (4 if bound < 0.5 else -4), 67, f"no less than {percent(bound)} is possible", anchor, 10)
        )
        parts.append(f'<path d="M{x:.1f} 42V62" stroke="#b8492b" stroke-width="1"/>')
    return small(parts, title, WIDTH, 74)


def percent(share: float) -> str:
    """Return a share in per cent; a positive share is never shown as 0, nor one below 1 as 100."""
    return ENGLISH.percent(share)
