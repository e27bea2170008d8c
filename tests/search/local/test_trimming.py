"""Leaving out records that cost their class too much."""

from dataclasses import replace
from fractions import Fraction
from random import Random

import numpy as np
import pytest

from shoal.classes.grouping import Parts
from shoal.measures import Discernibility
from shoal.models import DistinctLDiversity, KAnonymity, PrivacyModel
from shoal.search.local.partition import solution_of
from shoal.search.local.trimming import trimmed
from shoal.search.problem import Problem
from tests.oracles.local.random_jobs import random_local
from tests.oracles.local.tables import LocalTable, local_problem
from tests.oracles.plain import Rules

ROWS = {value: (value, "ab" if value in "ab" else "cd", "*") for value in "abcd"}


def ask(letters: str, illnesses: str, limit: Fraction, *models: PrivacyModel) -> tuple[Problem, Parts]:
    """Return a problem with one class of all records."""
    pairs = zip(letters, illnesses, strict=True)
    table = LocalTable([{"q": letter, "illness": illness} for letter, illness in pairs], {"q": ROWS}, ("illness",))
    problem = local_problem(table, Rules(models), "lm", limit)
    whole = Parts.whole(problem.tally, np.zeros(problem.tally.n_points, dtype=np.int32))
    return problem, whole


def gone(problem: Problem, parts: Parts) -> list[int]:
    return problem.tally.codes[parts.points[parts.classes < 0], 0].tolist()


def test_the_dearest_leaves_first_and_only_within_the_limit() -> None:
    """Without d, the others cost a third each instead of 1; without b as well, nothing."""
    letters, illnesses = "aaaaaaaabd", "xxxxxxxxxx"
    for limit, expected in ((0, []), (1, [3]), (2, [1, 3]), (9, [1, 3])):
        problem, whole = ask(letters, illnesses, Fraction(limit, 10), KAnonymity(k=3))
        parts = trimmed(problem, whole)
        assert gone(problem, parts) == expected
        assert (parts is whole) == (limit == 0)


def test_k_records_stay() -> None:
    problem, whole = ask("aaad", "xxxx", Fraction(1), KAnonymity(k=4))
    assert gone(problem, trimmed(problem, whole)) == []


def test_a_record_that_a_promise_needs_comes_back() -> None:
    problem, whole = ask("aaaaaaaad", "xxxxxxxxy", Fraction(1), DistinctLDiversity(l=2, column="illness"))
    assert gone(problem, trimmed(problem, whole)) == []
    problem, whole = ask("aaaaaaaad", "xxxxxyyyy", Fraction(1), DistinctLDiversity(l=2, column="illness"))
    assert gone(problem, trimmed(problem, whole)) == [3]


def test_stars_are_a_class() -> None:
    for outliers, expected in (("d", []), ("dd", [3])):
        letters = "aaaaaaaa" + outliers
        problem, whole = ask(letters, "x" * len(letters), Fraction(1, 2), KAnonymity(k=2))
        assert gone(replace(problem, stars=True), trimmed(replace(problem, stars=True), whole)) == expected


def test_where_missing_values_match_everything_only_numbers_of_records_allow_it() -> None:
    problem, whole = ask("aaaaaaaad", "xxxxxyyyy", Fraction(1), KAnonymity(k=2))
    assert gone(problem, trimmed(replace(problem, wildcard=True), whole)) == [3]


def test_a_measure_of_classes_has_no_price_to_save() -> None:
    problem, whole = ask("aaaaaaaad", "xxxxxyyyy", Fraction(1), KAnonymity(k=2))
    assert trimmed(replace(problem, measure=Discernibility()), whole) is whole


@pytest.mark.parametrize("seed", range(30))
def test_the_loss_only_falls(seed: int) -> None:
    rng = Random(seed)  # noqa: S311  (tables, not secrets)
    table = random_local(rng, 40)
    problem = local_problem(table, Rules((KAnonymity(k=3),), stars=rng.random() < 0.5), "ncp", Fraction(1, 5))
    whole = Parts.whole(problem.tally, np.zeros(problem.tally.n_points, dtype=np.int32))
    before, after = solution_of(problem, whole), solution_of(problem, trimmed(problem, whole))
    assert after.loss.total <= before.loss.total + 1e-9
    assert after.suppressed <= problem.limit
