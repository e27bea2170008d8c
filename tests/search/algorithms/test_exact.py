"""Both ways to the optimum against brute force, against each other, and where they end."""

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import polars as pl
import pytest

import shoal
from shoal.foundation.errors import InfeasibleError, SpecError
from shoal.models import (
    AlphaKAnonymity,
    DistinctLDiversity,
    EntropyLDiversity,
    FrequencyLDiversity,
    KAnonymity,
    PrivacyModel,
    TCloseness,
)
from shoal.search.algorithms.exact import Exact, allocated, split
from shoal.search.exact.kinds import Kinds
from shoal.search.exact.subsets import SubsetSearch, compares
from shoal.search.local.forms import forms_of
from shoal.search.local.partition import cell_measure, check_local
from shoal.search.problem import Problem, Solution
from tests.oracles.checks import close
from tests.oracles.local.checks import check_claims, check_infeasible, check_texts
from tests.oracles.local.random_jobs import Case, plain_request, random_local, random_request
from tests.oracles.local.tables import LocalTable, local_problem
from tests.oracles.plain import Rules
from tests.search.searches import MEASURE_NAMES


def by_subsets(problem: Problem) -> Solution:
    """Split all subsets, however many."""
    check_local(problem, Exact.name)
    forms = forms_of(problem.tally.quasi, cell_measure(problem, Exact.name))
    return split(problem, forms, SubsetSearch(problem, forms, Kinds.of(problem)))


def by_program(problem: Problem, effort: int = 0) -> Solution:
    """Solve the mixed-integer program, however small, from a poor start."""
    check_local(problem, Exact.name)
    forms = forms_of(problem.tally.quasi, cell_measure(problem, Exact.name))
    return allocated(problem, forms, Kinds.of(problem), effort=effort)


def requests(first: int, last: int) -> list[Case]:
    """Return requests of all kinds, but without wildcards and outside tables."""
    cases = []
    for seed in range(first, last):
        measure = MEASURE_NAMES[seed % len(MEASURE_NAMES)]
        case = random_request(seed, measure) if seed % 4 else plain_request(seed, measure)
        if not case.rules.wildcard and not case.table.people:
            cases.append(case)
    return cases


def check_optimal(case: Case, solution: Solution) -> None:
    check_texts(case, case.problem, solution)
    check_claims(case, solution)
    assert solution.guarantee == "optimal"
    assert case.optimum is not None
    assert close(solution.loss.total, case.optimum)


def test_all_subsets_against_brute_force(seeds: Callable[[int], range]) -> None:
    """Every promise, alone and with others; all forms, measures and limits of suppression."""
    told = Counter[str]()
    for case in requests(10_000, 10_000 + len(seeds(620))):
        try:
            check_optimal(case, by_subsets(case.problem))
            told["optimal"] += 1
            told["suppressing"] += case.limit > 0
            told["comparing"] += compares(case.problem)
            told["several"] += len(case.rules.models) > 1
        except InfeasibleError as error:
            check_infeasible(case, str(error))
            told["infeasible"] += 1
    share = len(seeds(620)) / 620
    assert told["optimal"] > 490 * share
    assert told["infeasible"] > 10 * share
    assert min(told[word] for word in ("suppressing", "comparing", "several")) > 10 * share


def test_the_program_against_brute_force(seeds: Callable[[int], range]) -> None:
    told = Counter[str]()
    for case in requests(20_000, 20_000 + len(seeds(150))):
        try:
            check_optimal(case, by_program(case.problem))
            told["optimal"] += 1
        except InfeasibleError as error:
            check_infeasible(case, str(error))
        except SpecError:
            linear = all(getattr(model, "others", "ignored") == "ignored" for model in case.rules.models)
            entropy = any(isinstance(model, EntropyLDiversity) for model in case.rules.models)
            assert entropy or not linear or compares(case.problem) or case.rules.stars
            told["refused"] += 1
    assert told["optimal"] > 55 * len(seeds(150)) / 90
    assert told["refused"] > 0


PROMISES: list[tuple[PrivacyModel, ...]] = [
    (KAnonymity(k=3),),
    (KAnonymity(k=2), DistinctLDiversity(l=2, column="illness")),
    (FrequencyLDiversity(l=2, column="illness"),),
    (TCloseness(t=Fraction(3, 10), column="illness"), DistinctLDiversity(l=2, column="wage")),
    (TCloseness(t=Fraction(2, 10), column="illness", distance="ordered"), KAnonymity(k=3)),
    (AlphaKAnonymity(alpha=Fraction(1, 2), k=3, column="illness"),),
    (KAnonymity(k=2), DistinctLDiversity(l=2, column="illness"), DistinctLDiversity(l=2, column="wage")),
]


