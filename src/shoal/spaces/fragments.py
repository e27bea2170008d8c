"""Fragments: a large table part by part, for searches whose memory grows with the records that they hold."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from shoal.grouping import Parts
from shoal.models.k_anonymity import KAnonymity
from shoal.problem import Problem
from shoal.spaces.cuts import cut_down


@dataclass(frozen=True, slots=True, eq=False)
class Fragment:
    """Some of a table's records, as a problem of their own.

    Args:
        problem: What is asked, of these records alone.
        points: The point of the whole table that each of its points is.
    """

    problem: Problem
    points: NDArray[np.int64]


def fragments(problem: Problem, most: int) -> Iterator[Fragment]:
    """Yield all records of a table of up to `most`, or boxes of at least half as many, cut at medians.

    Each box keeps all promises as one class, and a point is in one box alone. Where many records are alike, no cut may
    be possible, and a box has more than `most`.
    """
    if problem.tally.n_records <= most:
        yield Fragment(problem, np.arange(problem.tally.n_points))
        return
    coarse = replace(problem, models=(*problem.models, KAnonymity(k=most // 2)), time_limit=None)
    boxes = cut_down(coarse, mode="strict", cut="median", categories="hierarchy").parts
    order = np.lexsort((boxes.points, boxes.classes))
    for places in np.split(order, np.flatnonzero(np.diff(boxes.classes[order])) + 1):
        points = boxes.points[places].astype(np.int64)
        tally = replace(
            problem.tally,
            codes=problem.tally.codes[points],
            profiles=problem.tally.profiles[points],
            counts=problem.tally.counts[points],
        )
        yield Fragment(replace(problem, tally=tally), points)


def together(found: list[tuple[Fragment, Parts]]) -> Parts:
    """Return the classes that were found in all fragments, on the points of the whole table."""
    starts = np.cumsum([0, *(parts.n_classes for _, parts in found)])
    classes = [
        np.where(parts.classes >= 0, parts.classes + start, -1)
        for (_, parts), start in zip(found, starts, strict=False)
    ]
    return Parts(
        points=np.concatenate([fragment.points[parts.points] for fragment, parts in found]).astype(np.int32),
        classes=np.concatenate(classes).astype(np.int32),
        counts=np.concatenate([parts.counts for _, parts in found]),
    )
