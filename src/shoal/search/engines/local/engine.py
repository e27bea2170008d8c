"""Local: counts, assigns, publishes and writes records in memory, with NumPy."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.classes.grouping import Parts
from shoal.clusters.cluster_table import Radius, ValuesOption
from shoal.search.engines.engine import Counted, Engine
from shoal.search.engines.local import assigning, clusters, counting, publishing
from shoal.search.engines.placement import Placement
from shoal.search.problem import Solution
from shoal.tables.location import Location, Target
from shoal.tables.published import PublishedRows
from shoal.tables.rows import Rows

Labels = NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class Local(Engine[Labels, Labels, PublishedRows]):
    """A table in memory, as codes."""

    name: ClassVar[str] = "local"

    def count(self, watched: tuple[str, ...] = ()) -> Counted[Labels]:
        """Count in one pass over the codes."""
        return counting.count(self.table, self.hierarchies, self.weights, watched, self.populations)

    def assign(
        self, counted: Counted[Labels], solution: Solution, rng: np.random.Generator, *, blindly: bool = False
    ) -> Labels:
        """Look up the class of each point, and draw where there are several."""
        return assigning.assigned(self.table, counted, solution, rng, blindly=blindly)

    def parts(self, counted: Counted[Labels], classes: Labels) -> Parts:
        """Count pairs of numbers."""
        return Placement(None, classes, None).parts(counted.point_of)

    def publish(
        self, solution: Solution, classes: Labels, *, stars: bool, shuffled: bool, rng: np.random.Generator
    ) -> PublishedRows:
        """Make each different row once, and tell the order in which they occur."""
        return publishing.publish(self.table, solution, classes, stars=stars, shuffled=shuffled, rng=rng)

    def publish_clusters(
        self, solution: Solution, classes: Labels, *, radius: Radius, values: ValuesOption, rng: np.random.Generator
    ) -> tuple[pl.DataFrame, NDArray[np.int64]]:
        """Make a row for each class."""
        return clusters.publish_clusters(self.table, solution, classes, radius=radius, values=values, rng=rng)

    def write(self, released: PublishedRows, target: Target) -> Location:
        """Put them there as a whole."""
        target.put(iter([released.brief()]))
        return target.location

    def read_back(self, location: Location, names: Sequence[str]) -> tuple[Rows, dict[str, Any]]:
        """Read the columns, beside the digest of the whole, and count."""
        return location.counted(names)
