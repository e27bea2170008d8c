from dataclasses import replace
from fractions import Fraction

from shoal.measures import MEASURES
from shoal.search.algorithms import AttributeSuppression
from tests.oracles.checks import check, node_of
from tests.oracles.full_domain import FullDomain
from tests.oracles.papers import MAX_SUP, figure_1
from tests.oracles.plain import PlainTable, Rules


def test_without_suppression_the_sex_alone_can_be_published() -> None:
    """A zip is alone, and the married are two; of each sex there are four or more."""
    space = figure_1(k=3)
    solution = check(space, AttributeSuppression(), "stars")
    assert solution is not None
    assert node_of(space, solution) == (2, 2, 0)
    assert solution.loss.columns == {"zip": 10, "marital": 10, "sex": 0}


def test_a_zip_that_weighs_more_is_kept_and_the_record_alone_in_its_own_left_out() -> None:
    table = replace(figure_1().table, weights={"zip": 3.0})
    space = FullDomain(table, figure_1(k=3).rules)
    solution = check(space, AttributeSuppression(), "stars", MAX_SUP)
    assert solution is not None
    assert node_of(space, solution) == (0, 2, 1)
    assert (solution.suppressed, solution.loss.total) == (1, 9 * 2 + 5)


def test_only_whole_columns_are_starred_whatever_the_measure() -> None:
    space = figure_1(k=2)
    for measure in MEASURES.names:
        for limit in (Fraction(0), MAX_SUP, Fraction(1)):
            solution = check(space, AttributeSuppression(), measure, limit)
            assert solution is not None
            assert all(level in (0, space.table.height(name)) for name, level in solution.levels.items())


def test_two_columns_that_are_fine_alone_but_not_together() -> None:
    stars = {value: (value, "*") for value in "01"}
    records = [{"a": a, "b": b, "weight": "1"} for a, b in ("00", "01", "10", "11")]
    space = FullDomain(
        PlainTable(records, {"a": stars, "b": stars}, weights={"a": 3.0}), Rules(figure_1(2).rules.models)
    )
    solution = check(space, AttributeSuppression(), "stars")
    assert solution is not None
    assert node_of(space, solution) == (0, 1)
    assert solution.loss.total == 4
