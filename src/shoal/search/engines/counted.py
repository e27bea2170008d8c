"""Counted engine: records that were counted elsewhere, so that only their different rows are in memory."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.classes.grouping import Parts
from shoal.clusters.cluster_table import Radius, ValuesOption
from shoal.foundation.errors import SpecError
from shoal.search.engines.apart import ApartColumns, PlacedRows
from shoal.search.engines.engine import Counted, Engine
from shoal.search.engines.local.counting import count
from shoal.search.engines.placement import Placement, different_rows, placed
from shoal.search.problem import Solution
from shoal.tables.folder import PART_RECORDS
from shoal.tables.location import Location, Target
from shoal.tables.published import Published, PublishedRows
from shoal.tables.rows import Rows
from shoal.tables.table import totals

Points = NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class CountedEngine(Engine[Points, Placement, Published]):
    """A table whose records were counted by all columns that leave, or by all but some.

    Args:
        apart: The columns that it was not counted by, if there are some.
        numbers: The number of each row for these; None if they are numbered in their order.
    """

    apart: ApartColumns | None = None
    numbers: NDArray[np.int64] | None = None

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
    ) -> Published:
        """Make each different row once. Equal records stand together, and the rows are in a random order."""
        self.check_order(shuffled=shuffled)
        if self.apart is not None:
            return self._joined(self.apart, solution, classes, stars=stars, rng=rng)
        rows, row_of, counts = different_rows(self.table, solution, classes, stars=stars)
        order = rng.permutation(rows.height)
        places = pl.Series(order.astype(np.uint32))
        different = [column.alias("").gather(places).alias(column.name) for column in rows]  # a name may be a pattern
        return PublishedRows(pl.DataFrame(different), totals(row_of, counts, rows.height)[order])

    def _joined(
        self, apart: ApartColumns, solution: Solution, classes: Placement, *, stars: bool, rng: np.random.Generator
    ) -> Published:
        """Make each different row of the columns that were counted by once, and let the others join the records."""
        kept = classes if stars or not solution.suppressed else classes.kept()
        rows, row_of, counts = different_rows(self.table, solution, kept, stars=stars)
        assert counts is not None  # noqa: S101  (the table was counted)
        own = np.arange(len(row_of)) if kept.rows is None else kept.rows
        numbers = own if self.numbers is None else self.numbers[own]
        return apart.joined(PlacedRows(numbers, counts, row_of, rows), rng.bytes(16).hex())

    def check_order(self, *, shuffled: bool) -> None:
        """Raise a SpecError if the order of the table is asked for, which nobody knows here."""
        if not shuffled:
            raise SpecError(
                f"The engine {self.name} has counted the records and does not keep their order: order = 'input' is not "
                "possible here."
            )

    def publish_clusters(
        self, solution: Solution, classes: Placement, *, radius: Radius, values: ValuesOption, rng: np.random.Generator
    ) -> tuple[pl.DataFrame, NDArray[np.int64]]:
        """Refuse: clusters are made of single records."""
        raise SpecError(NO_CLUSTERS.format(self.name))

    def write(self, released: Published, target: Target) -> Location:
        """Write some millions of records at a time, from memory or from where they are kept."""
        target.put(released.parts(PART_RECORDS))
        return target.location

    def read_back(self, location: Location, names: Sequence[str]) -> tuple[Rows, dict[str, Any]]:
        """Let the location count, which knows nothing of engines."""
        return location.counted(names)


NO_CLUSTERS = (
    "Algorithms that publish clusters handle records one by one, and the engine {} does not. Take the engine 'local', "
    "or an algorithm that recodes cells."
)
