"""Releases of one level for each column with stars in single cells: all of them, on tiny tables."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product

from tests.oracles.all_partitions import Partitions
from tests.oracles.local.losses import Pricing
from tests.oracles.local.random_jobs import Case
from tests.oracles.local.tables import Cell
from tests.oracles.plain import Value


@dataclass(frozen=True)
class PricingAtLevels(Pricing):
    """The prices of releases in which a cell is the node of one level, or a star."""

    levels: Mapping[str, int] = field(default_factory=dict)

    def cell(self, column: str, values: Sequence[Value]) -> Cell:
        """Return the node that all values have at the level, or a star where they differ or the star costs less.

        A node of several levels is read as that of the lowest; so is one that covers all values, in place of the star.
        """
        table, level, every = self.table, self.levels[column], frozenset(self.table.domain(column))
        star = Cell(every, table.level_above(column, every))
        labels = {table.label(column, value, level) for value in values}
        if len(labels) > 1 or level == table.height(column):
            return star
        leaves = frozenset(table.below(column, labels.pop(), level))
        node = Cell(leaves, table.level_above(column, leaves))
        prices = [sum(self.price(column, value, cell) for value in values) for cell in (node, star)]
        return node if prices[0] <= prices[1] + 1e-9 else star


@dataclass(frozen=True)
class OneLevelCase(Case):
    """A request for such a release."""

    @cached_property
    def optimum(self) -> float | None:
        """The least loss at all choices of levels."""
        space = Partitions(self.table, self.rules)
        found = [space.optimum(self.measure, self.limit, self.pricing(levels)) for levels in self.choices]
        return min((loss for loss in found if loss is not None), default=None)

    @cached_property
    def choices(self) -> list[dict[str, int]]:
        """All choices of a level for each column."""
        heights = [range(self.table.height(column) + 1) for column in self.table.quasi]
        return [dict(zip(self.table.quasi, levels, strict=True)) for levels in product(*heights)]

    def pricing(self, levels: Mapping[str, int]) -> Pricing:
        """Return the prices at some levels."""
        return PricingAtLevels(self.table, self.measure, levels=levels)
