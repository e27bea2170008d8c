"""Order: consecutive values of an ordered domain are grouped, then the groups, and so on."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar

from pydantic import Field

from shoal.tables.hierarchies.hierarchy import Hierarchy
from shoal.tables.hierarchies.numeric import natural_order, scaled
from shoal.tables.hierarchies.spec import HierarchySpec, check_order


@dataclass(frozen=True, slots=True, kw_only=True)
class Order(HierarchySpec):
    """Group `fanout` consecutive values, then `fanout` groups, and so on, until a star remains.

    A label shows the first and the last value of its group, `a - c`; a group of one is the value itself.

    Args:
        fanout: The number of nodes that form a group.
        order: All values in their order; else by number if all are numbers, else by text.
    """

    name: ClassVar[str] = "order"
    public: ClassVar[bool] = True

    fanout: Annotated[int, Field(ge=2)]
    order: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        """Raise an error for an order with a repeated value."""
        HierarchySpec.__post_init__(self)
        check_order(self.order)

    @property
    def named_values(self) -> tuple[str, ...]:
        """A given order."""
        return self.order or ()

    @property
    def fixed(self) -> bool:
        """True only if the order is given, since otherwise the groups depend on the values that occur."""
        return self.order is not None

    def strangers(self, values: Sequence[str], column: str, folder: Path = Path()) -> list[bool]:
        """Tell which values are not in the given order."""
        return [self.order is not None and value not in self.order for value in values]

    def build(self, values: Sequence[str], column: str, folder: Path = Path()) -> Hierarchy:
        """Return the hierarchy of groups of `fanout`, `fanout` squared, and so on."""
        ordered = natural_order(values) if self.order is None else self.order
        sizes = []
        size = self.fanout
        while size < len(ordered):
            sizes.append(size)
            size *= self.fanout
        return Hierarchy.below_star(ordered, _labels(ordered, sizes), _widths(ordered, sizes))


def _labels(ordered: Sequence[str], sizes: Sequence[int]) -> list[list[str]]:
    """Return the labels of the groups; the dash is lengthened until all labels are distinct."""
    dashes = 1
    while True:
        levels = [_level(ordered, size, f" {'-' * dashes} ") for size in sizes]
        counts = [-(-len(ordered) // size) for size in sizes]
        if all(len(set(level)) == count for level, count in zip(levels, counts, strict=True)):
            return levels
        dashes += 1


def _level(ordered: Sequence[str], size: int, dash: str) -> list[str]:
    labels: list[str] = []
    for start in range(0, len(ordered), size):
        group = ordered[start : start + size]
        labels += [group[0] if len(group) == 1 else group[0] + dash + group[-1]] * len(group)
    return labels


def _widths(ordered: Sequence[str], sizes: Sequence[int]) -> list[list[float]] | None:
    """Return the width of each group's range; None unless the values are numbers in ascending order."""
    found = scaled(ordered)
    if found is None or not ordered or found[0] != sorted(found[0]):
        return None
    numbers, unit = found
    last = len(numbers) - 1
    starts = [[i - i % size for i in range(len(numbers))] for size in sizes]
    widths = [
        [(numbers[min(start + size - 1, last)] - numbers[start]) / unit for start in level]
        for size, level in zip(sizes, starts, strict=True)
    ]
    return [*widths, [(numbers[-1] - numbers[0]) / unit]]
