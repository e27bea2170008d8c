"""Common loss: the losses of releases of different searches, by one measure."""

from dataclasses import dataclass
from typing import Any

from shoal.measures.measure import Loss, Measure
from shoal.releases.release import Release
from shoal.search.engines import Counted
from shoal.search.local.closure import recoding_of
from shoal.search.problem import with_suppressed


@dataclass(frozen=True, slots=True, eq=False)
class CommonLoss:
    """A measure, and the table that it is applied to.

    A release of cells is priced as published. A centre is not a cell, so a release of clusters is priced as if each
    cluster were published as the smallest cells that cover its records; this measures the quality of its classes. The
    loss of the centres, in distances, has no counterpart in a release of cells.

    Args:
        measure: The measure.
        counted: The table, counted by the columns that the measure uses, with the hierarchies of cells.
    """

    measure: Measure
    counted: Counted[Any]

    def loss(self, release: Release) -> Loss:
        """Return the loss of a release of the table."""
        run, solution = release.run, release.solution
        if solution.spread is None and run.job.search.measure == self.measure:
            return solution.loss
        tally, parts = self.counted.tally, run.engine.parts(self.counted, run.classes)
        recoding = solution.recoding if solution.spread is None else recoding_of(tally, parts, self.measure)
        return self.measure.loss(*with_suppressed(tally, parts, recoding))
