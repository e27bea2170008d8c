"""Tight classes: what other searches start from."""

from random import Random

import pytest

from shoal.kernels.clock import clock
from shoal.models import DistinctLDiversity
from shoal.search.local.forms import forms_of
from shoal.search.local.partition import cell_measure, solution_of
from shoal.search.local.tight import seconds_until, tight_parts
from tests.search.searches import Search, random_tally


def test_more_effort_loses_no_more_and_a_deadline_in_the_past_gives_the_start() -> None:
    search = Search.of(random_tally(Random(5), 200, n_columns=4, wide=True), "ncp", 3)  # noqa: S311
    problem = search.problem
    forms = forms_of(problem.tally.quasi, cell_measure(problem, "tightest"))
    losses = []
    for effort, deadline in ((0, float("inf")), (20, float("inf")), (20, clock())):
        found = tight_parts(problem, forms, "tightest", effort=effort, deadline=deadline)
        assert found.improved
        losses.append(solution_of(problem, found.parts).loss.total)
    assert losses[1] < losses[0] <= losses[2]


def test_a_promise_that_is_tested_on_all_classes_at_once_leaves_the_start() -> None:
    promise = DistinctLDiversity(l=1, column="illness", others="known")
    problem = Search.of(random_tally(Random(5), 60), "ncp", 2, promise).problem  # noqa: S311
    forms = forms_of(problem.tally.quasi, cell_measure(problem, "tightest"))
    found = tight_parts(problem, forms, "tightest", effort=5)
    assert not found.improved
    assert solution_of(problem, found.parts).suppressed == 0


def test_seconds_until_an_end() -> None:
    assert seconds_until(float("inf")) is None
    assert seconds_until(clock() - 1) == 0.0
    assert seconds_until(clock() + 60) == pytest.approx(60, abs=5)
