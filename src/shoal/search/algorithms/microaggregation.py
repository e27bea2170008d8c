"""Microaggregation: classes of at least k records, each published as its mean, with a low sum of squared errors."""

from dataclasses import dataclass
from typing import Annotated, ClassVar

from pydantic import Field

from shoal.clusters.objectives import Objective
from shoal.clusters.searches.few_records import best_squares
from shoal.clusters.searches.mdav import MOST, mdav
from shoal.clusters.searches.points import FoundClusters, Points, is_flat, on_a_line
from shoal.clusters.searches.runs import best_runs
from shoal.foundation.progress import Progress, silent
from shoal.search.algorithms.algorithm import Algorithm
from shoal.search.clusters.finishing import Finish
from shoal.search.clusters.squared_errors import SquaresBound
from shoal.search.problem import Problem, Solution

_MOST = 100_000_000  # the largest number of moves, unless there are more records
_SLOWER = 4  # by how many times fewer moves are tried in a space where each takes longer


@dataclass(frozen=True, slots=True, kw_only=True)
class Microaggregation(Algorithm):
    """Start from the classes of MDAV, and anneal them: a low sum of squared errors.

    Idea: when a record moves from one class to another, the change of the sum of squares follows from the means and
    sizes of the two; so does that of a swap. Besides, up to four neighbouring classes are taken together and formed
    anew around records that are drawn at random or far from each other, as many as before, one more or one less. A
    change for the better is always accepted; one for the worse with a probability that falls with its size and with the
    temperature (simulated annealing).

    Guarantee: none, but never above MDAV. For one column of numbers, and for up to 18 records, no classes lose less
    (`clusters/searches/runs.py`, `clusters/searches/few_records.py`). Else a bound is proven where all columns are
    numbers under L2 (`search/clusters/squared_errors.py`).

    Correctness: before a change is made, each class has at least k records and passes a sufficient test of each
    promise. The promises are decided again on the answer, exactly.

    Cost: `effort` moves are tried for each record, fewer for more than 33,000 records; each costs about half a
    microsecond, on both cores, where all columns are numbers under L2. Elsewhere it costs some microseconds, and a
    quarter of the moves is tried. A time limit cuts the work short; else equal seeds give equal answers.

    Args:
        effort: How many moves are tried for each record.
        bound: How a lower bound is looked for: by a linear `program`, by the `near` records alone, or not (`none`).
    """

    name: ClassVar[str] = "microaggregation"
    reference: ClassVar[str] = "shoal; Domingo-Ferrer and Torra 2005 for the start"
    objective: ClassVar[Objective | None] = "sse"

    effort: Annotated[int, Field(ge=0)] = 3_000
    bound: SquaresBound = "program"

    def solve(self, problem: Problem, progress: Progress = silent) -> Solution:
        """Start, and improve."""

        def search(points: Points, _: int, deadline: float, tell: Progress) -> FoundClusters:
            best = best_runs(points, problem.k) or best_squares(points, problem.k)
            if best is not None:
                return FoundClusters(best, best=True)
            return FoundClusters(mdav(points, problem.k, deadline=deadline, progress=tell))

        effort = min(self.effort, max(_MOST // problem.tally.n_records, 1))
        if problem.metric is not None and not is_flat(problem.metric.space):
            effort = -(-effort // _SLOWER)
        most = None if problem.metric is not None and on_a_line(problem.metric.space) else MOST
        return Finish(objective="sse", effort=effort, most=most, squares=self.bound).solve(
            problem, self.name, search, progress
        )
