"""HierarchySpec: a hierarchy in a job file, a recipe that becomes a Hierarchy once the values are known."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from pydantic import ConfigDict

from shoal.foundation.budgets import budget, read_bytes
from shoal.foundation.checked_fields import check_fields
from shoal.foundation.errors import FieldError, SpecError
from shoal.tables.hierarchies.hierarchy import Hierarchy


@dataclass(frozen=True, slots=True, kw_only=True)
class HierarchySpec(ABC):
    """A recipe for a hierarchy, as written in a job file.

    `files`: its fields that name a file, with what that is, in words; relative paths start from the job's folder.
    `public`: whether its fields may be told to those who get a release: they name no file, and no value of the data
    but those of `named_values`.
    """

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid", populate_by_name=True)

    name: ClassVar[str]
    files: ClassVar[Mapping[str, str]] = {}
    public: ClassVar[bool] = False

    @property
    def named_values(self) -> tuple[str, ...]:
        """The values of the data that the recipe names, if it is public."""
        return ()

    @property
    def date_format(self) -> str | None:
        """How dates are written, if the recipe says it."""
        return None

    def __post_init__(self) -> None:
        """Check the parameters when the recipe is made."""
        check_fields(self)

    @property
    def fixed(self) -> bool:
        """Whether two values always meet at the same level, whatever other values the column has."""
        return True

    def completed(self, values: Sequence[str]) -> "HierarchySpec":
        """Return the recipe with what it leaves open and a quasi column of a job needs, chosen by the values."""
        return self

    def pinned(self, values: Sequence[str]) -> "HierarchySpec":
        """Return a recipe that treats any values as this one treats these, as far as possible without naming them.

        What the recipe derives from the values becomes a parameter, such as the longest length or the notation of
        intervals.
        """
        return self

    def strangers(self, values: Sequence[str], column: str, folder: Path = Path()) -> list[bool]:
        """Tell which of the values the recipe cannot handle, so that `build` or `encode` would refuse them.

        Args:
            values: The distinct values, without the missing one.
            column: The column's name, for messages.
            folder: The folder that relative paths refer to.
        """
        return [False] * len(values)

    @abstractmethod
    def build(self, values: Sequence[str], column: str, folder: Path = Path()) -> Hierarchy:
        """Return the hierarchy over the values of a column.

        Args:
            values: The distinct values that occur, without the missing one, in any order.
            column: The column's name, for messages.
            folder: The folder that relative paths refer to; the working directory by default.
        """


def check_order(order: Sequence[str] | None) -> None:
    """Raise an error for an order with a repeated value."""
    first: dict[str, int] = {}
    for position, value in enumerate(order or (), 1):
        if first.setdefault(value, position) != position:
            raise FieldError(f"'order' names a value twice: at positions {first[value]} and {position}")


def read_text(path: Path, where: str) -> str:
    """Return the text of a recipe's file: UTF-8 with or without a byte order mark, else Latin-1."""
    try:
        raw = read_bytes(path)
    except FileNotFoundError:
        raise SpecError(f"No file for the {where}: '{path}' does not exist.") from None
    except OSError as error:
        raise SpecError(f"The file of the {where} cannot be read: '{path}' ({error.strerror}).") from None
    budget().check_items(sum(map(raw.count, (b"\n", b";", b",", b"\t"))), f"the file of the {where}")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        return raw.decode("latin-1")
