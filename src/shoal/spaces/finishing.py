"""From the clusters that an algorithm found to a release: every promise is kept, and the objective lowered."""

from math import inf

import numpy as np
from numpy.typing import NDArray

from shoal.grouping import Parts
from shoal.objectives import Objective
from shoal.problem import Solution
from shoal.progress import Progress, silent
from shoal.spaces.clustering import Places
from shoal.spaces.improving import improved
from shoal.spaces.merging import joined
from shoal.spaces.points import Clusters

_JOINED = "clusters were joined to keep every promise, which the factor knows nothing of"


def finished(
    places: Places,
    clusters: Clusters,
    objective: Objective,
    *,
    free: bool,
    effort: int,
    factor: float | None = None,
    setup: float = 0.0,
    most: int | None = None,
    remark: str = "",
    deadline: float = inf,
    progress: Progress = silent,
) -> Solution:
    """Return the release of clusters that an algorithm found.

    Clusters that break a promise are joined with others. Then records move between clusters and centres move, where
    that lowers the objective and keeps the promises: it never grows, so that the factor stays. Only joining may lose it.

    Args:
        places: The table.
        clusters: The clusters; their bound is one on the objective.
        objective: What the algorithm lowers.
        free: Whether a centre may stand anywhere; else at a record only.
        effort: How many moves are tried for each record.
        factor: How many times the optimum the objective is at most.
        setup: What setting up a cluster costs.
        most: How many clusters there may be.
        remark: What the user should know.
        deadline: When to be done, by the monotonic clock.
        progress: Where to tell how far it is.
    """
    found, centres = places.parts(clusters), clusters.centres
    parts = mended(places, found)
    remarks = [remark] if remark else []
    if parts is not found:
        centres, factor = _starts(places, parts, free=free), None
        remarks.append(_JOINED)
    parts, centres = improved(
        places,
        parts,
        centres,
        objective,
        free=free,
        setup=setup,
        most=most,
        effort=effort,
        deadline=deadline,
        seed=places.problem.seed,
        progress=progress,
    )
    return places.solution(
        parts,
        centres,
        objective,
        bound=clusters.bound,
        guarantee="none" if factor is None else "factor",
        factor=factor,
        setup=setup,
        remark="; ".join(remarks),
    )


def mended(places: Places, parts: Parts) -> Parts:
    """Join clusters that break a promise with the nearest, until all hold; if all do, these very parts come back."""
    kept, inside = _released(parts)
    whole = joined(places.problem, kept, places.nearest)
    if whole is kept:
        return parts
    return Parts(
        np.concatenate([whole.points, parts.points[~inside]]),
        np.concatenate([whole.classes, parts.classes[~inside]]),
        np.concatenate([whole.counts, parts.counts[~inside]]),
    )


def _released(parts: Parts) -> tuple[Parts, NDArray[np.bool_]]:
    """Return the parts that are in clusters, and which they are."""
    inside = parts.classes >= 0
    return Parts(parts.points[inside], parts.classes[inside], parts.counts[inside]), inside


def _starts(places: Places, parts: Parts, *, free: bool) -> NDArray[np.float64]:
    """Return a first centre for each cluster: its mean or, where that is not allowed, its first record."""
    kept, _ = _released(parts)
    if free:
        return places.middles(kept)
    first = np.empty(kept.n_classes, dtype=np.int64)
    first[kept.classes[::-1]] = kept.points[::-1]
    return np.ascontiguousarray(places.points.positions[:, places.place_of[first]])
