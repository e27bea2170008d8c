"""DuckDb: records that DuckDB has counted; only their different rows are in memory."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.classes.grouping import Parts
from shoal.clusters.cluster_table import Radius, ValuesOption
from shoal.foundation.errors import SpecError
from shoal.search.engines.duckdb.spilled_records import SpilledRecords
from shoal.search.engines.engine import Counted, Engine
from shoal.search.engines.local.counting import count
from shoal.search.engines.placement import Placement, different_rows, placed
from shoal.search.problem import Solution
from shoal.tables.folder import PART_RECORDS
from shoal.tables.hierarchies.hierarchy import Hierarchy
from shoal.tables.location import Location, Target
from shoal.tables.published import PublishedRows
from shoal.tables.rows import Rows
from shoal.tables.table import Table, totals

Points = NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class DuckDb(Engine[Points, Placement, PublishedRows | SpilledRecords]):
    """A table whose records were counted by all columns that leave.

    Args:
        table: The table: its different rows, and how many records each stands for.
        hierarchies: The hierarchy of each quasi column, over the values of all tables; also of sensitive columns.
        weights: The weight of each quasi column.
        populations: Outside tables with the same quasi columns.
    """

    name: ClassVar[str] = "duckdb"

    table: Table
    hierarchies: Mapping[str, Hierarchy]
    weights: Mapping[str, float] = field(default_factory=dict)
    populations: Mapping[str, Table] = field(default_factory=dict)

    def count(self, watched: tuple[str, ...] = ()) -> Counted[Points]:
        """Count the rows by some of their columns."""
        return count(self.table, self.hierarchies, self.weights, watched, self.populations)

    def assign(
        self, counted: Counted[Points], solution: Solution, rng: np.random.Generator, *, blindly: bool = False
    ) -> Placement:
        """Place whole rows, and draw the records of those that are split."""
        return placed(self.table, counted, solution, rng, blindly=blindly)

    def parts(self, counted: Counted[Points], classes: Placement) -> Parts:
        """Count pairs of numbers."""
        return classes.parts(counted.point_of)

    def publish(
        self, solution: Solution, classes: Placement, *, stars: bool, shuffled: bool, rng: np.random.Generator
    ) -> PublishedRows:
        """Make each different row once. Equal records stand together, and the rows are in a random order."""
        if not shuffled:
            raise SpecError(
                "The engine duckdb counts the records and does not keep their order: order = 'input' needs the engine "
                "'local'."
            )
        rows, row_of, counts = different_rows(self.table, solution, classes, stars=stars)
        order = rng.permutation(rows.height)
        places = pl.Series(order.astype(np.uint32))
        different = [column.alias("").gather(places).alias(column.name) for column in rows]  # a name may be a pattern
        return PublishedRows(pl.DataFrame(different), totals(row_of, counts, rows.height)[order])

    def publish_clusters(
        self, solution: Solution, classes: Placement, *, radius: Radius, values: ValuesOption, rng: np.random.Generator
    ) -> tuple[pl.DataFrame, NDArray[np.int64]]:
        """Refuse: clusters are made of single records."""
        raise SpecError(NO_CLUSTERS.format(self.name))

    def write(self, released: PublishedRows | SpilledRecords, target: Target) -> Location:
        """Write some millions of records at a time."""
        target.put(released.parts(PART_RECORDS))
        return target.location

    def read_back(self, location: Location, names: Sequence[str]) -> tuple[Rows, dict[str, Any]]:
        """Let the location count, which knows nothing of DuckDB."""
        return location.counted(names)


NO_CLUSTERS = (
    "Algorithms that publish clusters handle records one by one, and the engine {} does not. Take the engine 'local', "
    "or an algorithm that recodes cells."
)
