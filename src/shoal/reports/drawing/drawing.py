"""Drawing: a picture as SVG, which a notebook shows, and a sheet of several pictures."""

import re
from collections.abc import Sequence
from pathlib import Path

from shoal.foundation.atomic_write import check_file, write_file
from shoal.reports.drawing.svg import lettering, safe

_WIDTH, _GAP, _HEAD = 360.0, 24.0, 22.0
_BOX = re.compile(r'viewBox="0 0 ([\d.]+) ([\d.]+)"')


class Drawing(str):
    """A picture: the text of an SVG file, which a notebook shows as what it draws."""

    __slots__ = ()

    def _repr_svg_(self) -> str:
        """Show the picture in a notebook."""
        return str(self)

    def __repr__(self) -> str:
        title = re.search("<title>(.*?)</title>", self)
        return f"<Drawing: {title[1] if title else 'without a title'}>"

    def write(self, path: str | Path) -> None:
        """Write the picture, in place of what stands there."""
        place = Path(path)
        check_file(place, force=True)
        write_file(place, lambda draft: draft.write_text(self, encoding="utf-8"), force=True)


def sheet(title: str, pictures: Sequence[tuple[str, str]], across: int = 2) -> Drawing:
    """Return several pictures as one, row by row, each below its own heading.

    Args:
        title: The title of the whole.
        pictures: The heading of each, and the picture, as SVG with a `viewBox` that begins at 0.
        across: The number of pictures of a row.
    """
    across = min(across, max(len(pictures), 1))
    parts, top = [], 44.0
    for start in range(0, len(pictures), across):
        row = [_placed(text) for _, text in pictures[start : start + across]]
        for number, ((heading, _), (body, height)) in enumerate(zip(pictures[start:], row, strict=False)):
            left = _GAP / 2 + number * (_WIDTH + _GAP)
            parts.append(lettering(left, top + 12, heading, size=12))
            parts.append(f'<svg x="{left:.0f}" y="{top + _HEAD:.0f}" width="{_WIDTH:.0f}" height="{height:.1f}" {body}')
        top += _HEAD + max(height for _, height in row) + _GAP
    width = across * (_WIDTH + _GAP)
    return Drawing(
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{top:.0f}" '
        f'viewBox="0 0 {width:.0f} {top:.0f}" font-family="sans-serif" fill="#1d2329" role="img">\n'
        f"<title>{safe(title)}</title>\n"
        f'<rect width="{width:.0f}" height="{top:.0f}" fill="#ffffff"/>\n'
        f"{lettering(_GAP / 2, 24, title, size=15)}\n" + "\n".join(parts) + "\n</svg>\n"
    )


def _placed(picture: str) -> tuple[str, float]:
    """Return a picture from its `viewBox` on, to stand within another, and its height there."""
    box = _BOX.search(picture)
    if box is None:
        raise ValueError("The picture has no viewBox that begins at 0.")
    wide, high = float(box[1]), float(box[2])
    return picture[box.start() :], high * _WIDTH / wide
