"""SVG: texts and shapes of a picture, safe for XML."""

from collections.abc import Iterable
from html import escape


def safe(text: str) -> str:
    """Return a text that XML can hold: characters that it forbids are left out."""
    return escape("".join(sign for sign in text if sign in "\t\n" or (sign >= " " and sign not in "\ufffe\uffff")))


def label(x: float, y: float, words: str, anchor: str = "start", size: int = 11, kind: str = "") -> str:
    """Return a line of text at a place."""
    named = f' class="{kind}"' if kind else ""
    return f'<text{named} x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}">{safe(words)}</text>'


def short(words: str, letters: int) -> str:
    """Cut a text that is too long, and show that."""
    return words if len(words) <= letters else f"{words[: letters - 1]}…"


def svg(width: float, height: float, title: str, parts: Iterable[str]) -> str:
    """Return a picture that is as wide as the page allows; the title is read aloud and shown by a pointer."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" role="img" '
        f'font-family="sans-serif" fill="#1d2329">\n<title>{safe(title)}</title>\n' + "\n".join(parts) + "\n</svg>"
    )
