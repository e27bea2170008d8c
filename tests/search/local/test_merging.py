"""Joining classes until the promises hold."""

from fractions import Fraction
from random import Random

import numpy as np
import pytest

import shoal.search.local.merging as module
from shoal.classes.grouping import Grouping, Parts
from shoal.kernels.local.closures import Forms
from shoal.measures.measure import CellMeasure
from shoal.models import DistinctLDiversity, FrequencyLDiversity, KAnonymity, PrivacyModel, TCloseness
from shoal.search.local.forms import forms_of
from shoal.search.local.merging import alike_joined, closures_of, merged
from shoal.search.local.partition import solution_of
from shoal.search.problem import Problem
from tests.oracles.local.random_jobs import random_local
from tests.oracles.local.tables import LocalTable, local_problem
from tests.oracles.plain import Rules
from tests.search.tallies import covering

PROMISES: list[PrivacyModel] = [
    KAnonymity(k=7),
    DistinctLDiversity(l=3, column="illness"),
    FrequencyLDiversity(l=Fraction(3, 2), column="illness"),
    TCloseness(t=Fraction(1, 5), column="illness"),
]


def problem_of(seed: int, *models: PrivacyModel, wildcard: bool = False) -> tuple[Problem, Forms]:
    table = random_local(Random(seed), 60, forms=("tree",), missing=wildcard)  # noqa: S311  (tables, not secrets)
    problem = local_problem(table, Rules(models, wildcard=wildcard), "lm")
    assert isinstance(problem.measure, CellMeasure)
    return problem, forms_of(problem.tally.quasi, problem.measure)


def points_apart(problem: Problem) -> Parts:
    return Parts.whole(problem.tally, np.arange(problem.tally.n_points, dtype=np.int32))


@pytest.mark.parametrize("seed", range(10))
def test_classes_that_cover_alike_are_one(seed: int) -> None:
    problem, forms = problem_of(seed, KAnonymity(k=2))
    rng = np.random.default_rng(seed)
    labels = np.unique(rng.integers(0, 30, problem.tally.n_points), return_inverse=True)[1].astype(np.int32)
    parts = Parts.whole(problem.tally, labels)
    closures = closures_of(problem.tally, parts, forms)
    for number in range(parts.n_classes):
        own = problem.tally.codes[labels == number]
        assert closures[number].tolist() == [covering(forms, j, own[:, j].tolist()) for j in range(own.shape[1])]
    joined = alike_joined(problem.tally, parts, forms)
    rows = [tuple(row) for row in closures_of(problem.tally, joined, forms).tolist()]
    assert len(set(rows)) == len(rows) == len({tuple(row) for row in closures.tolist()})
    for old, new in zip(parts.classes, joined.classes, strict=True):
        assert tuple(closures[old]) == rows[new]


@pytest.mark.parametrize("model", PROMISES)
@pytest.mark.parametrize("rounds", [0, 2, 30])
def test_all_promises_hold_in_the_end(model: PrivacyModel, rounds: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where all rounds join many at once."""
    monkeypatch.setattr(module, "_PAIRING_ROUNDS", rounds)
    monkeypatch.setattr(module, "_BLOCK", 3)
    for seed in range(10):
        problem, forms = problem_of(seed, model)
        parts = merged(problem, points_apart(problem), forms)
        groups = Grouping.of_parts(problem.tally, parts, parts.n_classes)
        assert model.holds(groups).all() or parts.n_classes == 1
        assert parts.counts.tolist() == problem.tally.counts.tolist()
        assert set(parts.classes.tolist()) == set(range(parts.n_classes))
        assert merged(problem, parts, forms) is parts


def test_promises_hold_where_missing_values_match_everything() -> None:
    for seed in range(20):
        problem, forms = problem_of(seed, FrequencyLDiversity(l=Fraction(5, 4), column="illness"), wildcard=True)
        parts = merged(problem, points_apart(problem), forms)
        assert parts.n_classes == 1 or solution_of(problem, parts).groups.n_classes >= 1


def test_a_failing_class_joins_one_that_helps() -> None:
    """a and b are near each other, and c and d; but a class of two illnesses needs one of each pair."""
    rows = {value: (value, "ab" if value in "ab" else "cd", "*") for value in "abcd"}
    records = [{"q": letter, "illness": "x" if letter in "ab" else "y"} for letter in "abcd"]
    table = LocalTable(records, {"q": rows}, ("illness",))
    problem = local_problem(table, Rules((DistinctLDiversity(l=2, column="illness"),)), "lm")
    assert isinstance(problem.measure, CellMeasure)
    forms = forms_of(problem.tally.quasi, problem.measure)
    parts = merged(problem, points_apart(problem), forms)
    assert Grouping.of_parts(problem.tally, parts, parts.n_classes).sizes.tolist() == [2, 2]
