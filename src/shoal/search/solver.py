"""Linear and mixed-integer programs: the only module that uses the solver (HiGHS)."""

from collections.abc import Callable
from dataclasses import dataclass
from threading import Thread
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from shoal.foundation.errors import SolverError

Status = Literal["optimal", "feasible", "infeasible", "unknown"]

_PROVEN: dict[str, Status] = {"kOptimal": "optimal", "kInfeasible": "infeasible"}
_ENDS = {"kTimeLimit", "kInterrupt", "kIterationLimit", "kObjectiveTarget", "kSolutionLimit"}
_NEARLY = 0.999
_LEAST_GAP = 1e-6  # the solver's own default
_PATIENCE = 0.1  # seconds between two checks of a running solver


@dataclass(frozen=True, slots=True, eq=False)
class MatrixEntries:
    """Entries of a sparse matrix, vector by vector.

    Args:
        starts: Where each vector begins.
        indices: The indices of its entries.
        values: The entries; all are 1 if None.
    """

    starts: NDArray[np.int64]
    indices: NDArray[np.int64]
    values: NDArray[np.float64] | None = None

    @classmethod
    def none(cls, n_vectors: int) -> "MatrixEntries":
        """Return vectors without entries."""
        return cls(np.zeros(n_vectors, dtype=np.int64), np.zeros(0, dtype=np.int64))

    def arguments(self) -> tuple[int, NDArray[np.int32], NDArray[np.int32], NDArray[np.float64]]:
        """Return the entries in the form that the solver takes."""
        values = np.ones(len(self.indices)) if self.values is None else self.values
        return len(self.indices), self.starts.astype(np.int32), self.indices.astype(np.int32), values


@dataclass(frozen=True, slots=True, eq=False)
class SolverResult:
    """What the solver found, in floating point; nothing that a release depends on may be read from it unchecked.

    Args:
        status: `optimal`, `feasible` (stopped with values), `infeasible`, or `unknown` (stopped without).
        values: The value of each column; empty if there are none.
        duals: The dual value of each row of a linear program; empty for a mixed-integer one.
        objective: The objective at these values; infinite if there are none.
        bound: The lower bound on the objective that the solver claims; minus infinity if there is none.
    """

    status: Status
    values: NDArray[np.float64]
    duals: NDArray[np.float64]
    objective: float
    bound: float


