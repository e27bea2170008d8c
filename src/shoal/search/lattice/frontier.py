"""The frontier: the cost of every generalization for every k and every limit of suppression."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.classes.grouping import Grouping
from shoal.classes.recoding import Recoding
from shoal.foundation.progress import Progress, silent
from shoal.models.k_anonymity import KAnonymity
from shoal.search.lattice.cells import Cells, Node
from shoal.search.lattice.lattice import Lattice
from shoal.search.problem import Problem


@dataclass(frozen=True, slots=True, eq=False)
class Frontier:
    """The suppressed records and the loss of every node for every k.

    Args:
        columns: The quasi columns.
        nodes: `nodes[i, column]`, the levels of node `i`.
        ks: The values of k.
        suppressed: `suppressed[i, j]`, the number of records that node `i` suppresses for `ks[j]`.
        loss: `loss[i, j]`, the loss of that release.
        allowed: `allowed[i, j]`, whether it is feasible where that many records may be suppressed.
        n_records: The number of records of the table.
        measure: The name of the measure.
    """

    columns: tuple[str, ...]
    nodes: NDArray[np.int32]
    ks: tuple[int, ...]
    suppressed: NDArray[np.int64]
    loss: NDArray[np.float64]
    allowed: NDArray[np.bool_]
    n_records: int
    measure: str

    @property
    def frame(self) -> pl.DataFrame:
        """The frontier as a table: a row for each node and k, with a column `level of ...` for each quasi column."""
        repeated = np.repeat(self.nodes, len(self.ks), axis=0)
        levels = {f"level of {name}": repeated[:, j] for j, name in enumerate(self.columns)}
        return pl.DataFrame(
            {
                **levels,
                "k": np.tile(self.ks, len(self.nodes)),
                "suppressed": self.suppressed.reshape(-1),
                self.measure: self.loss.reshape(-1),
            }
        )

    def best(self, k: int, max_suppressed: float | str | Fraction = 0) -> dict[str, Any] | None:
        """Return the node of least loss for one k and one limit (a share), or None if there is none.

        Where it is a choice which classes of a node are suppressed, its figures are those of one choice, and `optimal`
        may find a better one.
        """
        number = self.ks.index(k)
        limit = int(Fraction(str(max_suppressed)) * self.n_records)
        lost = self.suppressed[:, number]
        allowed = np.flatnonzero((lost <= limit) & self.allowed[:, number])
        if not len(allowed):
            return None
        row = allowed[np.argmin(self.loss[allowed, number])]
        return {
            "levels": dict(zip(self.columns, self.nodes[row].tolist(), strict=True)),
            "suppressed": int(lost[row]),
            "loss": float(self.loss[row, number]),
        }


def sweep(lattice: Lattice, ks: Sequence[int], progress: Progress = silent, entity: str | None = None) -> Frontier:
    """Evaluate every node of a lattice for every k.

    The nodes are visited in an order in which each is made from one that differs in a single level; only one node per
    column is held at a time. The models other than k-anonymity apply for every k. If the column `entity` identifies
    persons, k counts persons.
    """
    lattice.check_size()
    wanted = tuple(ks)
    problem = lattice.problem
    choices = [
        replace(problem, models=(*problem.models, KAnonymity(k=k, entity=entity)), max_suppressed=Fraction(1))
        for k in wanted
    ]
    suppressed = np.empty((lattice.n_nodes, len(wanted)), dtype=np.int64)
    allowed = np.empty((lattice.n_nodes, len(wanted)), dtype=np.bool_)
    loss = np.empty((lattice.n_nodes, len(wanted)), dtype=np.float64)
    nodes = np.empty((lattice.n_nodes, len(lattice.steps)), dtype=np.int32)
    for row, cells in enumerate(_visit(lattice, lattice.cells(lattice.bottom), 0)):
        groups = lattice.packing.grouping(cells)
        recoding = lattice.packing.recoding(cells) if problem.wildcard else None
        released = _released(problem, choices, groups, recoding)
        nodes[row] = cells.node
        suppressed[row] = np.where(released, 0, groups.sizes).sum(axis=1)
        loss[row] = lattice.pricing.totals(cells, groups, released)
        allowed[row] = released.any(axis=1)
        if problem.stars:
            allowed[row] = [
                choice.feasible(groups, recoding, kept) for choice, kept in zip(choices, released, strict=True)
            ]
        progress("sweeping the lattice", row / lattice.n_nodes)
    names = tuple(column.name for column in problem.tally.quasi)
    return Frontier(names, nodes, wanted, suppressed, loss, allowed, problem.tally.n_records, problem.measure.name)


def _visit(lattice: Lattice, cells: Cells, column: int) -> Iterator[Cells]:
    """Yield the classes of all nodes that agree with `cells` in the columns before `column`."""
    if column == len(lattice.steps):
        yield cells
        return
    for level in lattice.steps[column]:
        node: Node = (*cells.node[:column], level, *cells.node[column + 1 :])
        cells = cells if cells.node == node else lattice.packing.coarser(cells, node)
        yield from _visit(lattice, cells, column + 1)


def _released(
    problem: Problem, choices: Sequence[Problem], groups: Grouping, recoding: Recoding | None
) -> NDArray[np.bool_]:
    """Return which classes are released, a row for each choice of k."""
    if problem.wildcard or any(model.relative for model in problem.models):
        return np.array([choice.released(groups, recoding) for choice in choices])
    kept = problem.released(groups, recoding)
    return np.array([kept & choice.models[-1].holds(groups) for choice in choices])
