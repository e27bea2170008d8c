"""The search finds the optimum by itself, whatever it starts from and however it goes through the nodes."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations
from math import inf
from random import Random
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest
from numpy.typing import NDArray

from shoal.kernels.clock import clock
from shoal.kernels.single_dimensional.step_classes import OPEN, OUT, TAKEN
from shoal.measures import Classification, Discernibility
from shoal.models import DistinctLDiversity, FrequencyLDiversity, KAnonymity, PrivacyModel
from shoal.search.lattice.selection import Selection
from shoal.search.single_dimensional import enumeration
from shoal.search.single_dimensional.enumeration import Enumeration
from shoal.search.single_dimensional.recodings import Evaluation, Recodings, Removals, State
from tests.contracts.test_alike_recoding import small_table
from tests.oracles.cut_sets import optimum
from tests.oracles.local.tables import LocalTable, local_problem
from tests.oracles.plain import Rules

LIMITS = (Fraction(0), Fraction(1, 5), Fraction(1))


def space_of(seed: int, n: int) -> tuple[Recodings, int | None]:
    """Return the recodings of a small table, and the least cost of all."""
    rng = Random(seed)  # noqa: S311
    table = small_table(rng, n=n)
    models: tuple[PrivacyModel, ...] = (KAnonymity(k=rng.randint(1, 4)),)
    if seed % 3 == 0:
        models = (*models, DistinctLDiversity(l=2, column="illness"))
    if seed % 4 == 1:  # whether it is kept is not known from an evaluation
        models = (*models, FrequencyLDiversity(l=Fraction(3, 2), column="illness"))
    measure = Discernibility() if seed % 2 else Classification()
    limit, rules = LIMITS[seed // 2 % 3], Rules(models, stars=seed % 5 == 2)
    problem = local_problem(table, rules, measure.name, limit)
    return Recodings(problem, measure, 32), optimum(table, rules, measure.name, limit)


@pytest.mark.parametrize("deep", [1, 200])
def test_the_search_needs_no_good_start(deep: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Enumeration, "_climb", lambda self: None)
    monkeypatch.setattr(enumeration, "_DEEP", deep)
    for seed in range(60):
        space, least = space_of(1000 * deep + seed, 16)
        search = Enumeration(space, float("inf"))
        search.run()
        assert search.complete
        assert not search.stopped
        assert (search.best is None) == (least is None)
        assert least is None or search.cost == least


def test_nothing_is_lost_where_too_many_nodes_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Enumeration, "_climb", lambda self: None)
    monkeypatch.setattr(enumeration, "_DEEP", 1)
    monkeypatch.setattr(enumeration, "_MOST_NODES", 1)
    for seed in range(20):
        space, least = space_of(seed, 16)
        search = Enumeration(space, float("inf"))
        search.run()
        assert least is None or search.cost == least


@pytest.mark.parametrize("limit", LIMITS)
def test_a_release_of_no_record_is_none(limit: Fraction) -> None:
    """No class has more records than the table, though all records may be suppressed."""
    table = small_table(Random(1), n=6)  # noqa: S311
    problem = local_problem(table, Rules((KAnonymity(k=len(table.records) + 1),)), "discernibility", limit)
    search = Enumeration(Recodings(problem, Discernibility(), 32), float("inf"))
    search.run()
    assert search.best is None


def test_a_promise_that_all_records_together_break_is_given_up_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Enumeration, "_climb", lambda self: None)
    values = [str(number) for number in range(6)]
    records = [{"q": value, "s": secret} for value, secret in zip(values, "xxxxxy", strict=True)]
    table = LocalTable(records, {"q": {value: (value, "*") for value in values}}, ("s",), forms={"q": "ranges"})
    models = (KAnonymity(k=2), FrequencyLDiversity(l=2, column="s"))
    search = Enumeration(Recodings(local_problem(table, Rules(models), "discernibility"), Discernibility(), 32), inf)
    search.run()
    assert search.complete
    assert search.best is None
    assert search.n_nodes == 1


def _after(turns: int) -> Callable[[Enumeration], bool]:
    """Return a clock that says after so many looks that it is late."""
    left = iter(range(turns))
    return lambda search: next(left, None) is None


def test_stopped_anywhere_the_bound_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    bounds = []
    for seed in range(20):
        for turns in (2, 5, 9, 20):
            space, least = space_of(seed, 16)
            monkeypatch.setattr(Enumeration, "_late", property(_after(turns)))
            search = Enumeration(space, clock())
            search.run()
            assert search.stopped or search.complete
            if least is not None:
                assert search.bound <= least <= search.cost
                bounds.append(search.bound / max(search.cost, 1))
    assert min(bounds) < 1.0


def climbed(seed: int) -> tuple[Recodings, Enumeration, int | None]:
    """Climb, and expand no node."""
    space, least = space_of(seed, 16)
    search = Enumeration(space, float("inf"))
    search.run()
    return space, search, least


def test_climbing_ends_where_no_step_more_or_less_is_better(monkeypatch: pytest.MonkeyPatch) -> None:
    """What it finds is allowed and costs what it says; often it is the optimum.

    Where an evaluation does not decide, few of the steps are tried, and a better one may be among the others.
    """
    monkeypatch.setattr(Enumeration, "_expand", lambda self, node: None)
    n_best = n_found = 0
    for seed in range(300, 360):
        space, search, least = climbed(seed)
        if search.best is None:
            continue
        assert least is not None
        assert space.judge(search.best).loss == search.cost >= least
        n_found += 1
        n_best += search.cost == least
        state = np.where(search.best == TAKEN, TAKEN, OPEN).astype(np.int8)
        near = space.evaluate(state).ready | space.removals(state).ready
        for step in np.flatnonzero(near).tolist():
            moved = state.copy()
            moved[step] = OPEN if state[step] == TAKEN else TAKEN
            assert space.judge(moved).loss >= search.cost or not space.exact
    assert n_found > 40
    assert n_best > 0.85 * n_found


@dataclass
class Listed:
    """Sets of steps whose costs are listed, with the highest bounds that are true: the least cost of what is left.

    Args:
        costs: The cost of each set by what an evaluation knows.
        judged: The cost of each set by all promises, no less than that, or None if it is not allowed.
        n_steps: The number of steps.
        doubt: How much less each set may cost by another choice of its classes.
    """

    costs: dict[frozenset[int], int]
    judged: dict[frozenset[int], int | None]
    n_steps: int
    exact: bool
    inherits: bool = False
    doubt: float = 0.0
    asked: Counter[frozenset[int]] = field(default_factory=Counter)
    n_evaluated: int = 0

    @property
    def problem(self) -> SimpleNamespace:
        return SimpleNamespace(limit=0, tally=SimpleNamespace(n_records=99))

    def all_open(self) -> State:
        return np.full(self.n_steps, OPEN, dtype=np.int8)

    def least(self, state: State) -> int:
        """Return the least cost of the sets that a state stands for."""
        taken, out = frozenset(np.flatnonzero(state == TAKEN)), frozenset(np.flatnonzero(state == OUT))
        return min(cost for chosen, cost in self.costs.items() if taken <= chosen and not chosen & out)

    def evaluate(self, state: State, within: object = None) -> Evaluation:
        self.n_evaluated += 1
        taken, bound = frozenset(np.flatnonzero(state == TAKEN).tolist()), self.least(state)
        changes = [self.costs[taken | {step}] - self.costs[taken] for step in range(self.n_steps)]
        ready = state == OPEN
        nothing = np.zeros(self.n_steps, dtype=np.int64)
        by_taking, by_leaving = (
            np.array([self.least(_with(state, step, to)) - bound if ready[step] else 0 for step in range(self.n_steps)])
            for to in (TAKEN, OUT)
        )
        useful = np.ones(self.n_steps, dtype=np.bool_)
        cost = self.costs[taken]
        return Evaluation(0, cost, bound, ready, nothing, np.array(changes), by_taking, by_leaving, useful)

    def within(self, found: Evaluation) -> None:
        return None

    def removals(self, state: State) -> Removals:
        taken = frozenset(np.flatnonzero(state == TAKEN).tolist())
        changes = [self.costs[taken - {step}] - self.costs[taken] for step in range(self.n_steps)]
        return Removals(state == TAKEN, np.zeros(self.n_steps, dtype=np.int64), np.array(changes))

    def without(self, state: State, steps: NDArray[np.bool_]) -> State:
        return np.where(steps, OUT, state).astype(np.int8)

    def judge(self, state: State) -> Selection:
        taken = frozenset(np.flatnonzero(state == TAKEN).tolist())
        self.asked[taken] += 1
        cost = self.judged[taken]
        if cost is None:
            return Selection(None, float("inf"), float("inf"))
        return Selection(np.ones(1, dtype=np.bool_), float(cost), float(cost - self.doubt))


def _with(state: State, step: int, to: int) -> State:
    changed = state.copy()
    changed[step] = to
    return changed


def listed(seed: int) -> tuple[Listed, int | None]:
    """Return sets of steps that cost nearly the same, and the least cost of those that are allowed."""
    rng = Random(seed)  # noqa: S311
    n_steps, exact = rng.randint(1, 5), seed % 2 == 0
    sets = [frozenset(chosen) for size in range(n_steps + 1) for chosen in combinations(range(n_steps), size)]
    costs = {chosen: 1000 + rng.randrange(40) for chosen in sets}
    judged = {chosen: cost if exact else rng.choice([None, cost, cost + 1]) for chosen, cost in costs.items()}
    allowed = [cost for cost in judged.values() if cost is not None]
    return Listed(costs, judged, n_steps, exact), min(allowed, default=None)


@pytest.mark.parametrize("climbs", [False, True])
def test_the_best_set_is_found_though_the_next_is_hardly_worse(climbs: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not climbs:
        monkeypatch.setattr(Enumeration, "_climb", lambda self: None)
    for seed in range(80):
        for deep in (1, 200):
            space, least = listed(seed)
            monkeypatch.setattr(enumeration, "_DEEP", deep)
            search = Enumeration(cast(Recodings, space), float("inf"))
            search.run()
            assert search.complete
            assert (search.best is None) == (least is None)
            assert max(space.asked.values(), default=0) <= 1  # each set is judged once
            if search.best is not None:
                assert search.cost == search.bound == least
                assert space.judge(search.best).loss == least


def test_the_bound_of_a_search_that_is_stopped_is_that_of_what_is_open(monkeypatch: pytest.MonkeyPatch) -> None:
    """With bounds that are met, the least of what is open and what was found is the optimum itself."""
    n_stopped = 0
    monkeypatch.setattr(Enumeration, "_climb", lambda self: None)
    for seed in range(0, 60, 2):
        for turns in range(8):
            space, least = listed(seed)
            monkeypatch.setattr(Enumeration, "_late", property(_after(turns)))
            search = Enumeration(cast(Recodings, space), clock())
            search.run()
            assert search.best is not None  # the set of no steps is looked at first
            assert search.bound == least
            assert search.n_nodes == space.n_evaluated - 1 <= turns
            assert search.complete == (search.cost == least)
            n_stopped += not search.complete
    assert n_stopped > 20


def test_a_search_is_complete_only_if_its_bound_is_met() -> None:
    search = Enumeration(cast(Recodings, listed(0)[0]), float("inf"))
    assert (search.bound, search.complete) == (0, False)
    for bound, complete in ((99, False), (100, True)):
        search.bound, search.cost = bound, 100
        assert search.complete == complete


@pytest.mark.parametrize("turns", [2, 5, 9, 1000])
@pytest.mark.parametrize(("doubt", "lower"), [(90.0, 90), (90.5, 90), (1e-10, 0)])
def test_sets_whose_classes_are_not_settled_lower_the_bound(
    turns: int, doubt: float, lower: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is rounded up, since costs are whole."""
    n_doubtful = 0
    for seed in range(1, 60, 2):
        space, _ = listed(seed)
        space.doubt = doubt
        monkeypatch.setattr(Enumeration, "_late", property(_after(turns)))
        search = Enumeration(cast(Recodings, space), clock())
        search.run()
        found = [cost for chosen in space.asked if (cost := space.judged[chosen]) is not None]
        if found and lower:
            n_doubtful += 1
            assert search.bound == min(found) - lower
            assert not search.complete
        elif found:
            n_doubtful += 1
            assert search.bound <= min(found)
    assert n_doubtful > 10


