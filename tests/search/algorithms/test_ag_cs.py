"""One level for each column with stars in single cells, against all such releases of tiny tables."""

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.foundation.errors import InfeasibleError, SpecError
from shoal.models import DistinctLDiversity, KAnonymity, TCloseness
from shoal.search.algorithms import AgCs, Optimal
from shoal.search.levels.level_bounds import LevelBounds, neighbours
from shoal.search.levels.level_optimum import level_optimum
from shoal.search.levels.level_search import LevelSearch
from shoal.search.local.partition import start_of
from shoal.search.problem import Solution
from tests.oracles.checks import close
from tests.oracles.local.checks import check_claims, check_infeasible, check_texts, slack
from tests.oracles.local.one_level import OneLevelCase
from tests.oracles.local.random_jobs import plain_request, random_local, random_request
from tests.oracles.local.tables import Form, LocalTable, local_problem
from tests.oracles.papers import FIGURE_1
from tests.oracles.plain import Rules

FORMS: tuple[Form, ...] = ("tree", "ranges", "sets")
SEEDS = st.integers(0, 10**6)
MEASURES = ("lm", "ncp", "stars", "tree", "entropy", "nonuniform-entropy", "precision")
PATIENTS = LocalTable(FIGURE_1.records, FIGURE_1.hierarchies, FIGURE_1.sensitive)


def case_of(seed: int, measure: str | None = None) -> OneLevelCase:
    """Return a request for up to eight records, some with promises, suppression, stars and missing values."""
    measure = MEASURES[seed % len(MEASURES)] if measure is None else measure
    asked = random_request(seed, measure) if seed % 3 else plain_request(seed, measure)
    rng = Random(seed)  # noqa: S311
    table = random_local(rng, rng.randint(2, 8), forms=FORMS, n_columns=3, missing=seed % 5 == 0)
    models = tuple(model for model in asked.rules.models if model.population_file is None) or (KAnonymity(k=2),)
    return OneLevelCase(table, Rules(models, stars=asked.rules.stars), measure, asked.limit)


def levels_of(case: OneLevelCase, solution: Solution) -> dict[str, int]:
    """Return the levels that a solution tells."""
    told = solution.remark.removeprefix("the levels of the columns are ").split(", ")
    assert [one.split()[0] for one in told] == list(case.table.quasi)
    return {one.split()[0]: int(one.split()[1]) for one in told}


def check(case: OneLevelCase, solution: Solution) -> None:
    """Assert that cells are nodes of the levels that are told, or stars, and that the claims hold of such releases."""
    assert solution.one_level
    check_texts(case, case.problem, solution, case.pricing(levels_of(case, solution)))
    check_claims(case, solution)


def searched(case: OneLevelCase, effort: int = 5) -> tuple[float, float]:
    """Return the loss that the search for levels finds, and its bound, however few the records."""
    search = LevelSearch(case.problem, start_of(case.problem, "ag-cs"), "ag-cs")
    return search.run(effort).loss, search.bound


@settings(max_examples=120)
@given(seed=SEEDS)
def test_a_few_records_are_solved_to_the_optimum(seed: int) -> None:
    case = case_of(seed)
    try:
        solution = AgCs().solve(case.problem)
    except InfeasibleError as error:
        assert case.optimum is None
        check_infeasible(case, str(error))
        return
    check(case, solution)
    assert solution.guarantee == "optimal"


@settings(max_examples=120)
@given(seed=SEEDS)
def test_the_search_for_levels_finds_nothing_better_and_bounds_all(seed: int) -> None:
    case = case_of(seed)
    try:
        loss, bound = searched(case)
    except InfeasibleError:
        return
    least = case.optimum
    assert least is not None
    assert bound <= least + slack(least)
    assert loss >= least - slack(least)


def test_the_search_mostly_finds_the_optimum(seeds: Callable[[int], range]) -> None:
    told = Counter[str]()
    for seed in seeds(60):
        case = case_of(3 * seed, "lm")
        if case.optimum is not None:
            told["found" if close(searched(case, effort=20)[0], case.optimum) else "missed"] += 1
    assert told["found"] > 4 * told["missed"]


