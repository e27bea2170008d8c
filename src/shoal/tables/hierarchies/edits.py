"""Edits: other rows of a hierarchy, by moving, naming and joining its nodes; every value keeps exactly one path.

A node is named by its label. Two nodes of different levels that share a label, but not their values, are told apart
first, since a release could not tell them apart either. A node stays itself from its lowest level up to the level below
its parent's lowest one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from shoal.foundation.errors import SpecError
from shoal.tables.hierarchies.rows import Rows, with_distinct_labels


@dataclass(frozen=True, slots=True)
class _Node:
    """A node: the rows below it, and the levels on which it stands."""

    label: str
    places: tuple[int, ...]
    low: int
    high: int


class _Nodes:
    """The nodes of some rows, by their labels."""

    def __init__(self, rows: Rows) -> None:
        self.rows = [list(row) for row in with_distinct_labels(rows)]
        self._at: list[dict[str, list[int]]] = []
        for level in range(len(self.rows[0]) if self.rows else 0):
            found: dict[str, list[int]] = {}
            for place, row in enumerate(self.rows):
                found.setdefault(row[level], []).append(place)
            self._at.append(found)

    @property
    def top(self) -> int:
        """The level of the top."""
        return len(self._at) - 1

    def get(self, label: str) -> _Node | None:
        """Return a node, if there is one of that label."""
        levels = [level for level, found in enumerate(self._at) if label in found]
        return _Node(label, tuple(self._at[levels[0]][label]), levels[0], levels[-1]) if levels else None

    def __getitem__(self, label: str) -> _Node:
        found = self.get(label)
        if found is None:
            raise SpecError("There is no such value or group in the hierarchy.")
        return found

    def chosen(self, labels: Sequence[str]) -> list[_Node]:
        """Return some nodes, without those that lie below another of them; the top is none that could be put away."""
        nodes = [self[label] for label in dict.fromkeys(labels)]
        if not nodes:
            raise SpecError("Choose at least one value or group.")
        if any(node.low == self.top for node in nodes):
            raise SpecError("The top of a hierarchy stays the top: choose what lies below it.")
        lows = {node.label: node.low for node in nodes}
        return [node for node in nodes if not self._below_any(node, lows)]

    def _below_any(self, node: _Node, lows: Mapping[str, int]) -> bool:
        """Tell whether a node lies below another; a group of one value has the same rows as the value."""
        return any(lows.get(label, -1) > node.low for label in self.rows[node.places[0]][node.low + 1 :])

    def above(self, chosen: Sequence[_Node], level: int) -> int:
        """Return the lowest level from one on where a node that is none of some has all of them below it."""
        own = {node.label for node in chosen}
        places = [place for node in chosen for place in node.places]
        while len(met := {self.rows[place][level] for place in places}) > 1 or met & own:
            level += 1
        return level


def grouped(rows: Rows, labels: Sequence[str], name: str) -> Rows:
    """Return the rows with some nodes put together below a new one, or below the group that has the name already.

    The new node comes below the lowest node that has all of them below it; if there is no level between, one is added.

    Args:
        rows: The rows.
        labels: The labels of the nodes, values or groups.
        name: The label of the new node.
    """
    nodes = _Nodes(rows)
    chosen = nodes.chosen(labels)
    if nodes.get(name) is not None:
        return moved(rows, [label for label in labels if label != name], name)
    _check_name(nodes, name)
    target = max(node.low for node in chosen) + 1
    parent = nodes.above(chosen, target)
    if target == parent:
        return grouped(with_level(nodes.rows, target - 1), labels, name)
    path = nodes.rows[chosen[0].places[0]]
    above = [*[name] * parent, *path[parent:]]
    for node in chosen:
        _lift(nodes.rows, node, target, above)
    return with_distinct_labels(nodes.rows)


def moved(rows: Rows, labels: Sequence[str], group: str) -> Rows:
    """Return the rows with some nodes below a group; below the top, they belong to no group any more.

    Args:
        rows: The rows.
        labels: The labels of the nodes, values or groups.
        group: The label of the group, or that of the top.
    """
    nodes = _Nodes(rows)
    chosen, goal = nodes.chosen(labels), nodes[group]
    if goal.low == 0 or any(_reaches(nodes.rows, node, goal) for node in chosen):
        raise SpecError("Nothing goes below a value, or below what lies in it: choose another group.")
    target = max(goal.low, *(node.low + 1 for node in chosen))
    if target > goal.high:
        nodes.rows = _raised(nodes.rows, goal, target - goal.high)
    above = list(nodes.rows[goal.places[0]])
    for place in goal.places:  # what was below the group stays itself up to the level on which all are in it
        for level in range(goal.low, target):
            nodes.rows[place][level] = nodes.rows[place][goal.low - 1]
    for node in chosen:
        _lift(nodes.rows, node, target, above)
    return with_distinct_labels(nodes.rows)


def _reaches(rows: Rows, node: _Node, goal: _Node) -> bool:
    """Tell whether a goal is a node, or lies below it."""
    return goal.low <= node.low and rows[goal.places[0]][node.low] == node.label


def _raised(rows: Rows, goal: _Node, steps: int) -> Rows:
    """Return the rows with some more levels, on which a node stays itself, and all that does not lie above it too."""
    above = rows[goal.places[0]]
    raised = []
    for row in rows:
        met = next(level for level in range(goal.high + 1, len(row)) if row[level] == above[level])
        raised.append([*row[:met], *[row[met - 1]] * steps, *row[met:]])
    return raised


def _lift(rows: Rows, node: _Node, target: int, above: Sequence[str]) -> None:
    """Let a node stay itself up to below a level, and take the path of another row from there."""
    for place in node.places:
        row = rows[place]
        rows[place] = [*row[: node.low], *[node.label] * (target - node.low), *above[target:]]


def renamed(rows: Rows, label: str, name: str) -> Rows:
    """Return the rows with another label for a group or for the top; a value keeps its own.

    Args:
        rows: The rows.
        label: The label of the node.
        name: Its new label.
    """
    nodes = _Nodes(rows)
    node = nodes[label]
    if label == name:
        return nodes.rows
    if node.low == 0:
        raise SpecError("A value keeps its name: put it into a group that has the name which is to be published.")
    if nodes.get(name) is not None:
        raise SpecError("A value or another group has this name already. Choose another, or put the two together.")
    _check_name(nodes, name)
    for place in node.places:
        row = nodes.rows[place]
        nodes.rows[place] = [*row[: node.low], *[name] * (node.high + 1 - node.low), *row[node.high + 1 :]]
    return nodes.rows


def with_level(rows: Rows, level: int) -> Rows:
    """Return the rows with one more level, on which every node of a level stays what it is.

    Args:
        rows: The rows.
        level: The level that the new one stands above; below the top.
    """
    _check_level(rows, level, 0, "A new level stands above one that is below the top")
    return [[*row[: level + 1], row[level], *row[level + 1 :]] for row in rows]


def without_level(rows: Rows, level: int) -> Rows:
    """Return the rows without a level; neither the values nor the top can go.

    Args:
        rows: The rows.
        level: The level.
    """
    _check_level(rows, level, 1, "Only a level between the values and the top can be taken away")
    return [[*row[:level], *row[level + 1 :]] for row in rows]


def _check_level(rows: Rows, level: int, least: int, words: str) -> None:
    most = len(rows[0]) - 2 if rows else -1
    if not least <= level <= most:
        between = f"from {least} to {most}" if least <= most else "and there is none"
        raise SpecError(f"{words}: {between}, not {level}.")


def _check_name(nodes: _Nodes, name: str) -> None:
    if not name.strip():
        raise SpecError("A group needs a name: it is what is published in place of its values.")
