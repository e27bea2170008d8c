"""The search finds the optimum by itself, whatever it starts from and however it goes through the nodes."""

from collections.abc import Callable
from fractions import Fraction
from random import Random

import numpy as np
import pytest

from shoal.kernels.clock import clock
from shoal.kernels.single_dimensional.step_classes import OPEN, TAKEN
from shoal.measures import Classification, Discernibility
from shoal.models import DistinctLDiversity, FrequencyLDiversity, KAnonymity, PrivacyModel
from shoal.search.single_dimensional import enumeration
from shoal.search.single_dimensional.enumeration import Enumeration
from shoal.search.single_dimensional.recodings import Recodings
from tests.contracts.test_alike_recoding import small_table
from tests.oracles.cut_sets import optimum
from tests.oracles.local_tables import local_problem
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
        assert space.judge(search.best) == search.cost >= least
        n_found += 1
        n_best += search.cost == least
        state = np.where(search.best == TAKEN, TAKEN, OPEN).astype(np.int8)
        near = space.evaluate(state).ready | space.removals(state).ready
        for step in np.flatnonzero(near).tolist():
            moved = state.copy()
            moved[step] = OPEN if state[step] == TAKEN else TAKEN
            cost = space.judge(moved)
            assert cost is None or cost >= search.cost or not space.exact
    assert n_found > 40
    assert n_best > 0.85 * n_found
