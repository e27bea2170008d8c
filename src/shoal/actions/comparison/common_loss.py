"""Common loss: the losses of releases of different searches, by one measure."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.classes.grouping import Parts
from shoal.jobs.source import Source
from shoal.measures.measure import Loss, Measure
from shoal.releases.release import Release
from shoal.search.engines.local import Counted, assigned
from shoal.search.local.closure import recoding_of
from shoal.search.local.partition import with_suppressed


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
    counted: Counted

    def loss(self, release: Release, source: Source, counted: Counted) -> Loss:
        """Return the loss of a release.

        Args:
            release: The release.
            source: The raw table.
            counted: The same, counted as its search saw it.
        """
        solution = release.solution
        if solution.spread is None and release.job.search.measure == self.measure:
            return solution.loss
        # a release draws its classes first from its seed, so these are the same
        classes = assigned(source.table, counted, solution, np.random.default_rng(release.job.search.seed))
        tally, parts = self.counted.tally, self._parts(classes)
        recoding = solution.recoding if solution.spread is None else recoding_of(tally, parts, self.measure)
        return self.measure.loss(*with_suppressed(tally, parts, recoding))

    def _parts(self, classes: NDArray[np.int32]) -> Parts:
        """Return how many records of each point of this tally are in which class."""
        width = int(classes.max(initial=-1)) + 2
        keys, counts = np.unique(self.counted.point_of.astype(np.int64) * width + classes + 1, return_counts=True)
        points, owners = np.divmod(keys, width)
        return Parts(points.astype(np.int32), (owners - 1).astype(np.int32), counts.astype(np.int64))
