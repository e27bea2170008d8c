"""Masking: hide characters one by one from one end, as in 22030, 2203*, 220**."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from shoal.foundation.budgets import CHARACTERS
from shoal.foundation.errors import SpecError
from shoal.tables.hierarchies.hierarchy import Hierarchy
from shoal.tables.hierarchies.spec import HierarchySpec


@dataclass(frozen=True, slots=True, kw_only=True)
class Masking(HierarchySpec):
    """Hide one more character at each level, then the whole value behind a star.

    Positions are counted from the other end, up to the length of the longest value. A shorter value has no characters
    at the far positions, so it stays itself until the mask reaches it. Each level keeps a prefix (or suffix) that the
    next level shortens, so the levels nest. A masked label is as long as the longest value, and a label that is not
    masked yet is shorter. So two nodes of a level never share a label, even if values contain the mask character.

    Args:
        side: The end at which masking starts; `from` in a job file.
        levels: The number of masked levels below the star; by default one for each character but the last.
        character: The character that replaces a hidden one.
        longest: The length of the longest value; by default that of the data.
    """

    name: ClassVar[str] = "masking"
    public: ClassVar[bool] = True

    side: Annotated[Literal["right", "left"], Field(alias="from")] = "right"
    levels: Annotated[int, Field(ge=1)] | None = None
    character: Annotated[str, Field(min_length=1, max_length=1)] = "*"
    longest: Annotated[int, Field(ge=1)] | None = None

    @property
    def fixed(self) -> bool:
        """True only if `longest` is given, since it decides how much of a value is kept."""
        return self.longest is not None

    def pinned(self, values: Sequence[str]) -> "Masking":
        """State the length of the longest value explicitly."""
        return self if self.longest is not None or not values else replace(self, longest=max(map(len, values)))

    def strangers(self, values: Sequence[str], column: str, folder: Path = Path()) -> list[bool]:
        """Tell which values are longer than `longest`."""
        return [self.longest is not None and len(value) > self.longest for value in values]

    def build(self, values: Sequence[str], column: str, folder: Path = Path()) -> Hierarchy:
        """Return the hierarchy of the masked values."""
        longest = max(map(len, values), default=0)
        if self.longest is not None and longest > self.longest:
            raise SpecError(
                f"The longest value that the masking of column '{column}' knows has {self.longest} characters: "
                f"{sum(self.strangers(values, column))} of its {len(values)} different values are longer (they are not "
                "shown here, since they are data)."
            )
        longest = self.longest or longest
        steps = longest - 1 if self.levels is None else min(self.levels, longest - 1)
        if len(values) * steps * longest > CHARACTERS:
            raise SpecError(
                f"The masking of column '{column}' makes {steps} levels of {longest} characters for {len(values)} "
                f"different values: more than {CHARACTERS} characters. Give fewer 'levels', or the 'longest' value's "
                "true length."
            )
        ordered = sorted(values)
        return Hierarchy.below_star(
            ordered, [[self._masked(value, longest, step) for value in ordered] for step in range(1, steps + 1)]
        )

    def _masked(self, value: str, longest: int, step: int) -> str:
        kept = longest - step
        if len(value) < kept:
            return value
        return value[:kept] + self.character * step if self.side == "right" else self.character * step + value[-kept:]
