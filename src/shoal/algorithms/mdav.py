"""MDAV: maximum distance to the average vector, the usual way to microaggregate."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.algorithms.algorithm import Algorithm
from shoal.objectives import Objective
from shoal.problem import Problem, Solution
from shoal.progress import Progress, silent
from shoal.spaces.clustering import Places
from shoal.spaces.middles import means
from shoal.spaces.points import Clusters, Points


@dataclass(frozen=True, slots=True, kw_only=True)
class Mdav(Algorithm):
    """Take the record that is farthest from the mean and its k - 1 nearest as a class, and so with its opposite.

    Guarantee: none.
    """

    name: ClassVar[str] = "mdav"
    reference: ClassVar[str] = "Domingo-Ferrer and Torra 2005"
    objective: ClassVar[Objective | None] = "sse"

    def solve(self, problem: Problem, progress: Progress = silent) -> Solution:
        """Part the records, and publish the mean of each class."""
        places = Places.of(problem, self.name)
        clusters = mdav(places.points, problem.k)
        return places.solution(places.parts(clusters), clusters.centres, "sse")


def mdav(points: Points, k: int) -> Clusters:
    """Return the classes of MDAV, each around its mean."""
    record = np.repeat(np.arange(len(points)), points.counts)
    label = np.full(len(record), -1, dtype=np.int64)
    left, n_classes = np.arange(len(record)), 0
    while len(left) >= 3 * k:
        start = _mean(points, record[left])
        for _ in range(2):  # first the record farthest from the mean, then the one farthest from that
            far = left[np.argmax(_far(points, record[left], start))]
            start = points.positions[:, record[far]]
            near = np.argsort(_far(points, record[left], start), kind="stable")[:k]
            label[left[near]] = n_classes
            left = np.delete(left, near)
            n_classes += 1
    if len(left) >= 2 * k:
        far = left[np.argmax(_far(points, record[left], _mean(points, record[left])))]
        near = np.argsort(_far(points, record[left], points.positions[:, record[far]]), kind="stable")[:k]
        label[left[near]] = n_classes
        left = np.delete(left, near)
        n_classes += 1
    label[left] = n_classes
    keys, amounts = np.unique(record * (n_classes + 1) + label, return_counts=True)
    place, owner = np.divmod(keys, n_classes + 1)
    centres = means(points.space, points.positions[:, place], owner, amounts, n_classes + 1)
    return Clusters(place, owner, amounts, centres)


def _mean(points: Points, places: NDArray[np.int64]) -> NDArray[np.float64]:
    one = np.ones(len(places), dtype=np.int64)
    return means(points.space, points.positions[:, places], 0 * one, one, 1)[:, 0]


def _far(points: Points, places: NDArray[np.int64], middle: NDArray[np.float64]) -> NDArray[np.float64]:
    one = np.zeros(len(places), dtype=np.int64)
    clusters = Clusters(places, one, one + 1, middle[:, None])
    return clusters.far(points)
