"""Fragments: a large table part by part, for searches whose memory grows with the records that they hold."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from shoal.grouping import Parts
from shoal.problem import Problem


@dataclass(frozen=True, slots=True, eq=False)
class Fragment:
    """Some classes of a table, as a problem of their own.

    Args:
        problem: What is asked, of the records of these classes alone.
        parts: The classes.
        points: The point of the whole table that each point of the fragment is.
    """

    problem: Problem
    parts: Parts
    points: NDArray[np.int32]

def fragments(problem: Problem, parts: Parts, most: int) -> Iterator[Fragment]:
    """Yield classes that stand near each other, of about `most` records at most; all of them if they are not more.

    The points of a table are sorted, so classes are near whose first points are.

    Args:
        problem: What is asked of all records.
        parts: Classes of all records, none of them empty.
        most: How many records a fragment may have, but for its last class.
    """
    first = np.full(parts.n_classes, problem.tally.n_points, dtype=np.int64)
    np.minimum.at(first, parts.classes, parts.points)
    order = np.argsort(first, kind="stable")
    sizes = np.bincount(parts.classes, weights=parts.counts).astype(np.int64)
    fragment_of = np.empty(parts.n_classes, dtype=np.int64)
    fragment_of[order] = (np.cumsum(sizes[order]) - sizes[order]) // most
    own = fragment_of[parts.classes]
    for number in np.unique(own):
        yield _fragment(problem, parts, np.flatnonzero(own == number))


def _fragment(problem: Problem, parts: Parts, inside: NDArray[np.int64]) -> Fragment:
    points, place = np.unique(parts.points[inside], return_inverse=True)
    _, classes = np.unique(parts.classes[inside], return_inverse=True)
    counts = parts.counts[inside]
    tally = replace(
        problem.tally,
        codes=problem.tally.codes[points],
        profiles=problem.tally.profiles[points],
        counts=np.bincount(place, weights=counts, minlength=len(points)).astype(np.int64),
    )
    own = Parts(place.astype(np.int32), classes.astype(np.int32), counts)
    return Fragment(replace(problem, tally=tally), own, points.astype(np.int32))


def together(found: list[tuple[Fragment, Parts]]) -> Parts:
    """Return the classes that were found in all fragments, on the points of the whole table."""
    starts = np.cumsum([0, *(parts.n_classes for _, parts in found)])
    return Parts(
        points=np.concatenate([fragment.points[parts.points] for fragment, parts in found]),
        classes=np.concatenate(
            [
                np.where(parts.classes >= 0, parts.classes + start, -1)
                for (_, parts), start in zip(found, starts, strict=False)
            ]
        ).astype(np.int32),
        counts=np.concatenate([parts.counts for _, parts in found]),
    )