@settings(max_examples=40)
@given(seed=SEEDS)
def test_bounds_of_levels_hold_and_come_in_their_order(seed: int) -> None:
    case = case_of(seed)
    bounds, floors, seen = LevelBounds(case.problem, "ag-cs"), [], set()
    for floor, levels in bounds.ascending():
        floors.append(floor)
        seen.add(levels)
        chosen = dict(zip(case.table.quasi, levels, strict=True))
        alone = type(case)(case.table, case.rules, case.measure, case.limit)
        alone.__dict__["choices"] = [chosen]
        assert bounds.values(levels) == floor <= bounds.stars(levels) + slack(floor)
        if seed % 4 == 0 and alone.optimum is not None:
            assert bounds.stars(levels) <= alone.optimum + slack(alone.optimum)
    assert floors == sorted(floors)
    assert len(seen) == len(floors) == len(case.choices)


def test_neighbours_differ_by_one() -> None:
    assert list(neighbours((0, 2), (1, 2))) == [(1, 2), (0, 1)]


def test_figure_1_by_hand() -> None:
    """The chapter's ten patients, k = 2: zip codes and sex stay, and two zip codes are starred beside marital status.

    Marital status as it is has seven stars at least; been married or single leaves a zip of one record.
    """
    case = OneLevelCase(PATIENTS, Rules((KAnonymity(k=2),)), "stars", Fraction(0))
    solution = AgCs().solve(case.problem)
    check(case, solution)
    assert case.optimum is not None
    full = Optimal().solve(case.problem)
    assert solution.loss.total == pytest.approx(case.optimum)
    assert solution.loss.total < full.loss.total


def test_it_never_loses_more_than_one_level_alone(seeds: Callable[[int], range]) -> None:
    """Where nothing is suppressed, every full-domain release is one without stars below the top."""
    for seed in seeds(20):
        rng = Random(seed)  # noqa: S311
        table = random_local(rng, 60, forms=("tree",), n_columns=4)
        problem = local_problem(table, Rules((KAnonymity(k=3),)), "lm")
        assert AgCs(effort=5).solve(problem).loss.total <= Optimal().solve(problem).loss.total * (1 + 1e-9)


def test_promises_beyond_k_are_kept(seeds: Callable[[int], range]) -> None:
    for seed in seeds(10):
        table = random_local(Random(seed), 40, forms=("tree",), n_columns=3)  # noqa: S311
        for models in (
            (KAnonymity(k=2), DistinctLDiversity(l=2, column="illness")),
            (TCloseness(t=Fraction(2, 5), column="illness"),),
        ):
            case = OneLevelCase(table, Rules(models), "lm", Fraction(0))
            solution = AgCs(effort=5).solve(case.problem)
            check_texts(case, case.problem, solution, case.pricing(levels_of(case, solution)))
            assert solution.bound is not None
            assert solution.bound <= solution.loss.total + slack(solution.loss.total)


def test_a_time_limit_leaves_a_release() -> None:
    table = random_local(Random(1), 60, forms=("tree",), n_columns=4)  # noqa: S311
    solution = AgCs().solve(local_problem(table, Rules((KAnonymity(k=3),)), "lm", time_limit=0.0))
    assert solution.groups.sizes.min() >= 3


def test_too_many_records_are_not_solved_by_subsets() -> None:
    table = random_local(Random(5), 60, forms=("tree",), n_columns=4)  # noqa: S311
    assert level_optimum(local_problem(table, Rules((KAnonymity(k=3),)), "lm"), "ag-cs") is None


def test_a_measure_of_classes_is_refused() -> None:
    with pytest.raises(SpecError, match="'discernibility' depends on whole classes"):
        AgCs().solve(local_problem(PATIENTS, Rules((KAnonymity(k=3),)), "discernibility"))
