"""Shapes: what the pictures share; plain SVG on white, readable without colour, without fonts or other files."""

from collections.abc import Sequence

from shoal.reports.drawing.svg import lettering, safe

INK, FAINT, BLUE, RED, PALE = "#1d2329", "#c4cbd2", "#0b6e99", "#b8492b", "#e8f1f6"
LETTER = 6.1  # the mean width of a letter of size 11


def picture(title: str, words: str, width: float, height: float, parts: Sequence[str]) -> str:
    """Return a picture with its title, and what it shows in words, for who does not see it."""
    body = "\n".join(part for part in parts if part)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" font-family="sans-serif" fill="{INK}" role="img" '
        f'aria-labelledby="t d">\n'
        f'<title id="t">{safe(title)}</title>\n<desc id="d">{safe(words)}</desc>\n'
        f'<rect width="{width:.0f}" height="{height:.0f}" fill="#ffffff"/>\n{body}\n</svg>\n'
    )


def box(
    x: float, y: float, width: float, height: float, fill: str = "#ffffff", stroke: str = FAINT, heavy: float = 1
) -> str:
    """Return a rectangle with round corners."""
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="3" fill="{fill}" '
        f'stroke="{stroke}" stroke-width="{heavy:g}"/>'
    )


def line(*points: tuple[float, float], stroke: str = INK, heavy: float = 1, dashes: str = "") -> str:
    """Return a line through some points."""
    path = "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
    return f'<path d="M{path}" fill="none" stroke="{stroke}" stroke-width="{heavy:g}"{dashed}/>'


def arrow(x: float, y: float, to_x: float, to_y: float, stroke: str = BLUE) -> str:
    """Return an arrow along the page or down it."""
    level = abs(to_x - x) > abs(to_y - y)
    head = f"M{to_x - 7:.1f} {to_y - 5:.1f}l7 5l-7 5" if level else f"M{to_x - 5:.1f} {to_y - 7:.1f}l5 7l5 -7"
    return (
        line((x, y), (to_x, to_y), stroke=stroke, heavy=2)
        + f'<path d="{head}" fill="none" stroke="{stroke}" stroke-width="2"/>'
    )


def rows(
    x: float,
    y: float,
    widths: Sequence[float],
    cells: Sequence[Sequence[str]],
    *,
    head: bool = True,
    marked: Sequence[int] = (),
) -> str:
    """Return a table; its first row is the head, and the marked columns are those that others may know."""
    parts = []
    for number, row in enumerate(cells):
        left = x
        for column, (width, text) in enumerate(zip(widths, row, strict=True)):
            top = head and number == 0
            fill = PALE if column in marked and not top else "#ffffff"
            parts.append(
                f'<rect x="{left:.1f}" y="{y + 20 * number:.1f}" width="{width:.1f}" height="20" fill="{fill}" '
                f'stroke="{FAINT}"/>'
            )
            weight = ' font-weight="bold"' if top else ""
            parts.append(lettering(left + 5, y + 20 * number + 14, text, size=11).replace("<text", f"<text{weight}", 1))
            left += width
    return "\n".join(parts)
