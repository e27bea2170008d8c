"""A shelf: an open set of classes, found by the name that people write."""

from collections.abc import Iterator
from difflib import get_close_matches
from importlib.metadata import entry_points
from typing import Generic, TypeVar

from shoal.foundation.errors import SpecError

T = TypeVar("T")

_LISTED = 40  # names that a message lists at most


def did_you_mean(name: str, known: list[str]) -> str:
    """Suggest the nearest known name, or list them all, or the first of very many."""
    near = get_close_matches(name, known, n=1)
    if near:
        return f"Did you mean '{near[0]}'?"
    more = f" and {len(known) - _LISTED} more" if len(known) > _LISTED + 1 else ""
    return f"Known are: {', '.join(known[:_LISTED] if more else known)}{more}."


class Shelf(Generic[T]):
    """Members by their `name`; others may add theirs under the entry point group `shoal.<plural>`.

    Args:
        noun: What a member is called in a message, e.g. `privacy model`.
        plural: The shelf's folder, e.g. `models`.
        members: The classes, each with a class attribute `name`.
    """

    def __init__(self, noun: str, plural: str, members: list[type[T]]) -> None:
        self.noun = noun
        self.plural = plural
        self._members: dict[str, type[T]] = {self._name(member): member for member in members}
        self._searched = False

    @staticmethod
    def _name(member: type[T]) -> str:
        return str(vars(member)["name"])

    def _all(self) -> dict[str, type[T]]:
        if not self._searched:
            self._searched = True
            for point in entry_points(group=f"shoal.{self.plural}"):
                member = point.load()
                self._members.setdefault(self._name(member), member)
        return self._members

    def __iter__(self) -> Iterator[type[T]]:
        return iter(self._all().values())

    @property
    def names(self) -> list[str]:
        """All names, in the order of the shelf."""
        return list(self._all())

    def __getitem__(self, name: str) -> type[T]:
        """Return the member called `name`, or raise a SpecError that suggests one."""
        member = self._all().get(name)
        if member is None:
            raise SpecError(f"Unknown {self.noun} '{name}'. {did_you_mean(name, self.names)}")
        return member
