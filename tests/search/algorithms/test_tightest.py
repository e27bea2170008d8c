"""The whole algorithm: close to the optimum where that is known, every promise kept, the same answer every time."""

import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from random import Random

import numpy as np
import pytest

from shoal.foundation.errors import InfeasibleError, SpecError
from shoal.measures import MEASURES
from shoal.models import (
    AlphaKAnonymity,
    DistinctLDiversity,
    EntropyLDiversity,
    FrequencyLDiversity,
    KAnonymity,
    PrivacyModel,
    TCloseness,
)
from shoal.search.algorithms import Mondrian, TopDown
from shoal.search.algorithms.tightest import Tightest, more_moves
from shoal.search.problem import Problem, Solution
from tests.oracles.local.checks import check_case, check_texts, slack
from tests.oracles.local.random_jobs import FORMS, Case, plain_request, random_local, random_request
from tests.oracles.local.tables import Form, LocalTable, local_problem
from tests.oracles.plain import Rows, Rules
from tests.oracles.problems import published
from tests.oracles.random_tables import AS_OTHERS, MODEL_MAKERS
from tests.search.searches import MEASURE_NAMES, Search, random_tally

SCREENED = [name for name in MODEL_MAKERS if name not in ("k-anonymity", "k-map", "delta-presence", *AS_OTHERS)]


def ratios(cases: list[Case]) -> list[float]:
    """Solve and check each case; return how far above the optimum the losses are."""
    found = []
    for case in cases:
        solution = check_case(case, Tightest())
        if solution is not None and case.optimum is not None:
            least = case.optimum
            found.append((solution.loss.total + slack(least)) / (least + slack(least)) if least > 0 else 1.0)
    return found


def test_plain_tables_are_solved_nearly_to_the_optimum(seeds: Callable[[int], range]) -> None:
    measures = ("stars", "tree", "lm", "ncp", "entropy", "nonuniform-entropy")
    found = ratios([plain_request(seed, measures[seed % len(measures)]) for seed in seeds(100)])
    assert len(found) == len(seeds(100))
    assert np.mean(found) < 1.01
    assert np.mean([ratio < 1 + 1e-6 for ratio in found]) > 0.9


def test_any_request(seeds: Callable[[int], range]) -> None:
    """With promises, ranges, sets, missing values, weights and suppression."""
    found = ratios([random_request(seed, MEASURE_NAMES[seed % len(MEASURE_NAMES)]) for seed in seeds(120)])
    assert len(found) > len(seeds(120)) // 2
    assert np.mean([min(ratio, 10) for ratio in found]) < 1.25


def signature(solution: Solution) -> tuple[object, ...]:
    parts = solution.parts
    return parts.points.tolist(), parts.classes.tolist(), parts.counts.tolist(), solution.loss.total, solution.bound


def large_problem(seed: int = 3, measure: str = "ncp", n: int = 1_500, k: int = 3) -> Problem:
    rng = Random(4)  # noqa: S311  (tables, not secrets)
    tally = random_tally(rng, n, forms=("tree", "sets", "numbers"), n_columns=5, size=20, wide=True)
    return Problem(tally, (KAnonymity(k=k),), MEASURES[measure](), seed=seed)


PRINT = """
from tests.search.algorithms.test_tightest import Tightest, large_problem, signature
print(signature(Tightest(effort=2).solve(large_problem())))
"""


def test_equal_seeds_give_equal_answers_on_both_cores_and_in_another_process() -> None:
    first, second = (Tightest(effort=2).solve(large_problem()) for _ in range(2))
    assert first.groups.n_classes > 200  # so that the classes are split into regions
    assert signature(first) == signature(second)
    printed = subprocess.run([sys.executable, "-c", PRINT], check=True, capture_output=True, text=True).stdout
    assert printed.strip() == str(signature(first))
    assert signature(Tightest(effort=2).solve(large_problem(seed=4))) != signature(first)


