"""Masking: hide characters one by one from one end, as in 22030, 2203*, 220**."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from shoal.foundation.errors import SpecError
from shoal.tables.hierarchies.hierarchy import Hierarchy
from shoal.tables.hierarchies.spec import HierarchySpec


@dataclass(frozen=True, slots=True, kw_only=True)
class Masking(HierarchySpec):
    """Hide one more character at each level, then all of them behind a star.

    Positions count from the other end, up to the longest value: a shorter value has nothing at the far
    positions, so it stays itself until the mask reaches it. Level `i` so keeps a prefix (or a suffix) that
    the next level shortens, hence the levels nest. A label that is masked is as long as the longest value
    and one that is not yet masked is shorter, so two nodes of a level never share a label, even where
    values hold the mask character.

    Args:
        side: The end at which masking starts; `from` in a job file.
        levels: The number of masked levels below the star; all but the last character if left out.
        character: What a hidden character is written as.
        longest: The number of characters of the longest value; found out if left out.
    """

    name: ClassVar[str] = "masking"
    public: ClassVar[bool] = True

    side: Annotated[Literal["right", "left"], Field(alias="from")] = "right"
    levels: Annotated[int, Field(ge=1)] | None = None
    character: Annotated[str, Field(min_length=1, max_length=1)] = "*"
    longest: Annotated[int, Field(ge=1)] | None = None

    @property
    def fixed(self) -> bool:
        """Only if the longest is given: how much of a value stays depends on it."""
        return self.longest is not None

    def pinned(self, values: Sequence[str]) -> "Masking":
        """Write down how long the longest value is."""
        return self if self.longest is not None or not values else replace(self, longest=max(map(len, values)))

    def strangers(self, values: Sequence[str], column: str, folder: Path = Path()) -> list[bool]:
        """Tell which values are longer than the longest."""
        return [self.longest is not None and len(value) > self.longest for value in values]

    def build(self, values: Sequence[str], column: str, folder: Path = Path()) -> Hierarchy:
        """Mask every value up to each level."""
        longest = max(map(len, values), default=0)
        if self.longest is not None and longest > self.longest:
            raise SpecError(
                f"The longest value that the masking of column '{column}' knows has {self.longest} characters: "
                f"{sum(self.strangers(values, column))} of its {len(values)} different values are longer (they are not "
                "shown here, since they are data)."
            )
        longest = self.longest or longest
        steps = longest - 1 if self.levels is None else min(self.levels, longest - 1)
        ordered = sorted(values)
        return Hierarchy.below_star(
            ordered, [[self._masked(value, longest, step) for value in ordered] for step in range(1, steps + 1)]
        )

    def _masked(self, value: str, longest: int, step: int) -> str:
        kept = longest - step
        if len(value) < kept:
            return value
        return value[:kept] + self.character * step if self.side == "right" else self.character * step + value[-kept:]
