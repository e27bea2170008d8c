"""The best release of a lattice: as specific as its loss allows, and honest when the time is up."""

import re
from fractions import Fraction
from itertools import count

import pytest

from shoal.foundation.errors import InfeasibleError
from shoal.measures import MEASURES
from shoal.models import FrequencyLDiversity, KAnonymity
from shoal.search.lattice import boxes
from shoal.search.lattice.boxes import BestNode
from shoal.search.lattice.lattice import Lattice
from shoal.search.lattice.optimum import optimum
from shoal.search.lattice.selection import NOTHING_SETTLED, UNSETTLED
from tests.oracles.checks import check_release, close
from tests.oracles.full_domain import FullDomain
from tests.oracles.papers import FIGURE_1, MAX_SUP
from tests.oracles.plain import PlainTable, Rules
from tests.oracles.problems import problem_of
from tests.oracles.random_tables import LIMITS, random_case
from tests.search.lattice.test_diagnosis import dominated

TWICE = Rules((FrequencyLDiversity(l=Fraction(2), column="illness"),))


def hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the clock of the search go on by 1 each time it is read."""
    ticks = count()
    monkeypatch.setattr(boxes, "clock", lambda: float(next(ticks)))


@pytest.mark.parametrize("measure", MEASURES.names)
def test_no_node_one_step_below_is_as_good(measure: str) -> None:
    """Measures of classes have many ties, and so has a column without weight."""
    n_found = 0
    for seed in range(12):
        space, limit = FullDomain(*random_case(7_000 + seed)), LIMITS[seed % 4]
        least = space.optimum(measure, limit)
        if least is None:
            continue
        problem = problem_of(space.table, space.rules, measure, limit)
        solution = optimum(Lattice(problem))
        judged = check_release(space, problem, solution)
        assert close(solution.loss.total, least)
        assert (solution.guarantee, solution.bound, solution.remark) == ("optimal", solution.loss.total, "")
        for one in space.feasible(limit):
            steps = [a - b for a, b in zip(judged.node, one.node, strict=True)]
            if sorted(steps)[-1] == 1 == sum(map(abs, steps)):
                assert space.loss(measure, one) > least + 1e-9
        n_found += 1
    assert n_found > 4


def test_of_releases_as_good_the_one_with_the_lower_first_levels_is_taken() -> None:
    """Nothing costs anything, and either column may be left as it is, but not both."""
    rows = {value: (value, "*") for value in "ab"}
    records = [{"q": q, "r": r} for q in "ab" for r in "ab"]
    table = PlainTable(records, {"q": rows, "r": rows}, (), {"q": 0.0, "r": 0.0})
    solution = optimum(Lattice(problem_of(table, Rules((KAnonymity(k=2),)), "lm")))
    assert (solution.levels, solution.loss.total) == ({"q": 0, "r": 1}, 0.0)


def test_a_search_that_is_stopped_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    n_stopped = 0
    for seed in range(30):
        space, limit = FullDomain(*random_case(7_100 + seed)), LIMITS[seed % 4]
        least = space.optimum("lm", limit)
        if least is None:
            continue
        hurry(monkeypatch)
        problem = problem_of(space.table, space.rules, "lm", limit, time_limit=1 + seed % 3)
        lattice = Lattice(problem)
        try:
            solution = optimum(lattice)
        except InfeasibleError:
            continue
        check_release(space, problem, solution)
        if solution.guarantee == "optimal":
            assert close(solution.loss.total, least)
            continue
        n_stopped += 1
        assert solution.guarantee == "none"
        assert solution.bound is not None
        assert solution.bound <= least + 1e-9
        assert "generalizations were checked" in solution.remark
        assert f"of {lattice.n_nodes} generalizations" in solution.remark
    assert n_stopped > 5


def test_what_cannot_be_is_told_apart_from_what_was_not_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """One class of all records fails, and time is up before another node is looked at."""
    rules = Rules((KAnonymity(k=11),))
    with pytest.raises(InfeasibleError, match="No generalization keeps every promise"):
        optimum(Lattice(problem_of(FIGURE_1, rules, "lm", MAX_SUP)))
    hurry(monkeypatch)
    lattice = Lattice(problem_of(dominated(), TWICE, "lm", Fraction(1, 2), time_limit=0))
    with pytest.raises(InfeasibleError, match=r"within the time limit of 0 s \(1 of 3 generalizations"):
        optimum(lattice)


def test_what_too_many_choices_leave_open_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    lattice = Lattice(problem_of(FIGURE_1, Rules((KAnonymity(k=2),)), "lm"))
    for best in (None, lattice.evaluate(lattice.top)):
        found = BestNode(best, 0.5, complete=False, stopped=False)
        monkeypatch.setattr("shoal.search.lattice.optimum.search", lambda *_, found=found: found)
        if best is None:
            with pytest.raises(InfeasibleError, match=re.escape(NOTHING_SETTLED)):
                optimum(lattice)
        else:
            solution = optimum(lattice)
            assert (solution.guarantee, solution.bound, solution.remark) == ("none", 0.5, UNSETTLED)
