"""MDAV: maximum distance to the average vector, the standard heuristic of microaggregation."""

from dataclasses import dataclass
from typing import Annotated, ClassVar

from pydantic import Field

from shoal.clusters.objectives import Objective
from shoal.clusters.searches.grouped import in_groups
from shoal.clusters.searches.mdav import MOST, mdav
from shoal.clusters.searches.points import Clusters, FoundClusters, Points
from shoal.clusters.searches.v_mdav import MOST as MOST_GROWN
from shoal.clusters.searches.v_mdav import v_mdav
from shoal.foundation.errors import SpecError
from shoal.foundation.progress import Progress, silent
from shoal.models.k_anonymity import KAnonymity
from shoal.search.algorithms.algorithm import Algorithm
from shoal.search.clusters.finishing import Finish
from shoal.search.clusters.squared_errors import SquaresBound
from shoal.search.problem import Problem, Solution


@dataclass(frozen=True, slots=True, kw_only=True)
class Mdav(Algorithm):
    """Take the record farthest from the mean and its k - 1 nearest as a class, then the same for the opposite record.

    Idea: while 3k records are left, the one farthest from their mean leaves with its k - 1 nearest, and then the one
    farthest from that one with its own. Of 2k to 3k - 1 records, one more class leaves; the others are the last class.
    Of equal distances, the first record in the order of the values counts. Each class is published as its mean;
    categories as the most frequent one.

    Guarantee: none. All classes have k records, except the last, which has up to 2k - 1; with `gamma` they have k to
    2k - 1, or more where a few are left over. It is the standard of comparison: `microaggregation` starts from it.

    Cost: O(points^2 / k) distances: 30,000 points, k = 3, in two seconds. When a time limit ends,
    the records that are left are cut into classes of k to 2k - 1 along their widest columns.

    Args:
        gamma: For V-MDAV, how readily a class grows beyond k records: a record joins that is nearer than `gamma` times
            its distance to others that are free. 0.2 where records are scattered, 1.1 where they lie in groups.
        by: A quasi column: records that differ in it are never in one class, so that it leaves as it is.
        bound: How a lower bound is looked for: by a linear `program`, by the `near` records alone, or not (`none`).
    """

    name: ClassVar[str] = "mdav"
    reference: ClassVar[str] = "Domingo-Ferrer and Torra 2005; Solanas and Martínez-Ballesté 2006 with gamma"
    objective: ClassVar[Objective | None] = "sse"

    gamma: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None
    by: str | None = None
    bound: SquaresBound = "near"

    def solve(self, problem: Problem, progress: Progress = silent) -> Solution:
        """Split the records, join what breaks a promise, and publish the mean of each class."""
        rows = None if self.by is None else self._rows_of(problem, self.by)
        at_once = MOST if self.gamma is None else MOST_GROWN

        def classes(points: Points, deadline: float, tell: Progress) -> Clusters:
            if self.gamma is not None:
                return v_mdav(points, problem.k, self.gamma, deadline=deadline, progress=tell)
            return mdav(points, problem.k, deadline=deadline, progress=tell)

        def search(points: Points, _: int, deadline: float, tell: Progress) -> FoundClusters:
            if rows is None or self.by is None:
                return FoundClusters(classes(points, deadline, tell))

            def within(some: Points, told: Progress) -> Clusters:
                return classes(some, deadline, told)

            return FoundClusters(in_groups(points, points.positions[rows], self.by, problem.k, within, at_once, tell))

        most = at_once if rows is None else None
        return Finish(objective="sse", most=most, squares=self.bound).solve(problem, self.name, search, progress)

    def _rows_of(self, problem: Problem, name: str) -> slice:
        """Return the coordinates of the column within whose values classes stay."""
        if any(not isinstance(model, KAnonymity) for model in problem.models):
            raise SpecError("Classes within groups ('by') keep k-anonymity alone. Leave 'by' out for further promises.")
        axes = () if problem.metric is None else problem.metric.axes
        columns = () if problem.metric is None else problem.metric.columns
        begin = 0
        for axis in axes:
            if name in {columns[number].name for number in axis.columns}:
                return slice(begin, begin + axis.width)
            begin += axis.width
        names = ", ".join(column.name for column in columns)
        raise SpecError(f"There is no quasi column '{name}' for 'by'. Quasi columns are: {names}.")
