"""Bounds of fixed tables, to many digits: they change only if the way in which charges are raised does.

That a bound holds is shown elsewhere, against optima. These numbers show that it is as good as it was, and that it is
the same on every machine. Whoever raises charges in another way writes the new ones down, and none should be lower.
"""

import pytest

from shoal.models import KAnonymity
from shoal.search.bounds.bounds import FULL, LIGHT, QUICK
from shoal.search.problem import Problem
from tests.oracles.local.tables import Form, LocalTable, local_problem
from tests.oracles.plain import Rules
from tests.search.bounds.test_bounds import bound_of, larger

FORMS: tuple[Form, ...] = ("tree", "ranges", "numbers", "sets")
EFFORTS = (FULL, LIGHT, QUICK)
CASES: dict[tuple[int, int, str], tuple[float, float, float]] = {
    (60, 5, "lm"): (100.641666667, 100.641666667, 100.641666667),
    (60, 5, "entropy"): (281.49199833, 281.49199833, 281.49199833),
    (200, 3, "ncp"): (26, 21.3333333333, 21.0833333333),
    (300, 5, "entropy"): (943.759970689, 914.117758673, 914.117758673),
    (400, 3, "nonuniform-entropy"): (141.552949248, 121.99442364, 121.555824292),
    (700, 5, "monotone-entropy"): (758.428948354, 698.521944256, 698.46854301),
    (700, 5, "nonuniform-entropy"): (1412.32266556, 1343.05221084, 1341.99038605),
}


def problem_of(n: int, n_columns: int, measure: str) -> Problem:
    """Return the problem of a table with so many records, of which more are alike the fewer the columns."""
    table = larger(n, n, FORMS)
    columns = list(table.hierarchies)[:n_columns]
    hierarchies = {name: table.hierarchies[name] for name in columns}
    forms = {name: table.forms[name] for name in columns}
    records = [{name: record[name] for name in columns} for record in table.records]
    return local_problem(
        LocalTable(records, hierarchies, weights=table.weights, forms=forms), Rules((KAnonymity(k=3),)), measure
    )


@pytest.mark.parametrize("case", CASES)
def test_a_bound_is_as_good_as_it_was(case: tuple[int, int, str]) -> None:
    problem = problem_of(*case)
    found = [bound_of(problem, effort=effort).total for effort in EFFORTS]
    assert found == pytest.approx(CASES[case], rel=1e-7)
