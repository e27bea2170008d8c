"""The engine: where the records of a table are, and the only one who handles them one by one.

All others see what crosses this line, and that is counted: a tally going out, a solution coming in, the different rows
of what was published going out again to be judged. Whatever can count can feed every algorithm, and whatever can join
can publish its result.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.classes.grouping import Parts
from shoal.classes.tally import Tally
from shoal.clusters.cluster_table import Radius, ValuesOption
from shoal.search.problem import Solution
from shoal.tables.hierarchies.hierarchy import Hierarchy
from shoal.tables.location import Location, Target
from shoal.tables.published import Published
from shoal.tables.rows import Rows
from shoal.tables.table import Table

Points = TypeVar("Points")
"""The point of each record of the table, where the engine keeps it; none but the engine looks at it."""
Labels = TypeVar("Labels")
"""The class of each record, likewise."""
Released = TypeVar("Released", bound=Published)
"""The records as they leave, where the engine keeps them."""


@dataclass(frozen=True, slots=True, eq=False)
class Counted(Generic[Points]):
    """A table's tally, and which point each record went to."""

    tally: Tally
    point_of: Points


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Engine(ABC, Generic[Points, Labels, Released]):
    """The records of one table, opened once with the hierarchies and outside tables that they are counted with.

    A run counts, lets an algorithm solve, assigns, publishes, writes, and reads back what it wrote:

        counted = engine.count(watched)
        classes = engine.assign(counted, solution, rng)
        released = engine.publish(solution, classes, stars=..., shuffled=..., rng=rng)
        location = engine.write(released, target)
        rows, file = engine.read_back(location, names)

    Equal tables give equal answers in every engine: the same tally; classes of the same sizes; the same records
    published, each as often; the same rows read back. Which records of a point that is split go to which of its
    classes, and the order of what is published, are drawn at random, and each engine has a way of its own.

    Args:
        table: The table: its records, or its different rows and how many records each stands for.
        hierarchies: The hierarchy of each quasi column, over the values of all tables; also of sensitive columns.
        weights: The weight of each quasi column.
        populations: Outside tables with the same quasi columns.
    """

    name: ClassVar[str]

    table: Table
    hierarchies: Mapping[str, Hierarchy]
    weights: Mapping[str, float] = field(default_factory=dict)
    populations: Mapping[str, Table] = field(default_factory=dict)

    @abstractmethod
    def count(self, watched: tuple[str, ...] = ()) -> Counted[Points]:
        """Count the records by their quasi values, and by their values in the columns `watched`.

        The tally does not depend on the order of the records. Outside tables are counted into the same points.
        """

    @abstractmethod
    def assign(
        self, counted: Counted[Points], solution: Solution, rng: np.random.Generator, *, blindly: bool = False
    ) -> Labels:
        """Give each record its class, or -1 if it is suppressed.

        A class gets as many records of each point as the solution says. Which of them is drawn at random: neither
        the order of the table nor a value decides who goes where. If it is done `blindly`, no value of another column
        makes a difference to what is drawn; then the order of the table does.
        """

    @abstractmethod
    def parts(self, counted: Counted[Points], classes: Labels) -> Parts:
        """Count the records by their point and their class; the points may be those of another count of the table."""

    @abstractmethod
    def publish(
        self, solution: Solution, classes: Labels, *, stars: bool, shuffled: bool, rng: np.random.Generator
    ) -> Released:
        """Make the records as they leave: generalized quasi columns, persons as numbers, others as they are.

        Args:
            solution: What each class is published as.
            classes: The class of each record.
            stars: Whether suppressed records leave with stars in their quasi columns; else they are left out.
            shuffled: Whether the records leave in a random order, which tells nothing of that of the table.
            rng: Where that order comes from.
        """

    @abstractmethod
    def publish_clusters(
        self, solution: Solution, classes: Labels, *, radius: Radius, values: ValuesOption, rng: np.random.Generator
    ) -> tuple[pl.DataFrame, NDArray[np.int64]]:
        """Make the table of clusters, in a random order, and tell the class that each of its rows stands for.

        Args:
            solution: What each class is published as, and how far its records are from that.
            classes: The class of each record.
            radius: Whether each cluster tells its own radius, or all the largest.
            values: Whether sensitive values are told as multisets or as sets.
            rng: Where the order comes from.
        """

    @abstractmethod
    def write(self, released: Released, target: Target) -> Location:
        """Put the records that leave where they belong, and say where that is."""

    @abstractmethod
    def read_back(self, location: Location, names: Sequence[str]) -> tuple[Rows, dict[str, Any]]:
        """Count the records of a written table by their values in some columns; also say what a certificate says of it.

        They are read from where they are now, whatever is still known of what was written.
        """
