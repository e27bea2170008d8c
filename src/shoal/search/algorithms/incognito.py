"""Incognito: all feasible generalizations, by subsets of the quasi columns of growing size."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from typing import ClassVar

from shoal.foundation.progress import Progress, silent
from shoal.search.algorithms.algorithm import Algorithm
from shoal.search.lattice.cells import Node
from shoal.search.lattice.diagnosis import infeasible
from shoal.search.lattice.lattice import Lattice
from shoal.search.lattice.minimal import Preference, least_nodes, minimal_nodes, preferred
from shoal.search.problem import Problem, Solution

ColumnSubset = tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Incognito(Algorithm):
    """Find all minimal generalizations, and take the one that `prefer` (or else the measure) prefers.

    Idea: a feasible table stays feasible when a column is left out, which is the same as generalizing it to its top. So
    for each subset of the columns, in order of size, only those level vectors are candidates all of whose parts with
    one column less are feasible; and a candidate above a feasible one need not be evaluated.

    Why it is correct: both prunings are inheritance upwards (Ciriani et al. 2007, Definition 3.6 and its footnote),
    which `Lattice.inherits` decides. Where it does not hold (models that are not monotone with suppression), every node
    is evaluated, and the remark says so. Candidates are the natural join of their parts; the paper's pseudo-code takes
    their product and keeps vertices marked false.

    Guarantee: the set of minimal generalizations is complete (Ciriani et al. 2007, Definition 3.4). If nothing may be
    suppressed and the measure is monotone, the least loss of all is among them, and the release is optimal.

    Cost: at worst the nodes of the lattices of all subsets of the columns.
    """

    name: ClassVar[str] = "incognito"
    reference: ClassVar[str] = "LeFevre et al. 2005; Ciriani et al. 2007, Algorithm 3.2, corrected"
    weighs: ClassVar[bool] = True

    prefer: Preference | None = None

    def solve(self, problem: Problem, progress: Progress = silent) -> Solution:
        """Grow the subsets, then choose among the minimal nodes."""
        lattice = Lattice(problem)
        if lattice.inherits:
            minimal = least_nodes(survivors(lattice, progress))
            remark = f"{len(minimal)} minimal generalizations"
        else:
            minimal = minimal_nodes(lattice, progress)
            remark = (
                f"{len(minimal)} minimal generalizations; every node was looked at, since not all models are "
                "monotone with suppression"
            )
        if not minimal:
            raise infeasible(lattice)
        best = preferred(lattice, minimal, self.prefer)
        optimal = self.prefer is None and problem.limit == 0 and problem.measure.monotone and lattice.inherits
        solution = lattice.solution(
            best.node,
            guarantee="optimal" if optimal else "none",
            remark=remark,
        )
        return replace(solution, minimal=tuple(lattice.named(node) for node in minimal))


def survivors(lattice: Lattice, progress: Progress = silent) -> set[Node]:
    """Return all feasible nodes of a lattice, by subsets of its columns (Ciriani et al. 2007, Example 3.3)."""
    n_columns = len(lattice.steps)
    lattice.check_size()
    allowed: dict[ColumnSubset, set[Node]] = {(): {()}}
    for size in range(1, n_columns + 1):
        for columns in combinations(range(n_columns), size):
            lattice.keep_time("all subsets of the columns were seen")
            allowed[columns] = _allowed(lattice, columns, allowed)
        progress("growing the subsets of columns", size / n_columns)
    return allowed[tuple(range(n_columns))]


def _allowed(lattice: Lattice, columns: ColumnSubset, smaller: dict[ColumnSubset, set[Node]]) -> set[Node]:
    """Return the feasible level vectors of some columns, with all others at their top."""
    candidates = sorted(_join(lattice, columns, smaller), key=lambda levels: (sum(levels), levels))
    allowed: set[Node] = set()
    for levels in candidates:
        whole = list(lattice.top)
        for column, level in zip(columns, levels, strict=True):
            whole[column] = level
        above_allowed = any(step in allowed for step in _below(lattice, columns, levels))
        if above_allowed or lattice.allowed(tuple(whole)):
            allowed.add(levels)
    return allowed


def _join(lattice: Lattice, columns: ColumnSubset, smaller: dict[ColumnSubset, set[Node]]) -> Iterator[Node]:
    """Yield the level vectors all of whose parts with one column less are feasible."""
    parts = [(index, smaller[columns[:index] + columns[index + 1 :]]) for index in range(len(columns) - 1)]
    for head in smaller[columns[:-1]]:
        for level in lattice.steps[columns[-1]]:
            levels = (*head, level)
            if all(levels[:index] + levels[index + 1 :] in part for index, part in parts):
                yield levels


def _below(lattice: Lattice, columns: ColumnSubset, levels: Node) -> Iterator[Node]:
    for index, column in enumerate(columns):
        steps = lattice.steps[column]
        position = steps.index(levels[index])
        if position > 0:
            yield (*levels[:index], steps[position - 1], *levels[index + 1 :])
