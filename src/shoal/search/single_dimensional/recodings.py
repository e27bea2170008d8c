"""Recodings: all sets of steps of a table, their costs and their bounds."""

from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.classes.grouping import Grouping, Parts
from shoal.classes.recoding import Recoding
from shoal.foundation.errors import SpecError
from shoal.kernels.single_dimensional.step_bounds import JoinedAtoms
from shoal.kernels.single_dimensional.step_classes import (
    LABELS,
    OPEN,
    OUT,
    SIZE,
    TAKEN,
    Borders,
    ClassTerms,
    RecordSets,
    Steps,
)
from shoal.kernels.single_dimensional.step_removals import price_removals
from shoal.kernels.single_dimensional.steps import COST, LEAVE, LOST, TAKE, USE, StepWorkspace, evaluate_state
from shoal.kernels.sufficient_tests import DISTINCT
from shoal.measures.classification import Classification
from shoal.measures.discernibility import Discernibility
from shoal.models.k_anonymity import KAnonymity
from shoal.models.model import PrivacyModel, SensitiveModel
from shoal.search.lattice.pricing import selection_prices
from shoal.search.lattice.selection import Selection, SelectionSearch
from shoal.search.local.closure import alike_recoding_of
from shoal.search.local.partition import solution_of
from shoal.search.problem import Problem, Solution
from shoal.search.single_dimensional.steps import ColumnSteps, column_steps
from shoal.tables.distinct_rows import distinct_rows

_MOST_LABELS = 100_000_000  # counters of labels; more would not fit into memory

State = NDArray[np.int8]


class Evaluation(NamedTuple):
    """The cost and the bound of a state, and the effect of each step.

    Args:
        lost: The number of records that are suppressed if no further step is taken.
        cost: The cost of that release.
        bound: A lower bound on the cost with any subset of the open steps.
        ready: The open steps that may be taken next. The arrays below are valid for these only, except `useful`.
        more_lost: How many more records are suppressed if the step is taken.
        change: By how much the cost changes if the step is taken.
        taken: By how much at least the bound grows if the step is taken.
        left: By how much at least the bound grows if the step, and all that need it, are left out.
        useful: Whether any class might gain by the step, or by one that needs it.
    """

    lost: int
    cost: int
    bound: int
    ready: NDArray[np.bool_]
    more_lost: NDArray[np.int64]
    change: NDArray[np.int64]
    taken: NDArray[np.int64]
    left: NDArray[np.int64]
    useful: NDArray[np.bool_]


class Within(NamedTuple):
    """The part of the table that still matters within a state: points that no open or taken step separates are one.

    Args:
        points: The points of the classes that pass.
        gone: The number of records of the classes that fail; they are suppressed in every state within.
    """

    points: RecordSets
    gone: int


class Removals(NamedTuple):
    """How a state changes if one of its taken steps is not taken.

    Args:
        ready: The taken steps that no other taken step needs. The arrays below are valid for these only.
        more_lost: How many more records are suppressed without the step; rarely positive.
        change: By how much the cost changes without the step.
    """

    ready: NDArray[np.bool_]
    more_lost: NDArray[np.int64]
    change: NDArray[np.int64]


