"""Exposure: the equivalence classes that an attack exposes, by number and size."""

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
    """An equivalence class that an attack exposes.

    Args:
        number: Its number, counted from 1 in the text order of the published cells.
        size: The number of its records.
        figures: The figures that the attack measured in it.
        cells: Its published cells, by column; shown only on request.
        value: The sensitive value that is learned, if there is one; shown only on request.
    """

    number: int
    size: int
    figures: Mapping[str, int | float]
    cells: Mapping[str, Label]
    value: Label = None

    def as_dict(self, *, show: bool = False) -> dict[str, Any]:
        """Return the class as JSON; `show` adds its cells and the value."""
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
    """List exposed classes with their figures; each is made when it is looked at.

    Args:
        observed: The release.
        quasi: The names of its quasi columns.
        classes: The classes, in the order of the list.
        figures: For each figure its value in each class.
        values: The sensitive value that is learned in each class.
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
    """Return the classes for which `where` is true, the largest first; ties by number."""
    found = np.flatnonzero(where)
    return found[np.argsort(-sizes[found], kind="stable")]
