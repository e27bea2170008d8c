"""Minimal generalizations, and Samarati's criteria for preferring one of them."""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Literal

from shoal.foundation.errors import InfeasibleError, SpecError
from shoal.foundation.progress import Progress, silent
from shoal.search.lattice.cells import Node
from shoal.search.lattice.lattice import Lattice, NodeOutcome
from shoal.search.lattice.selection import NOTHING_SETTLED

Preference = Literal["absolute-distance", "relative-distance", "distribution", "suppression"]


def minimal_nodes(lattice: Lattice, progress: Progress = silent) -> list[Node]:
    """Return all feasible nodes below which no other is feasible (002 Definition 3.4, with `<=`).

    Where feasibility is inherited upwards, a node above a feasible one is not evaluated; else all nodes are.
    """
    allowed: set[Node] = set()
    minimal: list[Node] = []
    for done, node in enumerate(lattice.all_nodes()):
        lattice.keep_time("all minimal generalizations were found")
        below = any(step in allowed for step in lattice.below(node))
        if below and lattice.inherits:
            allowed.add(node)
        elif lattice.allowed(node):
            allowed.add(node)
            minimal.append(node)
        progress("looking for minimal generalizations", done / lattice.n_nodes)
    if lattice.n_undecided:
        raise InfeasibleError(
            f"It is undecided whether {lattice.n_undecided} generalizations are allowed: they have too many "
            "choices of the classes to release. So the list of minimal ones would be incomplete. Allow less "
            "suppression, or use the algorithm 'optimal'."
        )
    return minimal if lattice.inherits else least_nodes(minimal)


def path_of(lattice: Lattice, strategy: Sequence[str]) -> list[Node]:
    """Return the path that a strategy describes, from the most specific node to the most general one.

    Each name raises the level of that column by one. At the end all columns are raised to the top, in the order in
    which they first occur, and the others after them.

    Args:
        lattice: The lattice.
        strategy: The columns in the order in which they are raised.
    """
    names = [column.name for column in lattice.problem.tally.quasi]
    unknown = [name for name in strategy if name not in names]
    if unknown:
        raise SpecError(f"'{unknown[0]}' is not a quasi column. Quasi columns are: {', '.join(names)}.")
    positions = [0] * len(names)
    path = [lattice.bottom]
    rest = [name for name in dict.fromkeys([*strategy, *names]) for _ in lattice.steps[names.index(name)][1:]]
    for number, name in enumerate([*strategy, *rest]):
        j = names.index(name)
        if positions[j] + 1 == len(lattice.steps[j]):
            if number < len(strategy):
                raise SpecError(
                    f"The strategy raises column '{name}' more than {len(lattice.steps[j]) - 1} times, and it has no "
                    "more levels. Leave some out."
                )
            continue
        positions[j] += 1
        path.append(tuple(levels[at] for levels, at in zip(lattice.steps, positions, strict=True)))
    return path


def locally_minimal(lattice: Lattice, strategy: Sequence[str], progress: Progress = silent) -> Node | None:
    """Return the lowest allowed node of the path of a strategy (002 Definition 3.5, with `<=`); None if none is.

    Every minimal generalization is that of some strategy (002 Theorem 3.3), but not all of these are minimal.
    """
    path = path_of(lattice, strategy)
    for done, node in enumerate(path):
        lattice.keep_time("the path of the strategy was seen")
        progress("walking up the path", done / len(path))
        if lattice.allowed(node):
            return node
    if lattice.n_undecided:
        raise InfeasibleError(NOTHING_SETTLED)
    return None


def least_nodes(nodes: Iterable[Node]) -> list[Node]:
    """Return the nodes that have no other one of them below, in the order of their height."""
    least: list[Node] = []
    for node in sorted(nodes, key=lambda node: (sum(node), node)):
        if not any(all(a <= b for a, b in zip(low, node, strict=True)) for low in least):
            least.append(node)
    return least


def preferred(lattice: Lattice, nodes: Iterable[Node], preference: Preference | None) -> NodeOutcome:
    """Return the node that a criterion prefers; ties, and no criterion, are decided by the least loss."""

    def rank(outcome: NodeOutcome) -> tuple[float, float, Node]:
        return _dislike(lattice, outcome, preference), outcome.loss, outcome.node

    if preference is not None:
        return min((lattice.settle(node) for node in nodes), key=rank)
    best: NodeOutcome | None = None
    for outcome in sorted((lattice.evaluate(node) for node in nodes), key=lambda one: (one.bound, one.node)):
        if best is not None and outcome.bound > best.loss:
            break
        settled = lattice.settle(outcome.node)
        best = settled if best is None else min(best, settled, key=rank)
    if best is None:
        raise ValueError("There is no node to prefer.")
    return best


def _dislike(lattice: Lattice, outcome: NodeOutcome, preference: Preference | None) -> float:
    """Return the quantity that a criterion minimizes (002 s.3)."""
    if preference == "absolute-distance":
        return float(sum(outcome.node))
    if preference == "relative-distance":
        heights = [column.hierarchy.height for column in lattice.problem.tally.quasi]
        shares = (Fraction(level, max(height, 1)) for level, height in zip(outcome.node, heights, strict=True))
        return float(sum(shares))  # added exactly, so that equal sums are ties
    if preference == "distribution":
        return float(-outcome.n_released)
    if preference == "suppression":
        return float(outcome.suppressed)
    return 0.0