class Recodings:
    """All sets of steps of a problem's table.

    A state says of each step whether it is out, open or taken. It stands for all sets that contain the taken steps and
    any of the open ones.

    Args:
        problem: The problem.
        measure: Its measure.
        most: The largest number of steps of a column.

    Attributes:
        exact: Whether an evaluation decides feasibility: it tests every promise, and no promise covers suppressed
            records.
        inherits: Whether a state that breaks a promise breaks it with any further step, too.
    """

    def __init__(self, problem: Problem, measure: Discernibility | Classification, most: int) -> None:
        self.problem = problem
        self._measure = measure
        self.columns: list[ColumnSteps] = [column_steps(column, most) for column in problem.tally.quasi]
        self.grains = np.column_stack(
            [column.grains[codes] for column, codes in zip(self.columns, problem.tally.codes.T, strict=True)]
        )
        self.n_steps = sum(column.n_steps for column in self.columns)
        self.n_possible = sum(column.n_possible for column in self.columns)
        self.points, ends, least = _points(problem, self.grains, [column.n_grains for column in self.columns])
        self.steps = _steps(self.columns)
        squares, n_records = isinstance(measure, Discernibility), problem.tally.n_records
        self._terms = ClassTerms(n_records, problem.k, n_records if squares else 1, squares, ends, least)
        self._workspace, self._borders = workspace_for(self.points, self.steps)
        self._n_kept = 0
        none_lost = problem.limit == 0
        decided = all(_by_size(model) or _least_distinct(problem, model) is not None for model in problem.models)
        self.exact = decided and (none_lost or not problem.stars)
        self.inherits = self.exact or (
            none_lost and all(model.monotone_without_suppression for model in problem.models)
        )
        self.n_evaluations = 0
        no_cells = np.zeros((0, len(problem.tally.quasi)), dtype=np.int32)
        self._no_recoding = Recoding(problem.tally.quasi, (), no_cells)

    def all_open(self) -> State:
        """Return the state that stands for all sets of steps."""
        return np.full(self.n_steps, OPEN, dtype=np.int8)

    def evaluate(self, state: State, within: Within | None = None) -> Evaluation:
        """Return the evaluation of a state. O(points x columns).

        `within` is what is left of the table in a state that contains this one, if it is known; then there are fewer
        points.
        """
        self.n_evaluations += 1
        points, gone = within or (self.points, 0)
        totals, found = evaluate_state(points, self.steps, self._terms, state, self._borders, self._workspace)
        needs = self.steps.needs
        ready = (state == OPEN) & ((needs < 0) | (state[needs] == TAKEN))
        lost, cost, bound, _ = (totals + gone * np.array([1, self._terms.full, self._terms.full, 0])).tolist()
        useful = found[USE].astype(np.bool_)
        self._n_kept = int(totals[3])
        return Evaluation(lost, cost, bound, ready, found[LOST], found[COST], found[TAKE], found[LEAVE], useful)

    def within(self, found: Evaluation) -> Within:
        """Return what is left of the table within the state that was evaluated last, with this result."""
        rows, keys, counts, words = self._workspace.kept
        n = self._n_kept
        return Within(RecordSets(rows[:n].copy(), keys[:n], counts[:n].copy(), words[:n].copy()), found.lost)

    def removals(self, state: State) -> Removals:
        """Return how a state changes without each of its taken steps."""
        change, more_lost = price_removals(self.points, self.steps, self._terms, state, self._borders, self._workspace)
        ready = state == TAKEN
        needs = self.steps.needs
        ready[needs[(needs >= 0) & (state == TAKEN)]] = False
        return Removals(ready, more_lost, change)

    def without(self, state: State, steps: NDArray[np.bool_]) -> State:
        """Return the state with some steps, and all steps that need them, out."""
        left = state.copy()
        left[steps] = OUT
        needs = self.steps.needs
        while (orphans := (needs >= 0) & (left[needs] == OUT) & (left != OUT)).any():
            left[orphans] = OUT
        return left

    def labels(self, state: State) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Return the class of each point of the tally by the taken steps, and `rows[class, column]`, its intervals."""
        starts = self.steps.start
        taken = (
            np.append(state, np.int8(OUT))[self.steps.owner] == TAKEN
        )  # the owner of a first grain is -1: the appended `OUT`
        intervals = [np.cumsum(taken[start:end]) for start, end in pairwise(starts)]
        rows = [interval[grains] for interval, grains in zip(intervals, self.grains.T, strict=True)]
        return distinct_rows(rows, [int(interval[-1]) + 1 for interval in intervals], len(self.grains))

    def judge(self, state: State) -> Selection:
        """Return the classes of the taken steps to release, tested against all promises."""
        labels, rows = self.labels(state)
        return self._selected(Grouping.of(self.problem.tally, labels, len(rows)))

    def _selected(self, groups: Grouping) -> Selection:
        released = self.problem.released(groups, None)
        known = released if self.problem.feasible(groups, None, released) else None
        prices = selection_prices(self._measure, groups, self._no_recoding)
        if self.problem.selects:
            return SelectionSearch(self.problem, groups, None, prices).run(known)
        loss = float("inf") if known is None else prices.loss(known)
        return Selection(known, loss, loss)

    def solution(self, state: State, remark: str) -> Solution:
        """Return the release of the taken steps; all promises are tested again."""
        tally = self.problem.tally
        labels, rows = self.labels(state)
        groups = Grouping.of(tally, labels, len(rows))
        released = self._selected(groups).released
        if released is None:
            raise ValueError("These steps are not feasible.")
        number = np.where(released, np.cumsum(released) - 1, -1).astype(np.int32)
        parts = Parts.whole(tally, number[labels])
        recoding = alike_recoding_of(tally, parts, rows[released], self.problem.measure)
        return replace(solution_of(self.problem, parts, recoding=recoding, remark=remark), alike=True)


def known_measure(problem: Problem, name: str) -> Discernibility | Classification:
    """Return the problem's measure if there are bounds for it here; else raise a SpecError."""
    if isinstance(problem.measure, Discernibility | Classification):
        return problem.measure
    raise SpecError(
        f"The algorithm '{name}' has bounds for 'discernibility' and 'classification', not for "
        f"'{problem.measure.name}'. Use one of these two measures, or the algorithm 'optimal'."
    )