def test_without_time_it_does_not_climb() -> None:
    space, _ = listed(2)
    search = Enumeration(cast(Recodings, space), clock() - 1)
    search.run()
    assert (search.n_nodes, space.n_evaluated) == (0, 1)


def test_the_time_is_up_after_the_deadline_and_not_at_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(enumeration, "clock", lambda: 5.0)
    for deadline, late in ((4.9, True), (5.0, False)):
        search = Enumeration(cast(Recodings, listed(0)[0]), deadline)
        search.run()
        assert search.stopped == late


def test_of_sets_that_cost_the_same_the_first_is_kept() -> None:
    nothing, step = frozenset[int](), frozenset([0])
    space = Listed({nothing: 1000, step: 999}, {nothing: 1000, step: 1000}, 1, exact=False)
    search = Enumeration(cast(Recodings, space), float("inf"))
    search.run()
    assert search.best is not None
    assert (search.best.tolist(), search.cost) == ([OUT], 1000)


def test_few_of_the_steps_are_tried_where_an_evaluation_does_not_decide() -> None:
    sets = [frozenset(chosen) for size in range(3) for chosen in combinations(range(12), size)]
    costs = {chosen: 1000 - sum(chosen) for chosen in sets}
    space = Listed(costs, dict.fromkeys(sets), 12, exact=False)
    search, state = Enumeration(cast(Recodings, space), float("inf")), space.all_open()
    found = space.evaluate(state)
    assert search._move(state, found, np.zeros(12, dtype=np.bool_), 0) == -1  # noqa: SLF001
    assert set(space.asked) == {frozenset([step]) for step in range(4, 12)}


@pytest.mark.parametrize(("limit", "climbs"), [(0, [0]), (1, [0, 1])])
def test_climbing_is_tried_again_where_records_may_be_suppressed(
    limit: int, climbs: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    limits: list[int] = []
    monkeypatch.setattr(Enumeration, "_climb_from", lambda self, state, limit: limits.append(limit))
    search = Enumeration(cast(Recodings, listed(0)[0]), float("inf"))
    search.limit = limit
    search._climb()  # noqa: SLF001
    assert limits == climbs
