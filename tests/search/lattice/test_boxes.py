"""The search by boxes is exact however it is hurried, and honest when it is stopped."""

from collections.abc import Callable
from itertools import count

import pytest

from shoal.measures import MEASURES
from shoal.search.lattice import boxes
from shoal.search.lattice.boxes import search
from shoal.search.lattice.lattice import Lattice
from tests.oracles.checks import close
from tests.oracles.full_domain import FullDomain
from tests.oracles.problems import problem_of
from tests.oracles.random_tables import LIMITS, random_case


def clock() -> Callable[[], float]:
    """Return a clock that goes on by 1 each time it is read."""
    ticks = count()
    return lambda: float(next(ticks))


@pytest.mark.parametrize("seed", range(30))
def test_a_search_that_is_stopped_has_a_true_bound(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    space = FullDomain(*random_case(2_000 + seed))
    measure, limit = MEASURES.names[seed % len(MEASURES.names)], LIMITS[seed % 4]
    least = space.optimum(measure, limit)
    for seconds in (0, 2, 4, 9, 30):
        monkeypatch.setattr(boxes, "clock", clock())
        found = search(Lattice(problem_of(space.table, space.rules, measure, limit, time_limit=seconds)))
        assert least is None or found.bound <= least + 1e-9
        if found.best is not None:
            assert least is not None
            assert found.best.loss >= least - 1e-9
            assert not found.complete or close(found.best.loss, least)


@pytest.mark.parametrize("seed", range(30))
def test_climbing_changes_nothing_but_the_way(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(boxes, "_CLIMB_AFTER", seed % 4)
    space = FullDomain(*random_case(2_500 + seed))
    measure, limit = MEASURES.names[seed % len(MEASURES.names)], LIMITS[seed % 4]
    least = space.optimum(measure, limit)
    found = search(Lattice(problem_of(space.table, space.rules, measure, limit)))
    assert found.complete
    assert (found.best is None) == (least is None)
    if found.best is not None and least is not None:
        assert close(found.best.loss, least)
        assert found.bound == found.best.loss


def test_progress_goes_from_0_to_1() -> None:
    shares: list[float] = []

    def show(step: str, share: float | None = None) -> None:
        assert step == "searching the lattice"
        shares.append(share or 0.0)

    search(Lattice(problem_of(*random_case(2), "lm", LIMITS[2])), show)
    assert all(0 <= share <= 1 for share in shares)


def test_a_large_lattice_is_not_listed() -> None:
    """A lattice of 3^20 nodes, of which few are looked at."""
    from tests.oracles.papers import FIGURE_1, MAX_SUP, figure_1
    from tests.oracles.plain import PlainTable

    zips = FIGURE_1.hierarchies["zip"]
    records = [{f"q{j}": record["zip"] for j in range(20)} for record in FIGURE_1.records]
    table = PlainTable(records, {f"q{j}": zips for j in range(20)})
    lattice = Lattice(problem_of(table, figure_1().rules, "lm", MAX_SUP))
    found = search(lattice)
    assert found.complete
    assert found.best is not None
    assert (found.best.node, found.best.suppressed) == ((0,) * 20, 1)
    assert lattice.nodes_checked < 10_000
