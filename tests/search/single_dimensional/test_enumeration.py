"""The search finds the optimum by itself, whatever it starts from and however it goes through the nodes."""

from collections.abc import Callable
from fractions import Fraction
from random import Random

import pytest

from shoal.kernels.clock import clock
from shoal.measures import Classification, Discernibility
from shoal.models import DistinctLDiversity, KAnonymity, PrivacyModel
from shoal.search.single_dimensional import enumeration
from shoal.search.single_dimensional.enumeration import Enumeration
from shoal.search.single_dimensional.recodings import Recodings
from tests.contracts.test_alike_recoding import small_table
from tests.oracles.cut_sets import optimum
from tests.oracles.local_tables import local_problem
from tests.oracles.plain import Rules

LIMITS = (Fraction(0), Fraction(1, 5), Fraction(1))


def space_of(seed: int, n: int) -> tuple[Recodings, int | None]:
    rng = Random(seed)  # noqa: S311
    table = small_table(rng, n=n)
    models: tuple[PrivacyModel, ...] = (KAnonymity(k=rng.randint(1, 4)),)
    if seed % 3 == 0:
        models = (*models, DistinctLDiversity(l=2, column="illness"))
    measure = Discernibility() if seed % 2 else Classification()
    limit = LIMITS[seed % 3]
    problem = local_problem(table, Rules(models), measure.name, limit)
    return Recodings(problem, measure, 32), optimum(table, Rules(models), measure.name, limit)


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