def test_more_effort_loses_less() -> None:
    losses = [Tightest(effort=effort).solve(large_problem()).loss.total for effort in (0, 2, 20)]
    assert losses[0] > losses[1] > losses[2]


@pytest.mark.parametrize(
    ("n_records", "times"), [(60, 1), (400, 1), (600, 2), (1_000, 4), (4_000, 2), (6_000, 1), (20_000, 1)]
)
def test_tables_of_moderate_size_get_more_moves_where_promises_ask_for_more_than_k(n_records: int, times: int) -> None:
    search = Search.of(random_tally(Random(1), n_records), "lm", 2, FrequencyLDiversity(l=2, column="illness"))  # noqa: S311
    assert more_moves(search.problem) == times
    assert more_moves(replace(search.problem, models=(KAnonymity(k=2),))) == 1


@pytest.mark.parametrize("measure", MEASURE_NAMES)
def test_never_worse_than_top_down(measure: str) -> None:
    problem = large_problem(measure=measure, n=600)
    mine, start = Tightest(effort=5).solve(problem), TopDown().solve(problem)
    assert mine.loss.total < start.loss.total
    assert mine.bound is not None
    assert mine.bound <= mine.loss.total + slack(mine.loss.total)


@pytest.mark.parametrize("name", SCREENED)
def test_every_promise_is_kept(name: str, seeds: Callable[[int], range]) -> None:
    """The texts that are published are checked by the plain models."""
    rng = Random(name)  # noqa: S311
    solved = 0
    for _ in seeds(6):
        table = random_local(rng, 60)
        models: tuple[PrivacyModel, ...] = (KAnonymity(k=2), MODEL_MAKERS[name](rng))
        case = Case(table, Rules(models), "ncp", Fraction(0))
        try:
            solution = Tightest().solve(case.problem)
        except InfeasibleError:
            continue
        solved += 1
        check_texts(case, case.problem, solution)
        for start in (TopDown(), Mondrian(), Mondrian(cut="loss")):
            least = start.solve(case.problem).loss.total
            assert solution.loss.total <= least + slack(least)
    assert solved > len(seeds(6)) // 6


@pytest.mark.parametrize(
    "model",
    [
        DistinctLDiversity(l=3, column="illness"),
        EntropyLDiversity(l=Fraction(5, 2), column="illness"),
        FrequencyLDiversity(l=2, column="illness"),
        TCloseness(t=Fraction(3, 10), column="illness"),
        AlphaKAnonymity(alpha=Fraction(1, 2), k=3, column="illness"),
    ],
    ids=lambda model: model.name,
)
def test_the_start_is_improved_under_promises(model: PrivacyModel) -> None:
    problem = replace(large_problem(n=800), models=(KAnonymity(k=4), model))
    mine, start = Tightest(effort=20).solve(problem), TopDown().solve(problem)
    assert mine.loss.total < 0.98 * start.loss.total
    assert model.holds(mine.groups).all()


@pytest.mark.parametrize("measure", ["ncp", "stars", "entropy"])
def test_suppression_only_lowers_the_loss_within_the_limit(measure: str, seeds: Callable[[int], range]) -> None:
    for seed in seeds(4):
        table = random_local(Random(seed), 50)  # noqa: S311
        rules = Rules((KAnonymity(k=3), DistinctLDiversity(l=2, column="illness")))
        losses = []
        for limit in (Fraction(0), Fraction(1, 10), Fraction(1, 2)):
            case = Case(table, rules, measure, limit)
            solution = Tightest().solve(case.problem)
            check_texts(case, case.problem, solution)
            assert solution.suppressed <= case.problem.limit
            losses.append(solution.loss.total)
        assert losses[2] <= losses[1] + 1e-9 <= losses[0] + 2e-9


ROWS: Rows = {f"v{value}": (f"v{value}", f"g{value // 3}", "*") for value in range(9)}


