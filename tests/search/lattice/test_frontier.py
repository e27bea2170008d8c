"""One sweep says what every single search says."""

from dataclasses import replace
from fractions import Fraction
from itertools import product

import pytest

from shoal.foundation.errors import InfeasibleError, SpecError
from shoal.measures import MEASURES
from shoal.models import DistinctLDiversity, FrequencyLDiversity, KAnonymity, TCloseness
from shoal.search.algorithms import Optimal
from shoal.search.lattice.frontier import Frontier, sweep
from shoal.search.lattice.lattice import Lattice
from tests.oracles.checks import close
from tests.oracles.full_domain import FullDomain
from tests.oracles.papers import FIGURE_1, figure_1
from tests.oracles.plain import PlainTable, Rules
from tests.oracles.problems import problem_of
from tests.oracles.random_tables import LIMITS, random_case

KS = (1, 2, 3, 5)


def swept(table: PlainTable, rules: Rules, measure: str = "lm") -> Frontier:
    return sweep(Lattice(problem_of(table, rules, measure)), KS)


def with_k(rules: Rules, k: int) -> Rules:
    return replace(rules, models=(*rules.models, KAnonymity(k=k)))


@pytest.mark.parametrize("seed", range(24))
def test_every_node_and_k_is_what_brute_force_says(seed: int) -> None:
    table, rules = random_case(3_000 + seed)
    measure = MEASURES.names[seed % len(MEASURES.names)]
    found = swept(table, rules, measure)
    for j, k in enumerate(KS):
        space = FullDomain(table, with_k(rules, k))
        assert len(found.nodes) == len(space.judged)
        for i, node in enumerate(found.nodes.tolist()):
            one = space.at(tuple(node))
            assert found.suppressed[i, j] == one.suppressed
            assert found.allowed[i, j] == one.feasible(len(table.records))
            assert close(found.loss[i, j], space.loss(measure, one))
        for limit in LIMITS:
            best, least = found.best(k, limit), space.optimum(measure, limit)
            if problem_of(table, with_k(rules, k), measure, limit).selects:  # then it is one release, and not the best
                assert best is None or best["loss"] >= (least or 0.0) - 1e-9
            else:
                assert (best is None) == (least is None)
                assert best is None or close(best["loss"], least or 0.0)


@pytest.mark.parametrize("stars", [False, True])
@pytest.mark.parametrize("limit", ["0", "0.1", "0.2", 0.4, Fraction(1)])
def test_the_best_is_the_optimum(limit: str | float | Fraction, stars: bool) -> None:
    rules = Rules((FrequencyLDiversity(l=Fraction("1.5"), column="disease"),), stars=stars)
    found = swept(FIGURE_1, rules)
    for k in KS:
        best = found.best(k, limit)
        problem = problem_of(FIGURE_1, with_k(rules, k), "lm", Fraction(str(limit)))
        try:
            solution = Optimal().solve(problem)
        except InfeasibleError:
            assert best is None
            continue
        if stars and best is None:
            continue
        assert best is not None
        assert best["loss"] >= solution.loss.total - 1e-9
        assert stars or best["loss"] == pytest.approx(solution.loss.total)


def test_the_frame_has_a_row_for_each_node_and_k() -> None:
    found = swept(FIGURE_1, Rules(()))
    assert found.frame.columns == ["level of zip", "level of marital", "level of sex", "k", "suppressed", "lm"]
    assert found.frame.height == 18 * len(KS)
    space = figure_1()
    for row in found.frame.filter(k=3).iter_rows():
        assert row[4] == space.at(row[:3]).suppressed


def test_the_best_without_a_limit_suppresses_nothing() -> None:
    found = swept(FIGURE_1, Rules(()))
    for k in KS:
        assert found.best(k) == found.best(k, 0)
        assert found.best(k, Fraction(1)) != found.best(k) or k == 1


def test_what_fails_by_k_is_not_compared_with() -> None:
    """Town a is 2/7 from all records, but 1/3 from those of a and b, which are left for k = 2."""
    rules = Rules((DistinctLDiversity(l=1, column="illness"), TCloseness(t=Fraction("0.3"), column="illness")))
    records = [{"town": town, "illness": illness} for town, illness in zip("aabbbbc", "xxxxyyx", strict=True)]
    table = PlainTable(records, {"town": {town: (town, "*") for town in "abc"}}, ("illness",))
    found = swept(table, rules)
    assert found.nodes.tolist() == [[0], [1]]
    assert found.suppressed.tolist() == [[0, 3, 3, 7], [0, 0, 0, 0]]
    for j, k in enumerate(KS):
        assert found.suppressed[:, j].tolist() == [one.suppressed for one in FullDomain(table, with_k(rules, k)).judged]


@pytest.mark.parametrize("seed", range(12))
def test_k_may_count_persons_and_levels_may_be_left_out(seed: int) -> None:
    """The column that identifies persons has a value for each: that is distinct diversity."""
    table, rules = random_case(3_100 + seed)
    steps = [range(seed % 2, table.height(column) + 1, 1 + seed % 3) for column in table.quasi]
    found = sweep(Lattice(problem_of(table, rules), steps), KS, entity="illness")
    assert sorted(map(tuple, found.nodes.tolist())) == sorted(product(*steps))
    for j, k in enumerate(KS):
        persons = DistinctLDiversity(l=k, column="illness")
        space = FullDomain(table, replace(rules, models=(*rules.models, persons)))
        for i, node in enumerate(found.nodes.tolist()):
            one = space.at(tuple(node))
            assert found.suppressed[i, j] == one.suppressed
            assert found.allowed[i, j] == one.feasible(len(table.records))


def test_a_lattice_that_is_too_large_is_not_swept() -> None:
    lattice = Lattice(problem_of(FIGURE_1, Rules(())), [range(1_000)] * 3)
    with pytest.raises(SpecError, match="too many"):
        sweep(lattice, KS)
