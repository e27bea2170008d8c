"""The bound of the program without whole numbers, against brute force."""

from contextlib import suppress
from fractions import Fraction
from math import inf

import numpy as np
import pytest

from shoal.classes.grouping import Parts
from shoal.models import FrequencyLDiversity, KAnonymity, KEAnonymity, TCloseness
from shoal.search.bounds.bounds import lower_bound
from shoal.search.exact.allocation import PromiseRows
from shoal.search.exact.linear_bound import linear_bound
from shoal.search.local.forms import forms_of
from shoal.search.local.partition import cell_measure
from shoal.search.removal import broken_by
from tests.oracles.local.checks import slack
from tests.oracles.local.random_jobs import Case, random_request
from tests.oracles.local.tables import LocalTable
from tests.oracles.plain import Rules

LETTERS = {letter: (letter, "*") for letter in "abcdef"}


def bounds_of(case: Case) -> tuple[float, float]:
    """Return the bound of the program, and that of charges."""
    problem = case.problem
    forms = forms_of(problem.tally.quasi, cell_measure(problem, "a test"))
    whole = Parts.whole(problem.tally, np.zeros(problem.tally.n_points, dtype=np.int32))
    return linear_bound(problem, forms, whole, inf).total, lower_bound(problem, forms).total


def test_it_is_never_above_the_optimum() -> None:
    better = 0
    for seed in range(250):
        case = random_request(seed, "lm")
        if case.table.people or broken_by(case.problem.models, case.problem.tally) or case.optimum is None:
            continue
        found, charged = bounds_of(case)
        assert found <= case.optimum + slack(case.optimum)
        better += found > charged + slack(charged)
    assert better > 5


def test_it_knows_what_diversity_costs() -> None:
    """Four cities of four patients with the same illness: two cities must be joined, whoever hides among two.

    Charges know it too, where the promise caps the share of each value: closeness by equal distances does.
    """
    records: list[dict[str, str | None]] = [{"city": letter, "illness": letter} for letter in "abcd" for _ in range(4)]
    table = LocalTable(records, {"city": LETTERS}, ("illness",))
    models = (FrequencyLDiversity(l=2, column="illness"), TCloseness(t=0.5, column="illness"))
    for model in models:
        case = Case(table, Rules((KAnonymity(k=2), model)), "stars", Fraction(0))
        found, charged = bounds_of(case)
        assert charged == 16
        assert found == 16


def test_numbers_of_records_alone_have_none() -> None:
    records: list[dict[str, str | None]] = [{"city": letter, "illness": "x"} for letter in "abcdef"]
    case = Case(LocalTable(records, {"city": LETTERS}, ("illness",)), Rules((KAnonymity(k=2),)), "stars", Fraction(0))
    assert bounds_of(case)[0] == 0


def test_no_rows_are_made_for_each_of_many_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    """An amount of money that nearly every record has alone: its rows would have millions of coefficients."""
    records: list[dict[str, str | None]] = [{"city": "abcdef"[i % 6], "pay": f"{i}"} for i in range(600)]
    model = KEAnonymity(k=2, e=Fraction(3), column="pay")
    asked = []
    monkeypatch.setattr(PromiseRows, "of", lambda *_: asked.append(1))
    for some, expected in ((records, 0), (records[:400], 1)):
        case = Case(
            LocalTable(some, {"city": LETTERS}, ("pay",)), Rules((KAnonymity(k=2), model)), "stars", Fraction(0)
        )
        problem = case.problem
        forms = forms_of(problem.tally.quasi, cell_measure(problem, "a test"))
        whole = Parts.whole(problem.tally, np.zeros(problem.tally.n_points, dtype=np.int32))
        with suppress(AttributeError, TypeError):  # of the rows that were not made
            assert linear_bound(problem, forms, whole, inf).total == 0
        assert len(asked) == expected
