"""Fragments: a large table in parts, for searches whose memory grows with the number of records."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from shoal.classes.grouping import Parts
from shoal.search.problem import Problem


@dataclass(frozen=True, slots=True, eq=False)
class Fragment:
    """Some classes of a table, as a problem of their own.

    Args:
        problem: The problem of the records of these classes alone.
        parts: The classes.
        points: The number of each point of the fragment in the whole table.
    """

    problem: Problem
    parts: Parts
    points: NDArray[np.int32]


def fragments(problem: Problem, parts: Parts, most: int) -> Iterator[Fragment]:
    """Yield fragments of consecutive classes with roughly `most` records each; a single one if there are no more.

    Args:
        problem: The problem of all records.
        parts: Classes of all records, none of them empty; consecutive classes should be near each other. Records in no
            class are in the first fragment.
        most: The number of records of a fragment, roughly.
    """
    sizes = np.bincount(parts.classes + 1, weights=parts.counts).astype(np.int64)
    own = ((np.cumsum(sizes) - sizes) // most)[parts.classes + 1]
    order = np.argsort(own, kind="stable")
    for inside in np.split(order, np.flatnonzero(np.diff(own[order])) + 1):
        points, own_point = np.unique(parts.points[inside], return_inverse=True)
        classes, counts = parts.classes[inside], parts.counts[inside]
        tally = problem.tally.at(points, np.bincount(own_point, weights=counts).astype(np.int64))
        classes = np.where(classes >= 0, classes - classes[classes >= 0].min(), -1).astype(np.int32)
        yield Fragment(replace(problem, tally=tally), Parts(own_point.astype(np.int32), classes, counts), points)


def together(found: list[tuple[Fragment, Parts]]) -> Parts:
    """Return the classes that were found in all fragments, on the points of the whole table."""
    starts = np.cumsum([0, *(parts.n_classes for _, parts in found)])
    classes = [
        np.where(parts.classes >= 0, parts.classes + start, -1)
        for (_, parts), start in zip(found, starts, strict=False)
    ]
    return Parts(
        points=np.concatenate([fragment.points[parts.points] for fragment, parts in found]),
        classes=np.concatenate(classes).astype(np.int32),
        counts=np.concatenate([parts.counts for _, parts in found]),
    )
