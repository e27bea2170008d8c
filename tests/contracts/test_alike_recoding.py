"""What every algorithm that recodes equal values alike promises, against brute force over all such recodings."""

from collections.abc import Sequence
from fractions import Fraction
from math import prod
from random import Random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from shoal.foundation.errors import InfeasibleError, SpecError
from shoal.models import KAnonymity, PrivacyModel
from shoal.search.algorithms import ALGORITHMS
from shoal.search.algorithms.algorithm import Algorithm
from shoal.search.problem import Problem, Solution
from tests.oracles.checks import close
from tests.oracles.cut_sets import all_recodings, blocks_of, classes_of, cost_of, optimum
from tests.oracles.local.checks import check_advice, read_release
from tests.oracles.local.random_jobs import FORMS, Case, random_local
from tests.oracles.local.tables import Form, LocalTable, local_problem
from tests.oracles.plain import Rules
from tests.oracles.random_tables import AS_OTHERS, LIMITS, MODEL_MAKERS

ALIKE = [kind() for kind in ALGORITHMS if kind.alike]
MEASURES = ("discernibility", "classification")
MOST = 300  # ways to recode a table

algorithms = pytest.mark.parametrize("algorithm", ALIKE, ids=[algorithm.name for algorithm in ALIKE])


def small_table(
    rng: Random, *, n: int = 10, forms: Sequence[Form] = FORMS, n_columns: int = 3, missing: bool = False
) -> LocalTable:
    """Return a table with few enough ways to recode it."""
    while True:
        table = random_local(rng, n, forms=tuple(forms), n_columns=n_columns, missing=missing)
        if prod(len(blocks_of(table, column)) for column in table.quasi) <= MOST:
            return table


def check_alike(case: Case, problem: Problem, solution: Solution) -> None:
    """Assert that what is published is true, alike for equal values, allowed, and costs what the solution says."""
    table = case.table
    classes, gone = read_release(table, problem, solution)
    limit = int(case.limit * len(table.records))
    assert len(gone) == solution.suppressed <= limit
    for number, column in enumerate(table.quasi):
        shown: dict[object, object] = {}
        for texts, one in classes.items():
            for record in one.members:
                assert record[column] in one.cells[number].leaves
                assert shown.setdefault(record[column], texts[number]) == texts[number]
    members = [list(one.members) for one in classes.values()]
    assert sorted(solution.groups.sizes.tolist()) == sorted(map(len, members))
    assert any(
        cost_of(table, case.rules, case.measure, limit, classes_of(table, chosen)) == solution.loss.total
        for chosen in all_recodings(table)
    )
    assert case.rules.stars or cost_of(table, case.rules, case.measure, 0, members) is not None


def check_case(case: Case, algorithm: Algorithm, time_limit: float | None = None) -> Solution | None:
    """Solve, and assert that the answer is right, or that there is none, or that the refusal says what to do."""
    problem = local_problem(case.table, case.rules, case.measure, case.limit, time_limit)
    least = optimum(case.table, case.rules, case.measure, case.limit)
    try:
        solution = algorithm.solve(problem)
    except SpecError as error:
        check_advice(case, str(error))
        return None
    except InfeasibleError:
        assert least is None
        return None
    assert least is not None
    check_alike(case, problem, solution)
    assert solution.bound is not None
    assert solution.bound <= least <= solution.loss.total
    if time_limit is None:
        assert solution.guarantee == "optimal"
    if solution.guarantee == "optimal":
        assert close(solution.loss.total, least)
        assert solution.bound == solution.loss.total
    return solution


@algorithms
@pytest.mark.parametrize("measure", MEASURES)
@settings(max_examples=150)
@given(seed=st.integers(0, 10**6), limit=st.sampled_from(LIMITS), k=st.integers(1, 4))
def test_k_anonymity_is_reached_at_the_least_loss(
    algorithm: Algorithm, measure: str, seed: int, limit: Fraction, k: int
) -> None:
    rng = Random(seed)  # noqa: S311  (tables, not secrets)
    table = small_table(rng, n=rng.randint(1, 12), missing=seed % 5 == 0)
    case = Case(table, Rules((KAnonymity(k=k),)), measure, limit)
    assert (check_case(case, algorithm) is None) == (k > len(table.records))


@algorithms
@settings(max_examples=150)
@given(
    seed=st.integers(0, 10**6),
    name=st.sampled_from(sorted(set(MODEL_MAKERS) - set(AS_OTHERS))),
    limit=st.sampled_from(LIMITS),
    stars=st.booleans(),
)
@example(
    seed=16, name="k-e-anonymity", limit=Fraction(3, 10), stars=False
)  # what no evaluation tests was taken for kept
@example(seed=144, name="k-e-anonymity", limit=Fraction(1), stars=False)
@example(seed=145, name="k-e-anonymity", limit=Fraction(1), stars=False)
def test_every_promise_is_kept_at_the_least_loss_or_refused(
    algorithm: Algorithm, seed: int, name: str, limit: Fraction, stars: bool
) -> None:
    rng = Random(seed)  # noqa: S311
    models: tuple[PrivacyModel, ...] = (MODEL_MAKERS[name](rng),)
    if seed % 2:
        models = (*models, KAnonymity(k=2))
    table = small_table(rng, n=rng.randint(2, 9), n_columns=2, missing=seed % 7 == 0)
    rules = Rules(models, stars=stars, wildcard=seed % 11 == 0)
    if models[0].population_file:
        table = LocalTable(
            table.records, table.hierarchies, table.sensitive, table.weights, [*table.records], table.forms
        )
    check_case(Case(table, rules, MEASURES[seed % 2], limit), algorithm)


@algorithms
@pytest.mark.parametrize("seed", range(12))
def test_a_search_that_is_stopped_at_once_still_publishes(algorithm: Algorithm, seed: int) -> None:
    table = small_table(Random(seed))  # noqa: S311
    case = Case(table, Rules((KAnonymity(k=2),)), MEASURES[seed % 2], LIMITS[seed % 4])
    assert check_case(case, algorithm, time_limit=0.0) is not None
