"""Common loss: one measure for the losses of releases that were made by different searches."""

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
    """A measure, and the table that it looks at.

    A release of cells is priced as it is published. A centre has no cell, so a release of clusters is priced as if each
    cluster were published as the least cell that covers its records: that tells how good its classes are. What the
    centres lose, by distances, no release of cells has.

    Args:
        measure: The measure.
        counted: The table, counted by the columns that the measure looks at, with the hierarchies of cells.
    """

    measure: Measure
    counted: Counted

    def loss(self, release: Release, source: Source, counted: Counted) -> Loss:
        """Return the loss of a release.

        Args:
            release: The release.
            source: The table that it was made of.
            counted: The same, counted as its search saw it.
        """
        solution = release.solution
        if solution.spread is None and release.job.search.measure == self.measure:
            return solution.loss
        # the first that a release draws from its seed are the classes, so these are the same
        classes = assigned(source.table, counted, solution, np.random.default_rng(release.job.search.seed))
        tally, parts = self.counted.tally, self._parts(classes)
        recoding = solution.recoding if solution.spread is None else recoding_of(tally, parts, self.measure)
        return self.measure.loss(*with_suppressed(tally, parts, recoding))

    def _parts(self, classes: NDArray[np.int32]) -> Parts:
        """Return which records of which point of our tally are in which class."""
        width = int(classes.max(initial=-1)) + 2
        keys, counts = np.unique(self.counted.point_of.astype(np.int64) * width + classes + 1, return_counts=True)
        points, owners = np.divmod(keys, width)
        return Parts(points.astype(np.int32), (owners - 1).astype(np.int32), counts.astype(np.int64))
