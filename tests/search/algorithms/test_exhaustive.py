from fractions import Fraction

import pytest

from shoal.foundation.errors import InfeasibleError
from shoal.measures import MEASURES
from shoal.search.algorithms import Exhaustive
from tests.oracles.checks import check, node_of
from tests.oracles.papers import MAX_SUP, figure_1
from tests.oracles.problems import problem_of


def test_every_generalization_is_looked_at() -> None:
    solution = check(figure_1(), Exhaustive(), "lm", MAX_SUP)
    assert solution is not None
    assert solution.nodes_checked == 3 * 3 * 2
    assert [tuple(node.values()) for node in solution.minimal] == [(1, 1, 0), (0, 2, 1)]


@pytest.mark.parametrize("measure", MEASURES.names)
@pytest.mark.parametrize("limit", [Fraction(0), MAX_SUP, Fraction(1)])
def test_figure_1_by_every_measure(measure: str, limit: Fraction) -> None:
    solution = check(figure_1(), Exhaustive(), measure, limit)
    assert solution is not None
    assert solution.guarantee == "optimal"


def test_a_preference_gives_up_the_guarantee() -> None:
    space = figure_1()
    solution = check(space, Exhaustive(prefer="relative-distance"), "lm", MAX_SUP)
    assert solution is not None
    assert node_of(space, solution) == (1, 1, 0)
    assert (solution.guarantee, solution.bound) == ("none", None)


def test_stopped_before_the_first_allowed_one_it_does_not_say_that_there_is_none() -> None:
    space = figure_1()
    with pytest.raises(InfeasibleError, match=r"\(0 of 18 generalizations were checked\)\. Allow more time"):
        Exhaustive().solve(problem_of(space.table, space.rules, "lm", MAX_SUP, time_limit=-1.0))
