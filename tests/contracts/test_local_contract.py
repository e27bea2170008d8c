"""The contract of local recoding catches what is wrong, and lets pass what is right."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar

import numpy as np
import pytest

from shoal.classes.grouping import Parts
from shoal.classes.recoding import Subsets
from shoal.foundation.errors import InfeasibleError, SpecError
from shoal.foundation.progress import Progress, silent
from shoal.models import KAnonymity
from shoal.search.algorithms.algorithm import Algorithm
from shoal.search.local.partition import check_local, solution_of
from shoal.search.problem import Problem, Solution
from tests.contracts.local_variants import choices, variants
from tests.oracles.local.checks import check_case
from tests.oracles.local.random_jobs import Case, plain_request, random_request
from tests.oracles.local.tables import LocalTable, local_problem
from tests.oracles.plain import Rules

ROWS = {letter: (letter, "ab" if letter in "ab" else "cd", "*") for letter in "abcd"}
"""Two pairs of values below a top."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OneClass(Algorithm):
    """All records in one class."""

    name: ClassVar[str] = "one-class"
    reference: ClassVar[str] = ""
    local: ClassVar[bool] = True

    def solve(self, problem: Problem, progress: Progress = silent) -> Solution:
        check_local(problem, self.name)
        parts = Parts.whole(problem.tally, np.zeros(problem.tally.n_points, dtype=np.int32))
        return solution_of(problem, parts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunks(Algorithm):
    """The records in the order of their codes, k at a time, points split where a chunk ends; or all in one class."""

    name: ClassVar[str] = "chunks"
    reference: ClassVar[str] = ""
    local: ClassVar[bool] = True

    dearer: bool = False

    def solve(self, problem: Problem, progress: Progress = silent) -> Solution:
        check_local(problem, self.name)
        n, k = problem.tally.n_records, problem.k
        points = np.repeat(np.arange(problem.tally.n_points, dtype=np.int32), problem.tally.counts)
        classes = np.minimum(np.arange(n) // k, max(n // k - 1, 0)).astype(np.int32)
        try:
            return solution_of(problem, Parts(points, classes, np.ones(n, dtype=np.int64)), bound=0.0)
        except InfeasibleError:
            return OneClass().solve(problem)


def case_of(letters: str, k: int, limit: Fraction = Fraction(0), measure: str = "lm") -> Case:
    table = LocalTable([{"q": letter} for letter in letters], {"q": ROWS})
    return Case(table, Rules((KAnonymity(k=k),)), measure, limit)


@pytest.mark.parametrize("algorithm", [OneClass(), Chunks()])
def test_what_is_right_passes(algorithm: Algorithm, seeds: Callable[[int], range]) -> None:
    for seed in seeds(80):
        check_case(random_request(seed), algorithm)
        assert check_case(plain_request(seed), algorithm) is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Wrong(Algorithm):
    """Chunks, with something made wrong."""

    name: ClassVar[str] = "wrong"
    reference: ClassVar[str] = ""

    spoil: Callable[[Problem, Solution], Solution]

    def solve(self, problem: Problem, progress: Progress = silent) -> Solution:
        return self.spoil(problem, Chunks().solve(problem))


def too_small(problem: Problem, right: Solution) -> Solution:
    return Chunks().solve(replace(problem, models=(KAnonymity(k=problem.k - 1),)))


def dearer(problem: Problem, right: Solution) -> Solution:
    return OneClass().solve(problem)


def cheaper(problem: Problem, right: Solution) -> Solution:
    return replace(right, loss=replace(right.loss, total=right.loss.total - 0.1))


def untrue(problem: Problem, right: Solution) -> Solution:
    return replace(right, recoding=replace(right.recoding, cells=right.recoding.cells[::-1].copy()))


def coarser(problem: Problem, right: Solution) -> Solution:
    nodes = Subsets.of_nodes(problem.tally.quasi[0].hierarchy, [4, 5], "q")
    return replace(right, recoding=replace(right.recoding, shown=(nodes,)))


def too_many_suppressed(problem: Problem, right: Solution) -> Solution:
    gone = np.where(right.parts.classes == 0, -1, right.parts.classes - 1).astype(np.int32)
    return solution_of(replace(problem, max_suppressed=Fraction(1)), replace(right.parts, classes=gone))


MISTAKES: list[tuple[Callable[[Problem, Solution], Solution], str]] = [
    (too_small, "a promise is broken"),
    (cheaper, "the loss is"),
    (untrue, "is not true"),
    (too_many_suppressed, "too many are suppressed"),
    (lambda problem, right: replace(right, bound=right.loss.total + 1.0), "the bound is above the loss"),
    (lambda problem, right: replace(dearer(problem, right), bound=3.0), "above the optimum"),
    (lambda problem, right: replace(dearer(problem, right), guarantee="optimal"), "is said to be optimal"),
    (lambda problem, right: replace(dearer(problem, right), guarantee="factor", factor=2.9), "is above 2.9 x"),
]


@pytest.mark.parametrize(("spoil", "words"), MISTAKES, ids=[words for _, words in MISTAKES])
def test_what_is_wrong_is_caught(spoil: Callable[[Problem, Solution], Solution], words: str) -> None:
    """The optimum is a, b | c, d, which loses 6 times a third; one class of all loses 6."""
    case = case_of("aabccd", 3)
    assert case.optimum == pytest.approx(2.0)
    with pytest.raises(AssertionError, match=words):
        check_case(case, Wrong(spoil=spoil))


def test_a_class_that_shows_more_than_it_must_is_caught() -> None:
    for measure in ("lm", "discernibility"):
        assert check_case(case_of("aacc", 2, measure=measure), Chunks()) is not None
        with pytest.raises(AssertionError, match="shows more than it must"):
            check_case(case_of("aacc", 2, measure=measure), Wrong(spoil=coarser))


def test_a_factor_and_a_bound_that_hold_pass() -> None:
    case = case_of("aabccd", 3)
    for bound, factor in ((2.0, 3.0), (0.0, 5.0), (None, 3.0)):

        def spoil(problem: Problem, right: Solution, *, b: float | None = bound, f: float = factor) -> Solution:
            return replace(dearer(problem, right), bound=b, guarantee="factor", factor=f)

        assert check_case(case, Wrong(spoil=spoil)) is not None


def raising(error: Exception) -> Wrong:
    def spoil(problem: Problem, right: Solution) -> Solution:
        raise error

    return Wrong(spoil=spoil)


@pytest.mark.parametrize(
    "error",
    [
        SpecError("No."),
        SpecError("'wrong' does not take ranges."),
        InfeasibleError("No generalization keeps every promise."),
    ],
)
def test_a_refusal_without_a_reason_and_a_hint_is_caught(error: Exception) -> None:
    with pytest.raises(AssertionError):
        check_case(case_of("aabccd", 3), raising(error))


def test_a_value_of_the_table_in_a_message_is_caught() -> None:
    table = LocalTable([{"q": "berlin"}] * 2, {"q": {"berlin": ("berlin", "*")}})
    case = Case(table, Rules((KAnonymity(k=3),)), "lm", Fraction(0))
    for error in (InfeasibleError("berlin is alone."), SpecError("'wrong' dislikes berlin. Use 'optimal'.")):
        with pytest.raises(AssertionError, match="tells a value"):
            check_case(replace(case, rules=Rules((KAnonymity(k=2),))), raising(error))


def test_every_choice_of_a_parameter_is_a_variant() -> None:
    assert choices(Chunks) == [("dearer", True)]
    assert list(variants(Chunks)) == ["chunks", "chunks dearer=True"]


def test_a_problem_has_what_the_case_asks_for() -> None:
    case = case_of("aabccd", 3, Fraction(1, 3), "ncp")
    problem = local_problem(case.table, case.rules, case.measure, case.limit, 2.0)
    assert (problem.k, problem.limit, problem.measure.name, problem.time_limit) == (3, 2, "ncp", 2.0)
