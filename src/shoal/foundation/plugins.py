"""Plug-ins: members that installed packages add to a shelf, by entry points; each is loaded when it is needed."""

import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Generic, TypeVar

from shoal.foundation.errors import PluginWarning, SpecError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

T = TypeVar("T")


class Plugins(Generic[T]):
    """The entry points of a group. A broken one is left out with one warning; who asks for it is told why.

    Args:
        group: The group, e.g. `shoal.models`.
        noun: What a member is called in a message.
        own: The names that shoal has itself, which nobody takes over.
        base: Returns the class that a member derives from.
    """

    def __init__(self, group: str, noun: str, own: Callable[[], list[str]], base: Callable[[], type[T]]) -> None:
        self._group, self._noun, self._own, self._base = group, noun, own, base
        self._waiting: list[EntryPoint] | None = None
        self._members: dict[str, type[T]] = {}
        self._packages: dict[str, str] = {}
        self._broken: dict[str, str] = {}

    def offered(self) -> list[str]:
        """Return the names of the entry points that are no name of shoal's own; nothing is loaded for that."""
        own = self._own()
        waiting = [point.name for point in self._points() if point.name not in own]
        return list(dict.fromkeys([*self._members, *waiting]))

    def find(self, name: str) -> type[T] | None:
        """Return the member called `name`; first that entry point is loaded that has its name, then the others.

        A SpecError tells that it is broken, and whose it is.
        """
        for point in [point for point in self._points() if point.name == name]:
            self._load(point, warn=False)
        if name not in self._members and name not in self._broken:
            self.load()
        if name not in self._members and name in self._broken:
            raise SpecError(f"The {self._noun} '{name}' cannot be used. {self._broken[name]}")
        return self._members.get(name)

    def load(self) -> dict[str, type[T]]:
        """Return all members by name."""
        for point in list(self._points()):
            self._load(point, warn=True)
        return self._members

    def _points(self) -> "list[EntryPoint]":
        """Return the entry points that are not loaded yet."""
        if self._waiting is None:
            from importlib.metadata import entry_points  # takes longer than to start; most runs need no plug-in

            self._waiting = list(entry_points(group=self._group))
        return self._waiting

    def _load(self, point: "EntryPoint", *, warn: bool) -> None:
        """Load an entry point, or keep why it cannot be used, by the name that it has and the one that it says."""
        self._points().remove(point)
        package, name = _package_of(point), None
        try:
            member = point.load()
        except Exception as error:  # whatever a stranger's code raises
            reason = f"cannot be loaded ({type(error).__name__}: {str(error).partition(chr(10))[0]})"
        else:
            name = _name_of(member)
            reason = self._refused(member, name)
            if name is not None and not reason:
                self._members[name], self._packages[name] = member, package
                return
        told = f"The plug-in '{point.name}' of the package '{package}' {reason}."
        self._broken |= dict.fromkeys([point.name, name or point.name], told)
        if warn:
            warnings.warn(f"{told} It is left out.", PluginWarning, stacklevel=2)

    def _refused(self, member: object, name: str | None) -> str:
        """Say why an object is no member."""
        base = self._base()
        if not isinstance(member, type) or not issubclass(member, base):
            return f"does not derive from {base.__module__}.{base.__name__}"
        if name is None:
            return "has no class attribute 'name' of its own"
        if name in self._own():
            return f"calls itself '{name}', as a {self._noun} of shoal does"
        if name in self._members:
            return f"calls itself '{name}', as one of the package '{self._packages[name]}' does"
        return ""


def _name_of(member: object) -> str | None:
    """Return the name that a class gives itself, if it does."""
    name = vars(member).get("name") if isinstance(member, type) else None
    return name if isinstance(name, str) else None


def _package_of(point: "EntryPoint") -> str:
    """Return the installed package that an entry point comes from."""
    return point.value.partition(":")[0].partition(".")[0] if point.dist is None else point.dist.name
