"""SVG elements, without scripts, fonts or external files."""

from collections.abc import Sequence
from html import escape


def lettering(x: float, y: float, words: str, anchor: str = "start", size: int = 11, kind: str = "") -> str:
    """Return a line of text.

    Args:
        x: Its horizontal position.
        y: Its baseline.
        words: The text.
        anchor: Whether `x` is its `start`, `middle` or `end`.
        size: The size of its letters.
        kind: Its CSS class.
    """
    named = f' class="{kind}"' if kind else ""
    return f'<text{named} x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}">{safe(words)}</text>'


def safe(words: str) -> str:
    """Return a text escaped for XML, without the characters that XML forbids."""
    return escape("".join(sign for sign in words if sign in "\t\n" or (sign >= " " and sign not in "\ufffe\uffff")))


def page(parts: Sequence[str], title: str, width: int, height: int, left: int, role: str = "img") -> str:
    """Return a complete picture with its title, which begins at `left`; its role is `group` if it has links in it."""
    body = "\n".join(part for part in parts if part)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        f'font-family="sans-serif" fill="#222222" role="{role}">\n<title>{safe(title)}</title>\n'
        f'<rect width="{width}" height="{height}" fill="#fafafa"/>\n{lettering(left, 24, title, "start", 14)}\n'
        f"{body}\n</svg>\n"
    )


def small(parts: Sequence[str], title: str, width: float, height: float) -> str:
    """Return a picture within a page, scaled to its width; the title is for screen readers and tooltips."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" role="img" '
        f'font-family="sans-serif" fill="#1d2329">\n<title>{safe(title)}</title>\n' + "\n".join(parts) + "\n</svg>"
    )


def short(words: str, letters: int) -> str:
    """Return a text, cut with an ellipsis if it is too long."""
    return words if len(words) <= letters else f"{words[: letters - 1]}…"
