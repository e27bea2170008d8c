"""Label placement: labels beside the points of a picture, without overlaps."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_LETTER = 0.6  # width of a letter relative to its size; most are narrower
_NEAR = 10.0  # distance of a label from its point
_FAR = (1.0, 2.2, 3.6, 5.2, 7.0, 9.0)  # multiples of it; farther ones are tried only if no nearer box is free
_WAYS = ((1, 0), (0, -1), (0, 1), (-1, 0), (1, -1), (1, 1), (-1, -1), (-1, 1))


@dataclass(frozen=True, slots=True)
class LabelBox:
    """A rectangle on the page."""

    left: float
    top: float
    right: float
    bottom: float

    def overlaps(self, other: "LabelBox") -> bool:
        """Tell whether two boxes overlap."""
        beside = self.right <= other.left or other.right <= self.left
        return not (beside or self.bottom <= other.top or other.bottom <= self.top)

    def inside(self, other: "LabelBox") -> bool:
        """Tell whether this box lies within the other."""
        across = other.left <= self.left and self.right <= other.right
        return across and other.top <= self.top and self.bottom <= other.bottom


def label_boxes(
    points: Sequence[tuple[float, float]], labels: Sequence[str], page: LabelBox, taken: Sequence[LabelBox], size: int
) -> list[LabelBox | None]:
    """Return the nearest free box for each label; None if there is none.

    Args:
        points: The positions of the points, the most important labels first.
        labels: Their labels.
        page: The area for labels.
        taken: The boxes that are taken already.
        size: The size of the letters.
    """
    full = list(taken)
    found: list[LabelBox | None] = []
    for point, label in zip(points, labels, strict=True):
        free = (box for box in _around(point, len(label) * size * _LETTER, size * 1.2) if box.inside(page))
        box = next((one for one in free if not any(one.overlaps(other) for other in full)), None)
        found.append(box)
        if box is not None:
            full.append(box)
    return found


def _around(point: tuple[float, float], width: float, height: float) -> Iterator[LabelBox]:
    x, y = point
    for times in _FAR:
        for across, down in _WAYS:
            middle_x = x + across * (width / 2 + _NEAR * (times if down == 0 else max(times - 1, 0.3)))
            middle_y = y + down * (height / 2 + _NEAR * (times - 0.3))
            yield LabelBox(middle_x - width / 2, middle_y - height / 2, middle_x + width / 2, middle_y + height / 2)
