"""A taxonomy: a tree of named nodes, balanced or not, with the values as leaves."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from shoal.foundation.documents import json_of, toml_of
from shoal.foundation.errors import FieldError, SpecError
from shoal.tables.hierarchies.hierarchy import Hierarchy
from shoal.tables.hierarchies.spec import HierarchySpec, read_text


@dataclass(frozen=True, slots=True, kw_only=True)
class Taxonomy(HierarchySpec):
    """Read a tree: a table maps the name of each node to its children, a list contains values.

    `{"Any": {"Europe": ["France", "Italy"], "Asia": {"East": ["Japan"]}}}`: the single name at the top is the root. A
    list may contain tables too, for a node with both values and nodes below it. The values of the tree are the domain
    of the column, in the order of the tree. The tree need not be balanced: a value `d` steps below the root of a tree
    of height `h` stays itself up to level `h - d`.

    Args:
        path: A file with the tree, JSON if it ends in `.json`, else TOML.
        tree: The tree itself.
    """

    name: ClassVar[str] = "taxonomy"
    files: ClassVar[Mapping[str, str]] = {"path": "the file of the tree"}

    path: str | None = None
    tree: dict[str, Any] | None = None

    def __post_init__(self) -> None:
        """Raise an error unless exactly one of `path` and `tree` is given."""
        HierarchySpec.__post_init__(self)
        if (self.path is None) == (self.tree is None):
            raise FieldError("a taxonomy needs 'path' or 'tree', and not both")

    def build(self, values: Sequence[str], column: str, folder: Path = Path()) -> Hierarchy:
        """Return the hierarchy of the tree."""
        if self.path is None:
            return _Walk(f"taxonomy of column '{column}'").hierarchy(self.tree or {})
        where = f"taxonomy '{self.path}' of column '{column}'"
        return _Walk(where).hierarchy(_parse(read_text(folder / self.path, where), self.path, where))

    def strangers(self, values: Sequence[str], column: str, folder: Path = Path()) -> list[bool]:
        """Tell which values the tree lacks."""
        known = set(self.build(values, column, folder).values)
        return [value not in known for value in values]


@dataclass(slots=True)
class _Walk:
    """The nodes found so far: inner nodes by their path of names, and the parent of each value."""

    where: str
    paths: list[tuple[str, ...]] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    leaves: dict[str, int] = field(default_factory=dict)

    def hierarchy(self, tree: Mapping[str, Any]) -> Hierarchy:
        """Return the hierarchy; inner nodes are numbered after the leaves, the root last."""
        if len(tree) != 1:
            raise SpecError(
                f"No single top in the {self.where}: it has {len(tree)} names at the top. Put all nodes below one name."
            )
        [(root, below)] = tree.items()
        self._walk(root, below)
        self._check_names()
        last = len(self.leaves) + len(self.paths) - 1
        inner = [last - parent for parent in reversed(self.parents)]
        parent = [last - at for at in self.leaves.values()] + inner
        labels = [*self.leaves, *(path[-1] for path in reversed(self.paths))]
        return Hierarchy.of_parents(len(self.leaves), np.array(parent, dtype=np.int32), labels, self.where)

    def _walk(self, root: str, below: Any) -> None:
        """Visit the nodes from the top down, values in the order of the tree."""
        stack: list[tuple[tuple[str, ...], int, Any]] = [((root,), 0, below)]
        while stack:
            path, parent, node = stack.pop()
            if isinstance(node, str):
                self._add_leaf(path, parent, node)
                continue
            children = _children(node)
            if not children:
                raise SpecError(
                    f"Nothing that can be read below {_named(path)} in the {self.where}: a list of values (texts) or a "
                    "table of nodes is needed."
                )
            self.paths.append(path)
            self.parents.append(parent)
            if any(not isinstance(child, str) and name is None for name, child in children):
                raise SpecError(
                    f"The list below {_named(path)} in the {self.where} may hold only values (texts) and tables."
                )
            at = len(self.paths) - 1
            for name, child in reversed(children):
                stack.append((path, at, child) if name is None else ((*path, name), at, _listed(child)))

    def _add_leaf(self, path: tuple[str, ...], parent: int, value: str) -> None:
        if value in self.leaves:
            raise SpecError(
                f"A value stands twice in the {self.where}: below {_named(self.paths[self.leaves[value]])} and below "
                f"{_named(path)}."
            )
        if not value:
            raise SpecError(f"Empty value below {_named(path)} in the {self.where}: the missing value needs no leaf.")
        self.leaves[value] = parent

    def _check_names(self) -> None:
        first: dict[str, tuple[str, ...]] = {}
        for path in self.paths:
            if not path[-1]:
                raise SpecError(f"A node without a name in the {self.where}: {_named(path)}.")
            if first.setdefault(path[-1], path) != path:
                raise SpecError(
                    f"Two nodes of the same name in the {self.where}: {_named(first[path[-1]])} and {_named(path)}. "
                    "Give them different names, or a release could not tell them apart."
                )
            if path[-1] in self.leaves:
                below = self.paths[self.leaves[path[-1]]]
                raise SpecError(
                    f"A value below {_named(below)} has the name of a node in the {self.where}. Give the node another "
                    "name, or a release could not tell them apart."
                )


def _children(node: Any) -> list[tuple[str | None, Any]]:
    """Return the children of a node: values without a name, nodes with theirs; nothing if it is not a node."""
    if isinstance(node, Mapping):
        return [(str(name), child) for name, child in node.items()]
    children: list[tuple[str | None, Any]] = []
    for item in node if isinstance(node, list | tuple) else ():
        children += _children(item) if isinstance(item, Mapping) else [(None, item)]
    return children


def _listed(child: Any) -> Any:
    """Return None for a text in place of a list, so that it is refused and not taken as a value."""
    return None if isinstance(child, str) else child


def _named(path: tuple[str, ...]) -> str:
    return f"'{' > '.join(path)}'"


def _parse(text: str, path: str, where: str) -> dict[str, Any]:
    try:
        tree = json_of(text.encode(), where, _once) if path.endswith(".json") else toml_of(text)
    except ValueError as error:
        kind = "JSON" if path.endswith(".json") else "TOML"
        raise SpecError(f"The {where} is not a {kind} file: {error}.") from None
    if not isinstance(tree, dict):
        raise SpecError(f"The {where} is not a tree: a table of nodes is needed at the top.")
    return tree


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Raise an error for a name that occurs twice in one table, of which JSON would keep only the last."""
    if len(dict(pairs)) < len(pairs):
        raise ValueError("a name stands twice in one table")
    return dict(pairs)