def _points(
    problem: Problem, grains: NDArray[np.int32], sizes: list[int]
) -> tuple[RecordSets, NDArray[np.int64], NDArray[np.int64]]:
    """Return the distinct rows of grains with their counts.

    Returned as well, for each test: where its words end, and how many distinct values it requires.
    """
    tally = problem.tally
    number, rows = distinct_rows(list(grains.T), sizes, len(grains))
    labels = np.zeros((len(rows), 0), dtype=np.int64)
    if isinstance(problem.measure, Classification):
        names = [column.name for column in tally.sensitive]
        values = tally.profile_codes[tally.profiles, names.index(problem.measure.column or names[0])]
        labels = _counted(number, values, tally.counts, len(rows))
    words, least = [], []
    for model in problem.models:
        needed = _least_distinct(problem, model)
        if needed is not None:
            words.append(_bits(number, tally.profile_codes[tally.profiles, needed.column], len(rows)))
            least.append(needed.least)
    counts = np.zeros((len(rows), LABELS + labels.shape[1]), dtype=np.int64)
    counts[:, SIZE] = np.bincount(number, weights=tally.counts, minlength=len(rows))
    counts[:, LABELS:] = labels
    bits = np.hstack([np.zeros((len(rows), 0), dtype=np.uint64), *words])
    points = RecordSets(rows, np.zeros(len(rows), dtype=np.uint64), counts, bits)
    ends = np.cumsum([word.shape[1] for word in words]).astype(np.int64)
    return points, ends, np.array(least, dtype=np.int64)


class _Needed(NamedTuple):
    """So many different values of a sensitive column, by its place, are what a promise asks for beside its size."""

    column: int
    least: int


def _by_size(model: PrivacyModel) -> bool:
    """Tell whether the number of records decides a promise."""
    return isinstance(model, KAnonymity) and model.entity is None


def _least_distinct(problem: Problem, model: PrivacyModel) -> _Needed | None:
    """Return what an evaluation tests of a promise that a number of different values decides, else None.

    Not every promise whose failures shrink is one: the range of numbers, say, is not looked at here.
    """
    if not isinstance(model, SensitiveModel) or not model.monotone_with_suppression:
        return None
    sensitive = problem.tally.sensitive
    index = [column.name for column in sensitive].index(model.column)
    test = model.sufficient_test(sensitive[index], problem.tally.totals)
    return None if test is None or test.kind != DISTINCT else _Needed(index, test.least)


