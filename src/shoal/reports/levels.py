"""The generalization lattice of a full-domain release: all combinations of levels, and the chosen one."""

from collections.abc import Mapping, Sequence
from itertools import product
from math import prod

from shoal.reports.drawing.charts import AFTER, BEFORE, WIDTH
from shoal.reports.drawing.svg import lettering, safe, short, small

_NODES, _BROADEST = 40, 8  # a lattice up to this many nodes, and this many in a row, is drawn node by node
_LABELS, _ROW, _LETTERS = 128, 26, 18
_OTHERS = 25  # most minimal generalizations that are drawn
_FAINT = "#9aa5ad"


def lattice(heights: Mapping[str, int], chosen: Mapping[str, int], minimal: Sequence[Mapping[str, int]]) -> str:
    """Return a picture of a lattice: node by node if it is small, else the levels of each column.

    Args:
        heights: The highest level of each column.
        chosen: The level of each column in the release.
        minimal: Other minimal generalizations that keep the promises.
    """
    nodes = prod(height + 1 for height in heights.values())
    if nodes <= _NODES and max(_rows(heights).values()) <= _BROADEST:
        return _whole(heights, chosen, minimal)
    return _ladders(heights, chosen, minimal)


def _rows(heights: Mapping[str, int]) -> dict[int, int]:
    """Return the number of nodes in each row of the lattice."""
    rows: dict[int, int] = {}
    for node in product(*(range(height + 1) for height in heights.values())):
        rows[sum(node)] = rows.get(sum(node), 0) + 1
    return rows


def _whole(heights: Mapping[str, int], chosen: Mapping[str, int], minimal: Sequence[Mapping[str, int]]) -> str:
    """Draw every node: the raw table at the bottom, all columns suppressed at the top."""
    rows = _rows(heights)
    top = max(rows)
    place: dict[tuple[int, ...], tuple[float, float]] = {}
    count: dict[int, int] = {}
    for node in product(*(range(height + 1) for height in heights.values())):
        row = sum(node)
        count[row] = count.get(row, 0) + 1
        place[node] = (WIDTH * (count[row] - 0.5) / rows[row], 16 + (top - row) * 34)
    parts = []
    for node, (x, y) in place.items():
        for column in range(len(node)):
            above = (*node[:column], node[column] + 1, *node[column + 1 :])
            if above in place:
                parts.append(f'<path d="M{x:.1f} {y}L{place[above][0]:.1f} {place[above][1]}" stroke="#d5dade"/>')
    own = tuple(chosen[name] for name in heights)
    others = {tuple(one[name] for name in heights) for one in minimal}
    for node, (x, y) in place.items():
        style = AFTER if node == own else BEFORE if node in others else 'fill="#eef1f3"'
        words = ", ".join(map(str, node))
        wide = 7.0 + 5.6 * len(words)
        parts.append(f'<rect x="{x - wide / 2:.1f}" y="{y - 9}" width="{wide:.1f}" height="18" rx="3" {style}/>')
        shown = lettering(x, y + 3.5, words, "middle", 10)
        parts.append(f'<g fill="#ffffff">{shown}</g>' if node == own else shown)
    title = f"The levels of {', '.join(heights)}: all {len(place)} generalizations"
    return small(parts, title, WIDTH, top * 34 + 32)


def _ladders(heights: Mapping[str, int], chosen: Mapping[str, int], minimal: Sequence[Mapping[str, int]]) -> str:
    """Draw a row for each column, with a dot for each level; a line joins the levels of one generalization."""
    names, most = list(heights), max(*heights.values(), 1)
    step = min((WIDTH - _LABELS - 20) / most, 40)

    def at(name: str, level: int) -> tuple[float, float]:
        return _LABELS + 8 + level * step, 16 + names.index(name) * _ROW

    def line(node: Mapping[str, int]) -> str:
        return "M" + "L".join(f"{x:.1f} {y}" for x, y in (at(name, node[name]) for name in names))

    parts = [f'<path d="{line(node)}" fill="none" stroke="{_FAINT}"/>' for node in minimal[:_OTHERS]]
    parts.append(f'<path d="{line(chosen)}" fill="none" stroke="#0b6e99" stroke-width="2.5"/>')
    for name, height in heights.items():
        y = at(name, 0)[1]
        parts.append(f"<g><title>{safe(name)}</title>{lettering(_LABELS - 6, y + 4, short(name, _LETTERS), 'end')}</g>")
        for level in range(height + 1):
            style = AFTER if level == chosen[name] else BEFORE
            parts.append(f'<circle cx="{at(name, level)[0]:.1f}" cy="{y}" r="5" {style}/>')
    bottom = 16 + len(names) * _ROW
    parts.append(lettering(_LABELS + 2, bottom + 2, "as it is", size=10))
    parts.append(lettering(at(names[0], most)[0] + 6, bottom + 2, "coarsest", "end", 10))
    return small(parts, "The level of each column", WIDTH, bottom + 10)
