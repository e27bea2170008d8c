"""Old names: modules that have moved are found by their old names for one version, with a warning.

So a package that adds members to the shelves, and was written for the version before, still works. The module that is
found is the one of the new name, and not a second one: its classes are the same.
"""

import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import Loader
from importlib.machinery import ModuleSpec
from types import ModuleType

_STAYED = (  # what a package that joins a shelf imports: where it is now, and what has kept its own name
    ("foundation", "errors shelf progress exact"),
    ("tables", "distance_matrix formats databases hierarchies"),
    ("classes", "tally grouping recoding observed"),
    ("clusters", "distances metric objectives cluster_table"),
    ("search", "problem algorithms"),
)
_RENAMED = {
    "sklearn": "actions.sklearn",
    "named": "foundation.members",
    "matching": "classes.wildcard_matching",
    "programs": "search.solver",
    "models.screen": "models.sufficient_test",
}
_FRONT = ("shoal.algorithms", "shoal.hierarchies", "shoal.sklearn")  # namespaces of the front door, whose names stay

MOVED = {f"shoal.{old}": f"shoal.{new}" for old, new in _RENAMED.items()}
MOVED |= {f"shoal.{name}": f"shoal.{new}.{name}" for new, names in _STAYED for name in names.split()}
"""The new names of modules and folders, by their old ones."""


def install() -> None:
    """Let modules be found by their old names, once for a process; before others look into the folders."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())


def new_name(old: str) -> str | None:
    """Return where a module is now, if it has moved itself or with its folder."""
    head, tail = old, ""
    while head not in MOVED:
        head, dot, last = head.rpartition(".")
        if not dot:
            return None
        tail = f".{last}{tail}"
    return MOVED[head] + tail


class _Finder:
    """Finds modules of shoal by their old names."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return what loads the module of the new name; None for all other modules."""
        if not name.startswith("shoal."):
            return None
        new = new_name(name)
        if new is None:
            return None
        if name not in _FRONT:
            words = f"The module '{name}' is now '{new}': its old name goes with the next version of shoal."
            warnings.warn(words, DeprecationWarning, stacklevel=2)
        return ModuleSpec(name, _Moved(new))


class _Moved(Loader):
    """Loads the module of a new name, and leaves it what it was."""

    def __init__(self, new: str) -> None:
        self._module = import_module(new)
        self._spec = self._module.__spec__

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return the module, which is there already."""
        return self._module

    def exec_module(self, module: ModuleType) -> None:
        """Give the module its own spec back, in place of that of the old name, and run nothing again."""
        module.__spec__ = self._spec