@pytest.mark.parametrize("models", PROMISES, ids=lambda models: "+".join(model.name for model in models))
def test_the_program_against_all_subsets(models: tuple[PrivacyModel, ...]) -> None:
    for seed, limit in ((1, Fraction(0)), (2, Fraction(0)), (3, Fraction(1, 5))):
        table = random_local(Random(seed), 14, n_columns=4)  # noqa: S311  (tables, not secrets)
        stars = any(model.relative for model in models)
        problem = local_problem(table, Rules(models, stars=stars), ("stars", "lm", "entropy")[seed - 1], limit)
        try:
            best = by_subsets(problem)
        except InfeasibleError:
            continue
        found = by_program(problem, effort=5)
        assert (best.guarantee, found.guarantee) == ("optimal", "optimal")
        assert found.loss.total == pytest.approx(best.loss.total, rel=1e-6)
        assert found.bound is not None
        assert found.bound <= best.loss.total * (1 + 1e-9)


def people(n: int) -> LocalTable:
    """Return records that all differ in their sensitive value."""
    rng = Random(n)  # noqa: S311
    table = random_local(rng, n, forms=("tree",), n_columns=3)
    return table.with_records([{**record, "illness": f"i{number:02}"} for number, record in enumerate(table.records)])


@pytest.mark.parametrize("n", [7, 9, 14])
@pytest.mark.parametrize("k", [2, 3])
def test_k_anonymity_as_t_closeness(n: int, k: int) -> None:
    """004 Lemma 1: if all sensitive values differ, a class of r records is 1 - r / n away, so t = 1 - k / n asks for k.

    That is n - r <= n - k in whole numbers; a third of a record more or less than that must not pass by rounding.
    """
    table = people(n)
    least = by_subsets(local_problem(table, Rules((KAnonymity(k=k),)), "stars"))
    for t, other in ((Fraction(n - k, n), k), (Fraction(3 * (n - k) - 1, 3 * n), k + 1)):
        problem = local_problem(table, Rules((TCloseness(t=t, column="illness"),)), "stars")
        expected = least if other == k else by_subsets(local_problem(table, Rules((KAnonymity(k=other),)), "stars"))
        assert by_program(problem).loss.total == pytest.approx(expected.loss.total)
        assert n > 9 or by_subsets(problem).loss.total == pytest.approx(expected.loss.total)


def test_a_class_that_cannot_be_parted_is_paid_for_once() -> None:
    """004 Theorem 8: the second of its two branches is one class, with its cost and not its optimum."""
    rows = {letter: (letter, "*") for letter in "abc"}
    table = LocalTable([{"q": q, "illness": i} for q, i in zip("abc", "xyz", strict=True)], {"q": rows}, ("illness",))
    problem = local_problem(table, Rules((TCloseness(t=Fraction(0), column="illness"),)), "stars")
    for solve in (by_subsets, by_program):
        solution = solve(problem)
        assert (solution.loss.total, solution.groups.sizes.tolist(), solution.guarantee) == (3.0, [3], "optimal")


def larger(n: int, *models: PrivacyModel, measure: str = "tree", seconds: float | None = None) -> Problem:
    table = random_local(Random(n), n, forms=("tree",), n_columns=4)  # noqa: S311
    return local_problem(table, Rules(models or (KAnonymity(k=3),)), measure, time_limit=seconds)


def test_alike_records_reach_further() -> None:
    """There are 4 kinds of 60 records: 16 ^ 4 subsets."""
    rows = {letter: (letter, "ab" if letter in "ab" else "cd", "*") for letter in "abcd"}
    table = LocalTable([{"q": letter} for letter in "abcd" * 15], {"q": rows})
    problem = local_problem(table, Rules((KAnonymity(k=16),)), "lm")
    forms = forms_of(problem.tally.quasi, cell_measure(problem, Exact.name))
    assert SubsetSearch(problem, forms, Kinds.of(problem)).affordable()
    assert Exact().solve(problem).loss.total == pytest.approx(60 / 3)


def test_more_records_than_subsets_allow_are_allocated() -> None:
    problem = larger(61)
    solution = Exact().solve(problem)
    assert solution.guarantee == "optimal"
    assert solution.bound == pytest.approx(solution.loss.total)
    assert "closed patterns" in solution.remark


