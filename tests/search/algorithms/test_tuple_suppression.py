from fractions import Fraction

import pytest

from shoal.foundation.errors import InfeasibleError
from shoal.search.algorithms import TupleSuppression
from tests.oracles.checks import check, node_of
from tests.oracles.full_domain import FullDomain
from tests.oracles.papers import figure_1
from tests.oracles.plain import Rules
from tests.oracles.problems import problem_of, published


def test_figure_1_is_2_anonymous_without_records_3_6_7_and_10() -> None:
    space = figure_1(k=2)
    problem = problem_of(space.table, space.rules, "lm", Fraction(4, 10))
    solution = TupleSuppression().solve(problem)
    shown = [key for _, key in published(space.table, problem, solution)]
    assert [number for number, key in enumerate(shown, 1) if key is None] == [3, 6, 7, 10]
    assert solution.suppressed == 4
    assert solution.guarantee == "optimal"
    assert set(solution.levels.values()) == {0}


def test_a_limit_below_4_records_is_too_low() -> None:
    with pytest.raises(InfeasibleError, match=r"Suppressing 4 records \(40.00%\) would be enough"):
        TupleSuppression().solve(problem_of(figure_1(2).table, figure_1(2).rules, "lm", Fraction(3, 10)))


def test_the_suppressed_records_must_hide_as_stars_too() -> None:
    space = figure_1(k=2)
    solution = check(
        FullDomain(space.table, Rules(space.rules.models, stars=True)), TupleSuppression(), "lm", Fraction(1)
    )
    assert solution is not None
    assert solution.suppressed == 4
    three = figure_1(k=3)
    assert three.at((0, 0, 0)).kept == frozenset()
    assert check(three, TupleSuppression(), "lm", Fraction(1)) is None


def test_a_table_that_hides_all_records_is_published_as_it_is() -> None:
    space = figure_1(k=1)
    solution = check(space, TupleSuppression())
    assert solution is not None
    assert (solution.loss.total, solution.suppressed, node_of(space, solution)) == (0, 0, (0, 0, 0))
