"""DrawnSample: what part of a large table an attack was tried on, and how it was drawn."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class DrawnSample:
    """A part that was drawn by chance, each of its kind with the same probability.

    What is said of those who were drawn is exact, for they are compared with the whole release and table. Shares are
    estimates of those of the whole; numbers are those of the part.

    Args:
        unit: What was drawn: `persons`, or `classes`.
        number: How many.
        of: Of how many.
        seed: What it was drawn by.
    """

    unit: str
    number: int
    of: int
    seed: int

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON."""
        return {"unit": self.unit, "drawn": self.number, "of": self.of, "seed": self.seed}


def drawn_classes(sizes: NDArray[np.int64], most: int, seed: int) -> NDArray[np.int64]:
    """Draw classes one after another, as long as they hold at most so many records together; one in any case.

    Args:
        sizes: The number of records of each class.
        most: The number of records.
        seed: What they are drawn by.

    Returns:
        The classes, ascending.
    """
    order = np.random.default_rng(seed).permutation(len(sizes))
    held = np.cumsum(sizes[order])
    return np.sort(order[: max(int(np.searchsorted(held, most, side="right")), 1)])
