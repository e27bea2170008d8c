"""Promises about a whole release, with algorithms that look at one class at a time."""

from collections.abc import Callable
from fractions import Fraction
from random import Random

import pytest

from shoal.foundation.errors import InfeasibleError, SpecError
from shoal.foundation.progress import Progress, silent
from shoal.measures import Lm
from shoal.models import AverageRisk, KAnonymity, SampleUniqueness
from shoal.search.algorithms import Exact, Optimal, Tightest
from shoal.search.algorithms.auto import solved
from shoal.search.by_class import by_class, without_tables
from shoal.search.problem import Problem, Solution
from tests.contracts.local_variants import VARIANTS
from tests.models.cases import WHOLE
from tests.oracles.local.checks import check_claims, check_texts
from tests.oracles.local.random_jobs import Case, random_local
from tests.oracles.local.tables import local_problem
from tests.oracles.plain import PlainTable, Rules
from tests.oracles.problems import problem_of, tally_of
from tests.oracles.random_tables import LIMITS, MODEL_MAKERS


def case_of(name: str, seed: int) -> Case:
    rng = Random(f"{name} {seed}")  # noqa: S311  (tables, not secrets)
    table = random_local(rng, rng.randint(3, 5), n_columns=2, missing=seed % 5 == 0)
    models = (MODEL_MAKERS[name](rng), *([KAnonymity(k=2)] if seed % 3 == 0 else []))
    rules = Rules(models, stars=seed % 4 == 1)
    return Case(table, rules, rng.choice(["lm", "ncp", "stars", "entropy"]), rng.choice(LIMITS))


@pytest.mark.parametrize("algorithm", VARIANTS)
def test_the_promise_is_kept_and_nothing_is_claimed_that_is_not_so(
    algorithm: str, seeds: Callable[[int], range]
) -> None:
    answers = 0
    for name in WHOLE:
        for seed in seeds(12):
            case = case_of(name, seed)
            problem = local_problem(case.table, case.rules, case.measure, case.limit)
            try:
                solution = VARIANTS[algorithm].answer(problem)
            except (InfeasibleError, SpecError) as error:
                told = dict(getattr(error, "diagnosis", {}))
                refused = not told.get("proven", False) or case.optimum is None
                assert refused, "it is said to be proven that there is no release"
                continue
            check_texts(case, problem, solution)
            check_claims(case, solution)
            assert solution.factor is None
            answers += 1
    assert answers or algorithm not in ("tightest", "mondrian", "top-down", "exact", "optimal-2")


def test_auto_answers_wherever_there_is_a_release_of_one_level_for_each_column(seeds: Callable[[int], range]) -> None:
    for name in WHOLE:
        for seed in seeds(30):
            case = case_of(name, seed)
            problem = local_problem(case.table, case.rules, case.measure, case.limit)
            try:
                _, solution = solved(problem)
            except InfeasibleError:
                with pytest.raises(InfeasibleError):
                    Optimal().solve(problem)
                continue
            check_claims(case, solution)


FEW = PlainTable(
    [{"q": value} for value in ("a", "a", "a", "a", "a", "b")],
    {"q": {"a": ("a", "a", "*"), "b": ("b", "b", "*")}},
)


def test_where_no_release_of_the_sufficient_size_is_found_nothing_is_proven(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = problem_of(FEW, Rules((AverageRisk(most=Fraction(1, 3)),)), "lm", Fraction(0))

    def nothing(self: Tightest, narrow: Problem, progress: Progress = silent) -> Solution:
        assert narrow.models == (KAnonymity(k=3),)
        raise InfeasibleError("There is none.", {"proven": True})

    for name in (Exact, Tightest):
        monkeypatch.setattr(name, "solve", nothing)
    with pytest.raises(InfeasibleError, match="In place of average-risk classes of 3 records") as caught:
        Tightest().answer(problem)
    assert caught.value.diagnosis["proven"] is False
    choice, solution = solved(problem)
    assert choice.algorithm.name == "optimal"
    assert sorted(solution.groups.sizes.tolist()) == [1, 5]
    assert solution.guarantee == "optimal"


def test_the_sizes_that_are_asked_for_in_place_of_promises() -> None:
    models = (AverageRisk(most=0.3), KAnonymity(k=3), SampleUniqueness(most=0))
    problem = Problem(tally_of(FEW), models, Lm())
    assert by_class(problem).models == (KAnonymity(k=3), KAnonymity(k=4))
    assert without_tables(problem).models == (KAnonymity(k=3),)
    alone = Problem(tally_of(FEW), models[:1], Lm())
    assert without_tables(alone).models == (KAnonymity(k=1),)
    other = Problem(tally_of(FEW), models[1:2], Lm())
    assert by_class(other) is other
    assert without_tables(other) is other