def _counted(
    number: NDArray[np.int32], values: NDArray[np.int32], counts: NDArray[np.int64], n_rows: int
) -> NDArray[np.int64]:
    """Return how many records of each row have each of the values that occur."""
    found, codes = np.unique(values, return_inverse=True)
    if n_rows * len(found) > _MOST_LABELS:
        raise SpecError(
            f"The column that 'classification' predicts has {len(found)} different values, too many to count for each "
            f"of {n_rows} combinations of quasi values. Use 'discernibility', a coarser column, or fewer cuts."
        )
    pairs = number.astype(np.int64) * len(found) + codes
    counted = np.bincount(pairs, weights=counts, minlength=n_rows * len(found))
    return counted.astype(np.int64).reshape(n_rows, len(found))


def _bits(number: NDArray[np.int32], values: NDArray[np.int32], n_rows: int) -> NDArray[np.uint64]:
    """Return which values each row has, one bit for each value."""
    words = np.zeros((n_rows, int(values.max(initial=0)) // 64 + 1), dtype=np.uint64)
    np.bitwise_or.at(words, (number, values // 64), np.uint64(1) << (values % 64).astype(np.uint64))
    return words


def _steps(columns: list[ColumnSteps]) -> Steps:
    """Number the steps of all columns through."""
    firsts = np.cumsum([0, *(column.n_steps for column in columns)])

    def numbered(steps: NDArray[np.int32], first: int) -> NDArray[np.int32]:
        return np.where(steps >= 0, steps + first, -1).astype(np.int32)

    pairs = list(zip(columns, firsts.tolist(), strict=False))
    return Steps(
        start=np.cumsum([0, *(column.n_grains for column in columns)]).astype(np.int64),
        owner=np.concatenate([numbered(column.owner, first) for column, first in pairs]),
        needs=np.concatenate([numbered(column.needs, first) for column, first in pairs]),
        spans=np.concatenate([column.spans for column in columns]),
        begin=np.concatenate([column.begin for column in columns]),
        end=np.concatenate([column.end for column in columns]),
    )


def workspace_for(points: RecordSets, steps: Steps) -> tuple[StepWorkspace, Borders]:
    """Return the workspace that evaluations of these points overwrite."""
    n, n_columns = points.rows.shape
    n_grains, n_steps, n_words = len(steps.owner), len(steps.needs), points.words.shape[1]
    width = int(np.diff(steps.start).max(initial=1)) + 1
    size = 16
    while size < 2 * n:
        size *= 2

    def sets(count: int) -> RecordSets:
        return RecordSets(*(np.zeros((count, *own.shape[1:]), dtype=own.dtype) for own in points))

    def numbers(*shape: int) -> NDArray[np.int64]:
        return np.zeros(shape, dtype=np.int64)

    def shorts() -> NDArray[np.int32]:
        return np.zeros(n_grains + 1, dtype=np.int32)

    joints = JoinedAtoms(
        sets=sets(n + 1),
        spare=sets(n + 1),
        table=np.zeros(size, dtype=np.int32),
        own=numbers(n_columns),
        last=numbers(n_columns),
        number=shorts(),
        joint=shorts(),
        useful=np.zeros(n_steps, dtype=np.bool_),
    )
    workspace = StepWorkspace(
        atoms=sets(n + 1),
        joints=joints,
        sums=sets(width),
        part=sets(1),
        before=np.zeros((width, n_words), dtype=np.uint64),
        after=np.zeros((width, n_words), dtype=np.uint64),
        table=np.zeros(size, dtype=np.int32),
        order=numbers(n),
        owners=numbers(n),
        begins=numbers(n + 1),
        firsts=numbers(n + 1),
        seen=numbers(n_steps),
        tried=np.full((6, n_steps), -1, dtype=np.int64),
        kept=sets(n),
    )
    return workspace, Borders(shorts(), shorts(), shorts(), shorts(), shorts())