class Program:
    """A program to minimize, built row by row and column by column; each run starts from the last solution.

    Args:
        step: The least difference of two different objectives: a mixed-integer program is solved as soon as the gap is
            smaller than that.
        centre: Whether a linear program is solved to a point in the interior of all optima, from scratch each time,
            instead of to a vertex.
        most_nodes: How many nodes of its search tree a mixed-integer program may visit; no limit if None.
    """

    def __init__(self, step: float = 0.0, *, centre: bool = False, most_nodes: int | None = None) -> None:
        import highspy  # takes a moment to load, and few runs solve a program

        self._solver = highspy.Highs()  # type: ignore[no-untyped-call]
        self._integer = int(highspy.HighsVarType.kInteger)
        self._feasible = highspy.SolutionStatus.kSolutionStatusFeasible
        self._solver.silent()
        self._solver.setOptionValue("mip_rel_gap", 0.0)
        self._solver.setOptionValue("mip_abs_gap", max(step * _NEARLY, _LEAST_GAP))
        self._mixed = False
        self._ends = _ENDS | {"kUnknown"} if centre else _ENDS  # close to an optimum, but not close enough
        if most_nodes is not None:
            self.limit_nodes(most_nodes)
        if centre:
            self._solver.setOptionValue("solver", "ipm")
            self._solver.setOptionValue("run_crossover", "off")

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return self._solver.getNumRow()

    @property
    def n_columns(self) -> int:
        """The number of columns."""
        return self._solver.getNumCol()

    @property
    def n_entries(self) -> int:
        """The number of nonzero entries of the matrix."""
        return self._solver.getNumNz()

    def limit_nodes(self, most: int) -> None:
        """Limit the nodes of the search tree that a mixed-integer program may visit."""
        self._solver.setOptionValue("mip_max_nodes", most)

    def add_rows(
        self, lower: NDArray[np.float64], upper: NDArray[np.float64], entries: MatrixEntries | None = None
    ) -> None:
        """Add rows with the bounds of their sums, and their entries in the existing columns."""
        entries = MatrixEntries.none(len(lower)) if entries is None else entries
        self._solver.addRows(len(lower), lower, upper, *entries.arguments())

    def add_columns(
        self,
        costs: NDArray[np.float64],
        lower: NDArray[np.float64],
        upper: NDArray[np.float64],
        entries: MatrixEntries | None = None,
        *,
        integer: bool = False,
    ) -> None:
        """Add columns with their costs and bounds, and their entries in the existing rows."""
        entries, first = MatrixEntries.none(len(costs)) if entries is None else entries, self.n_columns
        self._solver.addCols(len(costs), costs, lower, upper, *entries.arguments())
        if integer:
            self.set_integer(np.arange(first, self.n_columns))

    def set_integer(self, columns: NDArray[np.int64]) -> None:
        """Restrict some columns to whole numbers."""
        self._mixed = self._mixed or len(columns) > 0
        kinds = np.full(len(columns), self._integer, dtype=np.uint8)
        self._solver.changeColsIntegrality(len(columns), columns.astype(np.int32), kinds)

    def bound_columns(self, columns: NDArray[np.int64], lower: NDArray[np.float64], upper: NDArray[np.float64]) -> None:
        """Give some columns other bounds."""
        self._solver.changeColsBounds(len(columns), columns.astype(np.int32), lower, upper)

    def start_from(self, values: NDArray[np.float64], columns: NDArray[np.int64] | None = None) -> None:
        """Give a mixed-integer program values to start from, of all columns or of some; the solver completes them."""
        columns = np.arange(len(values)) if columns is None else columns
        self._solver.setSolution(len(values), columns.astype(np.int32), values)

    def solve(self, seconds: float = np.inf, tell: Callable[[float], None] = lambda _: None) -> SolverResult:
        """Minimize, starting from the last solution.

        The solver runs in a thread of its own, so that an interrupt can end it.

        Args:
            seconds: After that, the solver stops with what it has.
            tell: Called now and then with the seconds since the start.
        """
        passed = (
            0.0 if self._mixed else self._solver.getRunTime()
        )  # the clock of a linear program continues from run to run
        self._solver.setOptionValue("time_limit", passed + max(seconds, 0.0))
        self._solver.HandleUserInterrupt = True
        thread = Thread(target=self._solver.run, daemon=True)
        thread.start()
        waited = 0.0
        try:
            while thread.is_alive():
                thread.join(_PATIENCE)
                waited += _PATIENCE
                tell(waited)
        except BaseException:
            self._solver.cancelSolve()  # type: ignore[no-untyped-call]
            thread.join()
            raise
        return self._outcome()

    def _outcome(self) -> SolverResult:
        model, info, found = self._solver.getModelStatus(), self._solver.getInfo(), self._solver.getSolution()
        if model.name not in _PROVEN and model.name not in self._ends:
            raise SolverError(
                f"The solver of linear programs ended with '{self._solver.modelStatusToString(model)}', which says "
                "nothing about the table. Use an algorithm that needs no program, such as 'mondrian' or 'forest'."
            )
        usable = found.value_valid and info.primal_solution_status == self._feasible
        proven = _PROVEN.get(model.name)
        bound = (
            info.mip_dual_bound if self._mixed else info.objective_function_value if proven == "optimal" else -np.inf
        )
        nothing = np.zeros(0)
        return SolverResult(
            status=proven or ("feasible" if usable else "unknown"),
            values=np.array(found.col_value) if usable else nothing,
            duals=np.array(found.row_dual) if found.dual_valid and not self._mixed else nothing,
            objective=float(info.objective_function_value) if usable else np.inf,
            bound=float(bound),
        )
