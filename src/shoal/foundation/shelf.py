"""A shelf: an open set of classes, found by the name that people write."""

import ast
from collections.abc import Iterator
from difflib import get_close_matches
from functools import cached_property
from typing import Any, Generic, TypeVar, cast

from shoal.foundation.errors import SpecError
from shoal.foundation.lazy_imports import Import, imports_of, source_of
from shoal.foundation.plugins import Plugins

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

    The members are the imports that the shelf's folder lists for type checkers, in their order; see `lazy_imports`. A
    member is called as its file is, with dashes, so that names are known before anything is imported. Plug-ins are
    looked at only for a name that is none of shoal's own, or if all are asked for.

    Args:
        noun: What a member is called in a message, e.g. `privacy model`.
        room: The shelf's folder, e.g. `shoal.models`.
        base: The class that every member derives from, by its name in the room; what is in its file is no member.
        others: What else is listed in the room and is no member.
    """

    def __init__(self, noun: str, room: str, base: str, *others: str) -> None:
        self.noun = noun
        self.plural = room.rpartition(".")[2]
        self._room, self._base, self._others = room, base, others
        self._plugins: Plugins[T] = Plugins(f"shoal.{self.plural}", noun, lambda: self.own, lambda: self.base)

    @cached_property
    def _own(self) -> dict[str, Import]:
        lines = imports_of(self._room)
        apart = {line.module for line in lines if line.name in (self._base, *self._others)}
        return {line.module.rpartition(".")[2].replace("_", "-"): line for line in lines if line.module not in apart}

    @cached_property
    def base(self) -> type[T]:
        """The class that every member derives from."""
        return cast(type[T], next(line for line in imports_of(self._room) if line.name == self._base).load())

    def __iter__(self) -> Iterator[type[T]]:
        """Import one member after the other, those of plug-ins last."""
        for line in self._own.values():
            yield line.load()
        yield from self._plugins.load().values()

    @property
    def own(self) -> list[str]:
        """The names of shoal's own members, in the order of the shelf; nothing is imported for that."""
        return list(self._own)

    @property
    def names(self) -> list[str]:
        """All names, those of plug-ins last, which are loaded for that."""
        return [*self._own, *self._plugins.load()]

    @property
    def offered(self) -> list[str]:
        """All names, those of plug-ins by their entry points, so that nothing at all is imported."""
        return [*self._own, *self._plugins.offered()]

    def find(self, name: Any) -> type[T] | None:
        """Return the member called `name`, or None; a SpecError tells if it is a plug-in that is broken."""
        if not isinstance(name, str):
            return None
        return cast(type[T], self._own[name].load()) if name in self._own else self._plugins.find(name)

    def __getitem__(self, name: str) -> type[T]:
        """Return the member called `name`, or raise a SpecError that suggests one."""
        member = self.find(name)
        if member is None:
            raise SpecError(f"Unknown {self.noun} '{name}'. {did_you_mean(name, self.names)}")
        return member

    def declared(self, name: str, attribute: str) -> Any:
        """Return a constant that one of shoal's own members declares, or else the base; neither is imported."""
        base = next(line for line in imports_of(self._room) if line.name == self._base)
        for line in (self._own[name], base):
            for node in _body(line):
                if isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == attribute and node.value is not None:
                    return ast.literal_eval(node.value)
        raise AttributeError(f"{base.name} declares no '{attribute}'")


def _body(line: Import) -> list[ast.stmt]:
    """Return the statements of a class."""
    found = [node for node in source_of(line.module).body if isinstance(node, ast.ClassDef) and node.name == line.name]
    return found[0].body
