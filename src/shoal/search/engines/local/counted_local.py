"""CountedLocal: records that a database has counted, published as if each were in memory."""

from typing import ClassVar

import numpy as np

from shoal.search.engines.counted import CountedEngine
from shoal.search.engines.local.publishing import shuffled_rows
from shoal.search.engines.placement import Placement, different_rows
from shoal.search.problem import Solution
from shoal.tables.location import Location, Target
from shoal.tables.published import Published, PublishedRows


class CountedLocal(CountedEngine):
    """A table of a database that counts records itself. The release is that of `Local`, byte for byte."""

    name: ClassVar[str] = "local"

    def publish(
        self, solution: Solution, classes: Placement, *, stars: bool, shuffled: bool, rng: np.random.Generator
    ) -> PublishedRows:
        """Make each different row once, and draw the order in which the records leave."""
        self.check_order(shuffled=shuffled)
        rows, row_of, counts = different_rows(self.table, solution, classes, stars=stars)
        return shuffled_rows(rows, row_of, counts, rng)

    def write(self, released: Published, target: Target) -> Location:
        """Put them there as a whole."""
        target.put(iter([released.frame()]))
        return target.location
