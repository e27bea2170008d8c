"""Lazy imports: a name is imported when it is first asked for, and not with the module that offers it.

A module writes such imports below `if TYPE_CHECKING:`, as plain lines that type checkers and editors know. They are
never run: they are read from the module's source, and so stand in one place alone. Every line has the form
`from room import Name as Name`, which says that the name is passed on (PEP 484).
"""

import ast
from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any, NamedTuple


class Import(NamedTuple):
    """A name, and the module that has it; `*` is all that the module offers."""

    module: str
    name: str

    def load(self) -> Any:
        """Import the module, and return what it calls so; that may be a module inside of it."""
        try:
            return getattr(import_module(self.module), self.name)
        except AttributeError:
            return import_module(f"{self.module}.{self.name}")


def offer(module: str, *own: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return `__getattr__` and `__dir__` of a module, which import what its source lists when it is asked for.

    Args:
        module: The module's name.
        own: What it offers beside, which it defines itself.
    """

    def find(name: str) -> Any:
        if name == "__all__":
            return [*own, *(line.name for line in imports_of(module) if line.name != "*")]
        if not name.startswith("_"):
            for line in imports_of(module):
                if line == (module, name):
                    return import_module(f"{module}.{name}")
                if line.name == name or (line.name == "*" and name in _offered(line.module)):
                    return Import(line.module, name).load()
        raise AttributeError(f"module '{module}' has no attribute '{name}'")

    def names() -> list[str]:
        lines = imports_of(module)
        listed = {line.name for line in lines if line.name != "*"}
        return sorted({*own, *listed, *(name for line in lines if line.name == "*" for name in _offered(line.module))})

    return find, names


@cache
def imports_of(module: str) -> tuple[Import, ...]:
    """Return what a module imports for type checkers, in the order of its lines."""
    found = []
    for node in source_of(module).body:
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            for line in node.body:
                if isinstance(line, ast.ImportFrom):
                    found += [Import(line.module or "", alias.name) for alias in line.names]
    return tuple(found)


def source_of(module: str) -> ast.Module:
    """Return the syntax tree of a module, which is not imported for that."""
    spec = find_spec(module)
    loader: Any = None if spec is None else spec.loader
    source = None if loader is None else loader.get_source(module)
    if source is None:
        raise ImportError(f"The source of {module} was not found: shoal reads from it what the module offers.")
    return ast.parse(source)


def _offered(module: str) -> list[str]:
    return list(import_module(module).__all__)
