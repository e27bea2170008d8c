"""What a hierarchy in a job file is: a recipe that becomes a Hierarchy once the values are known."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from shoal.hierarchies.hierarchy import Hierarchy


@dataclass(frozen=True, slots=True, kw_only=True)
class HierarchySpec(ABC):
    """A recipe for a hierarchy, as it stands in a job file."""

    name: ClassVar[str]

    @abstractmethod
    def build(self, values: Sequence[str], column: str, folder: Path) -> Hierarchy:
        """Return the hierarchy over the values of a column.

        Args:
            values: The different values that occur, without the missing one, in text order.
            column: The column's name, for messages.
            folder: Where relative paths of the recipe start.
        """
