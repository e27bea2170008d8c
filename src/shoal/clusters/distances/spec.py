"""DistanceSpec: a distance in a job file, which becomes an axis of a metric space once the values are known."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from pydantic import ConfigDict

from shoal.classes.tally import QuasiColumn
from shoal.clusters.metric import Axis
from shoal.foundation.checked_fields import check_fields


@dataclass(frozen=True, slots=True, kw_only=True)
class DistanceSpec(ABC):
    """A recipe for the distances between the values of a column, as it stands in a job file.

    `along_hierarchy`: whether the distances come from the column's hierarchy. `any_value`: whether any text has a
    distance to the others, so that missing codes can stay values. `files`: its fields that name a file, with what that
    is, in words; relative paths start from the job's folder.
    """

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    name: ClassVar[str]
    along_hierarchy: ClassVar[bool] = False
    any_value: ClassVar[bool] = False
    files: ClassVar[Mapping[str, str]] = {}

    def __post_init__(self) -> None:
        """Check the parameters where they are written."""
        check_fields(self)

    @property
    def partner(self) -> str | None:
        """Another column that shares this axis, and so has no distance of its own; None if there is none."""
        return None

    @property
    def unit_given(self) -> bool:
        """Whether the recipe says what a distance of 1 is; else it is taken from the values, and tells of them."""
        return False

    @abstractmethod
    def axis(self, columns: Sequence[QuasiColumn], at: int, folder: Path = Path()) -> Axis:
        """Return the axis of a column; its distances form a metric, multiplied by the column's weight.

        Args:
            columns: All quasi columns.
            at: The index of the column among them.
            folder: The folder that relative paths refer to; the working directory by default.
        """
