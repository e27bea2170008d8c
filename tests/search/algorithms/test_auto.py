"""What `auto` takes, and that it gives way where an algorithm refuses."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from random import Random

import numpy as np
import pytest

from shoal.foundation.errors import SpecError
from shoal.models import DistinctLDiversity, EntropyLDiversity, FrequencyLDiversity, KAnonymity, PrivacyModel
from shoal.search.algorithms.auto import choices, solved
from shoal.search.problem import Problem
from tests.oracles.checks import close
from tests.oracles.local.random_jobs import Case, random_local
from tests.oracles.local.tables import local_problem
from tests.oracles.plain import Rules
from tests.search.searches import random_tally


def asked(n: int, models: tuple[PrivacyModel, ...], measure: str = "lm", seed: int = 1) -> Problem:
    table = random_local(Random(seed), n, forms=("tree",), n_columns=3)  # noqa: S311  (tables, not secrets)
    return local_problem(table, Rules(models), measure, Fraction(0))


def large(problem: Problem, n: int) -> Problem:
    """Return a problem with so many different records."""
    tally = random_tally(Random(1), n, forms=("tree",), size=40, wide=True)  # noqa: S311
    return replace(problem, tally=tally)


@pytest.mark.parametrize(
    ("problem", "names"),
    [
        (asked(9, (KAnonymity(k=2),)), ["optimal-2", "exact", "tightest"]),
        (asked(9, (KAnonymity(k=3),)), ["exact", "tightest"]),
        (asked(9, (KAnonymity(k=3),), "discernibility"), ["optimal"]),
        (large(asked(9, (KAnonymity(k=3),)), 500), ["tightest"]),
        (large(asked(9, (KAnonymity(k=2),)), 500), ["optimal-2", "tightest"]),
        (large(asked(9, (KAnonymity(k=2),)), 4_500), ["tightest"]),
    ],
)
def test_what_is_tried_in_turn(problem: Problem, names: list[str]) -> None:
    assert [choice.algorithm.name for choice in choices(problem)] == names


@pytest.mark.parametrize("k", [2, 3])
def test_a_small_table_gets_its_proven_optimum(k: int, seeds: Callable[[int], range]) -> None:
    for seed in seeds(10):
        table = random_local(Random(seed), 8, forms=("tree",), n_columns=3)  # noqa: S311
        case = Case(table, Rules((KAnonymity(k=k),)), "lm", Fraction(0))
        _, solution = solved(case.problem)
        assert solution.guarantee == "optimal"
        assert case.optimum is not None
        assert close(solution.loss.total, case.optimum)


def test_what_one_algorithm_refuses_the_next_one_does() -> None:
    models = (KAnonymity(k=2), DistinctLDiversity(l=2, column="illness"))
    choice, solution = solved(asked(9, models))
    assert choice.algorithm.name == "exact"
    assert solution.guarantee == "optimal"
    tally = random_tally(Random(2), 60, forms=("tree",), size=40, wide=True)  # noqa: S311
    name = tally.sensitive[0].name
    harder = (KAnonymity(k=2), EntropyLDiversity(l=1.2, column=name))  # not linear, and too many for all subsets
    choice, solution = solved(replace(asked(9, models), tally=tally, models=harder))
    assert choice.algorithm.name == "tightest"


def test_a_wrong_request_is_an_error() -> None:
    problem = asked(9, (FrequencyLDiversity(l=1, column="illness"),))
    with pytest.raises(SpecError, match="no such column"):
        solved(replace(problem, models=(FrequencyLDiversity(l=1, column="no such column"),)))
    assert np.count_nonzero(problem.tally.counts) > 0