@pytest.mark.parametrize("n", [12, 90])
@pytest.mark.parametrize("seconds", [0.0, 0.02])
def test_stopped_by_its_time_limit(n: int, seconds: float) -> None:
    best = Exact().solve(larger(n))
    solution = Exact().solve(larger(n, seconds=seconds))
    assert best.guarantee == "optimal"
    assert solution.bound is not None
    assert solution.bound <= best.loss.total * (1 + 1e-9)
    assert solution.loss.total >= best.loss.total * (1 - 1e-9)
    assert solution.guarantee == "optimal" or solution.remark


@pytest.mark.parametrize(
    ("model", "limit", "words"),
    [
        (EntropyLDiversity(l=Fraction(3, 2), column="illness"), 0, "'entropy-l-diversity' is not linear"),
        (DistinctLDiversity(l=1, column="illness", others="known"), 0, "other sensitive columns known"),
        (TCloseness(t=Fraction(1, 2), column="illness"), Fraction(1, 10), "compare a class with the whole release"),
    ],
)
def test_what_is_not_linear_is_refused_for_many_records(model: PrivacyModel, limit: Fraction, words: str) -> None:
    rows = {f"v{number}": (f"v{number}", "*") for number in range(40)}
    records = [{"q": value, "illness": "ab"[len(value) % 2], "wage": "x"} for value in rows]
    table = LocalTable(records, {"q": rows}, ("illness", "wage"))
    with pytest.raises(SpecError, match=words) as caught:
        Exact().solve(local_problem(table, Rules((model,)), "lm", Fraction(limit)))
    assert "'tightest'" in str(caught.value)


def test_missing_values_that_match_everything_are_refused() -> None:
    rows = {letter: (letter, "*") for letter in "ab"}
    table = LocalTable([{"q": "a"}, {"q": None}, {"q": "b"}], {"q": rows})
    with pytest.raises(SpecError, match="missing values match everything"):
        Exact().solve(local_problem(table, Rules((KAnonymity(k=2),), wildcard=True), "lm"))


def test_progress_is_told() -> None:
    steps: list[str] = []
    Exact().solve(larger(61), lambda step, share=None: steps.append(step))
    assert "solving the linear program" in steps
    Exact().solve(larger(8), lambda step, share=None: steps.append(step))
    assert "splitting all subsets" in steps


def test_too_much_work_is_refused_before_it_is_done() -> None:
    with pytest.raises(SpecError, match="is more than the work of 1,000 allows"):
        Exact(work=1_000).solve(larger(61))
    assert Exact(work=10**9).solve(larger(61)).loss.total == pytest.approx(Exact().solve(larger(61)).loss.total)


@pytest.mark.parametrize("model", ["distinct-l-diversity:l=2,column=ill", "p-sensitive-k-anonymity:p=2,k=2,column=ill"])
def test_a_value_that_only_the_hierarchy_knows_changes_nothing(model: str) -> None:
    draw = Random(0)  # noqa: S311
    table = pl.DataFrame(
        {
            "age": [str(draw.randrange(20, 80)) for _ in range(24)],
            "job": [draw.choice("abcd") for _ in range(24)],
            "ill": [draw.choice("uvw") for _ in range(24)],
        }
    )
    losses = []
    for more in ([], ["x"]):
        tree = {"Any": {"one": ["u", "v"], "two": ["w", "y", *more]}} if more else {"Any": ["u", "v", "w"]}
        release = shoal.anonymize(
            table,
            quasi=["age", "job"],
            sensitive={"ill": {"type": "taxonomy", "tree": tree}},
            k=2,
            require=model,
            algorithm={"name": "exact", "nodes": 50},
        )
        losses.append(release.certificate["loss"])
    assert losses[0] == losses[1]


def test_a_bound_is_never_below_0_by_rounding(tmp_path: Path) -> None:
    table = pl.DataFrame({"a": list("gcccbgffefc"), "s": list("xxxyyyyyxxx")})
    asked: dict[str, Any] = {"quasi": {"a": {"type": "order", "fanout": 2}}, "sensitive": ["s"], "k": 1, "seed": 1}
    release = shoal.anonymize(table, **asked, algorithm="exact", measure="nonuniform-entropy")
    assert release.certificate["loss"]["bound"] == 0
    release.write(tmp_path / "release")
    shoal.verify(tmp_path / "release")
