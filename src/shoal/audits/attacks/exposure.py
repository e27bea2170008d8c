"""Exposure: the classes that an attack reaches, by number and size."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.audits.attacks.lazy_sequence import LazySequence
from shoal.classes.observed import Observed
from shoal.tables.hierarchies.hierarchy import Label


@dataclass(frozen=True, slots=True)
class ExposedClass:
    """A class that an attack reaches.

    Args:
        number: Its number, from 1, in the order of the published cells as texts.
        size: The number of its records.
        figures: What the attack measured in it.
        cells: What it publishes, by column; it is told only where it is asked for.
        value: The sensitive value in question, if there is one; likewise.
    """

    number: int
    size: int
    figures: Mapping[str, int | float]
    cells: Mapping[str, Label]
    value: Label = None

    def as_dict(self, *, show: bool = False) -> dict[str, Any]:
        """Return it as JSON; `show` adds what it publishes."""
        told: dict[str, Any] = {"class": self.number, "size": self.size, **self.figures}
        if show:
            told |= {"cells": dict(self.cells)} | ({} if self.value is None else {"value": self.value})
        return told


def exposed(
    observed: Observed,
    quasi: Sequence[str],
    classes: NDArray[np.integer],
    figures: Mapping[str, NDArray[Any]] | None = None,
    values: Sequence[Label] | None = None,
) -> LazySequence[ExposedClass]:
    """Name some classes, given with a figure each.

    Args:
        observed: The release.
        quasi: The names of its quasi columns.
        classes: The classes, in the order in which they are to be named.
        figures: For each name of a figure, its value for each of them.
        values: The sensitive value in question of each of them.
    """
    texts = [[*published, None] for published in observed.published]

    def make(i: int) -> ExposedClass:
        number = int(classes[i])
        return ExposedClass(
            number=number + 1,
            size=int(observed.groups.sizes[number]),
            figures={name: figure[i].item() for name, figure in (figures or {}).items()},
            cells={name: texts[j][observed.cells[number, j]] for j, name in enumerate(quasi)},
            value=None if values is None else values[i],
        )

    return LazySequence(len(classes), make)


def largest_first(sizes: NDArray[np.int64], where: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the classes at which `where` holds, the largest first, those of one size by number."""
    found = np.flatnonzero(where)
    return found[np.argsort(-sizes[found], kind="stable")]
