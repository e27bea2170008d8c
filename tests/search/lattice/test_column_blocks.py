"""The least losses of blocks of columns add up to no more than that of all columns."""

from fractions import Fraction

import pytest

from shoal.kernels.clock import clock
from shoal.measures import Entropy
from shoal.models import KAnonymity
from shoal.search.lattice import boxes, column_blocks
from shoal.search.lattice.boxes import search
from shoal.search.lattice.column_blocks import floor_of
from shoal.search.lattice.lattice import Lattice
from tests.oracles.full_domain import FullDomain
from tests.oracles.plain import PlainTable, Rules
from tests.oracles.problems import problem_of
from tests.oracles.random_tables import LIMITS, random_case
from tests.search.lattice.test_boxes import clock as ticking

STAR = {"a": ("a", "*"), "b": ("b", "*"), "c": ("c", "*")}


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(column_blocks, "_NODES", 3)


@pytest.mark.parametrize("measure", ["stars", "lm"])
@pytest.mark.parametrize("part", range(3))
def test_the_sum_is_a_lower_bound(part: int, measure: str) -> None:
    n_told = n_tight = 0
    for seed in range(part * 60, part * 60 + 60):
        case, limit = random_case(9_000 + seed), LIMITS[seed % 4]
        floor = floor_of(Lattice(problem_of(*case, measure, limit)))
        if floor is None:
            continue
        least, found = FullDomain(*case).optimum(measure, limit), floor(clock() + 60)
        n_told += 1
        n_tight += least is not None and found == pytest.approx(least)
        assert least is None or found <= least + 1e-9
    assert n_told > 5
    assert n_tight > 0


def table() -> PlainTable:
    """Four columns: by the first two there are pairs, by the others too, and by all four each record is alone."""
    rows = [(a, b, a, b) for a in "ab" for b in "ab" for _ in range(2)]
    records = [dict(zip("pqrs", row, strict=True)) for row in rows]
    records[1] |= {"r": "c", "s": "c"}
    return PlainTable(records, dict.fromkeys("pqrs", STAR))


def test_a_record_that_is_alone_in_one_block_costs_there() -> None:
    lattice = Lattice(problem_of(table(), Rules((KAnonymity(k=2),)), "stars", Fraction(1)))
    floor = floor_of(lattice)
    assert floor is not None
    assert 0 < floor(clock() + 60) <= search(lattice).bound


def test_the_bound_of_a_search_that_is_stopped_is_at_least_the_floor(monkeypatch: pytest.MonkeyPatch) -> None:
    lattice = Lattice(problem_of(table(), Rules((KAnonymity(k=2),)), "stars", Fraction(1), time_limit=2))
    monkeypatch.setattr(boxes, "clock", ticking())
    until: list[float] = []

    def floor(deadline: float) -> float:
        until.append(deadline)
        return 1.5

    found = search(lattice, floor=floor)
    assert found.stopped
    assert found.bound >= 1.5
    assert len(until) == 1


def test_a_floor_that_is_reached_is_a_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = Rules((KAnonymity(k=2),))
    least = search(Lattice(problem_of(table(), rules, "stars", Fraction(1)))).bound
    monkeypatch.setattr(boxes, "clock", ticking())
    lattice = Lattice(problem_of(table(), rules, "stars", Fraction(1), time_limit=8))
    found = search(lattice, floor=lambda _: least)
    assert found.best is not None
    assert found.complete == (found.best.loss == least)


def test_it_is_not_claimed_where_it_need_not_hold() -> None:
    plain = Rules((KAnonymity(k=2),))
    assert floor_of(Lattice(problem_of(table(), plain, "lm", Fraction(0)))) is not None
    assert floor_of(Lattice(problem_of(table(), Rules((KAnonymity(k=2),), wildcard=True), "lm", Fraction(0)))) is None
    assert not Entropy.monotone
    assert floor_of(Lattice(problem_of(table(), plain, "entropy", Fraction(0)))) is None
    assert floor_of(Lattice(problem_of(table(), plain, "discernibility", Fraction(0)))) is None


def test_few_columns_are_searched_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(column_blocks, "_NODES", 16)
    assert floor_of(Lattice(problem_of(table(), Rules((KAnonymity(k=2),)), "lm", Fraction(0)))) is None
