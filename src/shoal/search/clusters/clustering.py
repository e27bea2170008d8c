"""Clusters of a table's records as a solution: each class is published as the centre of its cluster."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.classes.grouping import Grouping, Parts
from shoal.classes.recoding import Recoding, Subsets
from shoal.clusters.metric import Metric
from shoal.clusters.objectives import Objective, Spread
from shoal.clusters.searches.middles import means
from shoal.clusters.searches.points import Clusters, Points
from shoal.foundation.errors import InfeasibleError, SpecError
from shoal.kernels.clusters.metrics import Space, distances_between, distances_of_pairs
from shoal.search.lattice.diagnosis import infeasible
from shoal.search.lattice.lattice import Lattice
from shoal.search.problem import Guarantee, Problem, Solution
from shoal.search.removal import broken_by
from shoal.tables.distinct_rows import distinct_rows
from shoal.tables.hierarchies.hierarchy import Label

_ROUNDING = 1e-9  # a loss this close to its bound equals it


@dataclass(frozen=True, slots=True, eq=False)
class MetricTable:
    """A problem's table as points of a metric space.

    Args:
        problem: The problem.
        metric: The metric.
        points: The points; records that are alike in all quasi columns are one point.
        point_of: The point of each point of the tally.
    """

    problem: Problem
    metric: Metric
    points: Points
    point_of: NDArray[np.int32]

    @classmethod
    def of(cls, problem: Problem, name: str) -> "MetricTable":
        """Return the table of a problem that clusters can solve; else raise an error.

        Args:
            problem: The problem.
            name: The name of the algorithm, for messages.
        """
        _check(problem, name)
        if problem.metric is None:
            raise SpecError(f"The algorithm '{name}' needs to know how far records are from each other.")
        tally = problem.tally
        sizes = [column.hierarchy.n_leaves for column in tally.quasi]
        point_of, rows = distinct_rows(list(tally.codes.T), sizes, tally.n_points)
        counts = np.bincount(point_of, weights=tally.counts, minlength=len(rows)).astype(np.int64)
        points = Points(problem.metric.space, problem.metric.positions(rows), counts)
        return cls(problem, problem.metric, points, point_of)

    def parts(self, clusters: Clusters) -> Parts:
        """Return the classes of clusters; where a point is split, each cluster gets a share of its sensitive values.

        The records of a point are assigned evenly: of c records with the same sensitive values, the first comes at 1/2c
        of the way, the next at 3/2c, and so on, whatever other records there are.
        """
        counts = self.problem.tally.counts
        origin = np.repeat(np.arange(len(counts)), counts)
        number = np.arange(len(origin)) - np.repeat(np.cumsum(counts) - counts, counts)
        origin = origin[np.lexsort((origin, (2 * number + 1) / counts[origin], self.point_of[origin]))]
        order = np.lexsort((clusters.owners, clusters.points))
        owners = np.repeat(clusters.owners[order], clusters.amounts[order])
        keys, amounts = np.unique(origin * (clusters.n_clusters + 1) + owners + 1, return_counts=True)
        points, owners = np.divmod(keys, clusters.n_clusters + 1)
        return Parts(points.astype(np.int32), (owners - 1).astype(np.int32), amounts.astype(np.int64))

    def solution(
        self,
        parts: Parts,
        centres: NDArray[np.float64],
        objective: Objective,
        *,
        bound: float | None = None,
        guarantee: Guarantee = "none",
        factor: float | None = None,
        setup: float = 0.0,
        remark: str = "",
    ) -> Solution:
        """Return the release of clusters; all promises are tested again, and all distances computed again.

        Args:
            parts: The records of each cluster, none of which is empty; those in none are suppressed.
            centres: `centres[:, cluster]`, their positions.
            objective: The loss.
            bound: A proven lower bound on it.
            guarantee: What the algorithm guarantees; a loss that reaches its bound is optimal.
            factor: The proven factor.
            setup: The fixed cost of a cluster.
            remark: What the user should know.
        """
        problem, tally = self.problem, self.problem.tally
        inside = parts.classes >= 0
        kept = Parts(parts.points[inside], parts.classes[inside], parts.counts[inside])
        groups = Grouping.of_parts(tally, kept, centres.shape[1])
        suppressed = tally.n_records - groups.n_records
        if suppressed > problem.limit or not problem.released(groups, None).all():
            raise InfeasibleError(
                f"The clusters that were found do not keep every promise with at most {problem.limit} records left "
                "out. Allow more, or use an algorithm that recodes each class, such as 'tightest'."
            )
        centres = self.metric.rounded(centres)
        spread = self.spread(kept, centres)
        loss = spread.loss(objective, self._whole(), setup)
        if bound is not None and loss.total <= bound * (1 + _ROUNDING):
            bound, guarantee, factor = loss.total, "optimal", None
        return Solution(
            parts=parts,
            groups=groups,
            recoding=self._recoding(centres),
            suppressed=suppressed,
            loss=loss,
            bound=bound,
            guarantee=guarantee,
            factor=factor,
            remark=remark,
            spread=spread,
        )

    def spread(self, parts: Parts, centres: NDArray[np.float64]) -> Spread:
        """Return how far the records of each cluster are from its centre."""
        here = np.ascontiguousarray(self.points.positions[:, self.point_of[parts.points]])
        there = np.ascontiguousarray(centres[:, parts.classes])
        space = self.points.space
        spaces = [*(_one_axis(space, axis) for axis in range(len(space.kinds))), space]
        far = np.column_stack([distances_of_pairs(one, here, there) for one in spaces])
        n_clusters = centres.shape[1]
        radii, sums, squares = (np.zeros((n_clusters, far.shape[1])) for _ in range(3))
        np.maximum.at(radii, parts.classes, far)
        np.add.at(sums, parts.classes, far * parts.counts[:, None])
        np.add.at(squares, parts.classes, far**2 * parts.counts[:, None])
        names = tuple(self.metric.columns[axis.columns[0]].name for axis in self.metric.axes)
        sizes = np.bincount(parts.classes, weights=parts.counts, minlength=n_clusters).astype(np.int64)
        return Spread(names, sizes, radii, sums, squares)

    def middles(self, parts: Parts) -> NDArray[np.float64]:
        """Return the mean position of each cluster."""
        positions = self.points.positions[:, self.point_of[parts.points]]
        return means(self.points.space, positions, parts.classes.astype(np.int64), parts.counts, parts.n_classes)

    def nearest(
        self, parts: Parts, asking: NDArray[np.int64], most: int
    ) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """Return the clusters whose means are nearest to those of the asking ones, and their distances."""
        middles = self.middles(parts)
        most = min(most, parts.n_classes - 1)
        others = np.empty((len(asking), most), dtype=np.int32)
        far = np.empty((len(asking), most))
        for number, own in enumerate(asking.tolist()):
            row = distances_between(self.points.space, middles[:, own : own + 1], middles)[0]
            row[own] = np.inf
            others[number] = np.argsort(row, kind="stable")[:most]
            far[number] = row[others[number]]
        return others, far

    def _whole(self) -> Spread:
        """Return the spread of all records as one cluster around their mean."""
        tally = self.problem.tally
        every = Parts.whole(tally, np.zeros(tally.n_points, dtype=np.int32))
        return self.spread(every, self.middles(every))

    def _recoding(self, centres: NDArray[np.float64]) -> Recoding:
        """Return the centres as cells; each distinct text is a cell."""
        texts = self.metric.texts(centres)
        shown, cells = [], []
        for column in self.metric.columns:
            number: dict[Label, int] = {}
            codes = [number.setdefault(text, len(number)) for text in texts[column.name]]
            zeros = np.zeros(len(number), dtype=np.int32)
            shown.append(Subsets(tuple(number), zeros, zeros))
            cells.append(codes)
        return Recoding(self.metric.columns, tuple(shown), np.array(cells, dtype=np.int32).T.copy())


def _one_axis(space: Space, axis: int) -> Space:
    one = slice(axis, axis + 1)
    return space._replace(
        kinds=space.kinds[one],
        starts=space.starts[one],
        weights=space.weights[one],
        table_starts=space.table_starts[one],
        table_sizes=space.table_sizes[one],
    )


def _check(problem: Problem, name: str) -> None:
    """Raise an error if clusters cannot solve a problem."""
    if problem.tally.populations:
        raise SpecError(
            f"The algorithm '{name}' publishes centres, which stand for no records of an outside table. Use a "
            "full-domain algorithm such as 'optimal' for k-map and delta-presence."
        )
    if problem.wildcard and any(column.hierarchy.missing_leaf >= 0 for column in problem.tally.quasi):
        raise SpecError(
            f"The algorithm '{name}' measures distances, and a missing value that matches everything has none. Use "
            "missing = 'category', where it is as far from all values as can be, or 'drop'."
        )
    if problem.stars and problem.limit > 0:
        raise SpecError(f"The algorithm '{name}' leaves outliers out. Use suppressed = 'drop'.")
    if broken_by(problem.models, problem.tally):
        raise infeasible(Lattice(problem))