def column_of(values: list[int], form: Form = "tree") -> LocalTable:
    rows: Rows = ROWS if form == "tree" else {value: (value, "*") for value in ROWS}
    return LocalTable([{"q": f"v{value}"} for value in values], {"q": rows}, forms={"q": form})


def solved(table: LocalTable, k: int, measure: str = "lm", **other: float) -> Solution:
    problem = local_problem(table, Rules((KAnonymity(k=k),)), measure, **other)  # type: ignore[arg-type]
    solution = Tightest().solve(problem)
    check_texts(Case(table, Rules((KAnonymity(k=k),)), measure, Fraction(0)), problem, solution)
    return solution


@pytest.mark.parametrize("form", ["tree", "ranges", "sets"])
class TestEdges:
    def test_one_to_three_k_records(self, form: Form) -> None:
        for k in (1, 2, 3):
            for n in range(k, 3 * k + 1):
                assert solved(column_of([value % 9 for value in range(n)], form), k).groups.sizes.min() >= k

    def test_all_equal(self, form: Form) -> None:
        solution = solved(column_of([4] * 30, form), 4)
        assert (solution.loss.total, solution.groups.sizes.tolist()) == (0, [30])

    def test_all_different(self, form: Form) -> None:
        assert solved(column_of(list(range(9)), form), 1).loss.total == 0
        assert solved(column_of(list(range(9)), form), 9).groups.n_classes == 1

    def test_fewer_records_than_k(self, form: Form) -> None:
        with pytest.raises(InfeasibleError, match="k = 3"):
            solved(column_of([1, 2], form), 3)

    def test_missing_values(self, form: Form) -> None:
        table = column_of([0] * 4, form)
        table = table.with_records([*table.records, *[{"q": None}] * 4])
        assert solved(table, 4).loss.total == 0

    def test_time_limits(self, form: Form) -> None:
        for limit in (0.0, 1e-6, 0.01, 0.3):
            assert (
                solved(column_of([value % 9 for value in range(40)], form), 3, time_limit=limit).groups.sizes.min() >= 3
            )


def test_the_groups_of_a_tree_are_found() -> None:
    table = column_of(list(range(9)))
    problem = local_problem(table, Rules((KAnonymity(k=3),)))
    shown = Counter(text for _, text in published(table, problem, Tightest().solve(problem)))
    assert shown == {("g0",): 3, ("g1",): 3, ("g2",): 3}


def test_the_order_of_the_records_does_not_matter() -> None:
    rng = Random(1)  # noqa: S311
    table = random_local(rng, 80, forms=FORMS, missing=True)
    turned = table.with_records(rng.sample(list(table.records), 80))
    rules = Rules((KAnonymity(k=3),))
    answers = [Tightest().solve(local_problem(one, rules, "ncp")) for one in (table, turned)]
    assert signature(answers[0]) == signature(answers[1])


def test_a_promise_without_a_test_leaves_the_start() -> None:
    table = random_local(Random(5), 30, n_columns=2)  # noqa: S311
    model = TCloseness(t=Fraction(1, 2), column="illness", others="known")
    problem = local_problem(table, Rules((KAnonymity(k=2), model)), "ncp")
    solution = Tightest().solve(problem)
    assert "not improved" in solution.remark
    starts = (TopDown(), Mondrian(), Mondrian(cut="loss"))
    assert solution.loss.total == min(start.solve(problem).loss.total for start in starts)


def test_a_loss_of_whole_classes_is_refused() -> None:
    with pytest.raises(SpecError, match="'discernibility'"):
        Tightest().solve(local_problem(column_of([1, 2]), Rules((KAnonymity(k=1),)), "discernibility"))


def test_time_only_helps() -> None:
    problem = large_problem(n=800)
    at_once, later = (Tightest().solve(replace(problem, time_limit=limit)).loss.total for limit in (0.0, 1.0))
    assert later < at_once
    assert Tightest().solve(problem).loss.total < TopDown().solve(problem).loss.total
