"""The list of patterns is whole or none, and what a table costs at least is that of its columns."""

from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from random import Random

import numpy as np
import pytest

from shoal.classes.grouping import Parts
from shoal.measures import CellMeasure
from shoal.models import KAnonymity
from shoal.search.bounds.families import Family
from shoal.search.local.forms import forms_of, offset_of
from shoal.search.local.partition import solution_of
from tests.oracles.local_tables import LocalTable, local_problem
from tests.oracles.plain import Rules
from tests.oracles.random_local import FORMS, random_local
from tests.search.bounds.test_bounds import CELLS, larger


def family_of(table: LocalTable, measure: str, limit: Fraction = Fraction(0), k: int = 3) -> Family:
    problem = local_problem(table, Rules((KAnonymity(k=k),)), measure, limit)
    assert isinstance(problem.measure, CellMeasure)
    return Family.of(problem, forms_of(problem.tally.quasi, problem.measure), k)


@pytest.mark.parametrize("measure", ["lm", "entropy"])
def test_a_list_of_patterns_is_whole_or_there_is_none(measure: str) -> None:
    family = family_of(larger(3, 60), measure)
    caps, floors = np.full(len(family), family.whole), family.floors(lambda: False, quick=False)
    found = family.listed(caps, floors)
    assert found is not None
    assert len(found.prices) > 100
    assert len(found.begins) == len(found.prices) + 1
    assert (found.begins[0], found.begins[-1]) == (0, len(found.members))
    assert (np.diff(found.begins) > 0).all()
    assert ((found.members >= 0) & (found.members < len(family))).all()
    for most, some in ((len(found.members), True), (len(found.members) - 1, False)):
        again = family.listed(caps, floors, most)
        assert (again is not None) == some
        assert again is None or (again.members == found.members).all()


def test_columns_that_cost_every_record_the_same_are_left_out() -> None:
    """One has a single value, and one has no weight; but a suppressed record pays for the first."""
    rows = {value: (value, "*") for value in "abc"}
    records = [{"p": "a", "q": q, "r": r, "s": s} for q, r, s in zip("abcabc", "aabbcc", "aaabbb", strict=True)]
    table = LocalTable(records, dict.fromkeys("pqrs", rows), weights={"p": 2.0, "q": 3.0, "r": 0.0, "s": 5.0})
    family = family_of(table, "lm")
    assert family.points.columns.tolist() == [3, 1]  # the one with fewer values first
    assert family.constant == 0.0
    assert (len(family), family.most) == (6, np.inf)
    assert family.whole == 3 + 5
    assert (family.values == 0).all()
    starred = family_of(table, "lm", Fraction(1, 2))
    assert starred.most == 2 + 3 + 5


def test_people_outside_the_table_are_no_points() -> None:
    n_outside = 0
    for seed in range(10):
        table = random_local(Random(seed), 8, people=True)  # noqa: S311
        family = family_of(table, "lm", k=2)
        assert family.points.counts.min() > 0
        assert family.points.counts.sum() == len(table.records)
        n_outside += len(table.people) > len(table.records)
    assert n_outside > 2


@pytest.mark.parametrize("measure", CELLS)
def test_the_whole_is_what_a_record_costs_in_one_class_of_all(measure: str) -> None:
    for seed in range(20):
        table = random_local(Random(seed), 8, forms=FORMS[seed % len(FORMS) :][:1], missing=seed % 3 == 0)  # noqa: S311
        problem = local_problem(table, Rules(()), measure)
        assert isinstance(problem.measure, CellMeasure)
        family = Family.of(problem, forms_of(problem.tally.quasi, problem.measure), 2)
        together = Parts.whole(problem.tally, np.zeros(problem.tally.n_points, dtype=np.int32))
        paid = offset_of(problem.tally.quasi, problem.measure) + len(table.records) * (family.whole + family.constant)
        assert paid == pytest.approx(solution_of(problem, together).loss.total, abs=1e-9)


@pytest.mark.parametrize("gone", range(5))
def test_records_that_must_be_suppressed_cost_at_least_what_the_cheapest_choice_does(gone: int) -> None:
    family = replace(family_of(larger(5, 7), "lm", Fraction(1, 2), k=2), gone=gone)
    counts = family.points.counts
    rng = np.random.default_rng(gone)
    for _ in range(20):
        own = rng.random(len(family)) * family.most
        records = np.repeat(own, counts).tolist()
        every = (sum(records) + sum(family.most - one for one in some) for some in combinations(records, gone))
        assert family.charged(own) == pytest.approx(min(every))


def test_charges_are_added_exactly_as_before_where_nothing_must_be_suppressed() -> None:
    family = family_of(larger(5, 30), "entropy", Fraction(1, 2))
    assert family.gone == 0
    assert family.charged(family.values) == float(family.values @ family.points.counts)


def test_many_records_that_are_alike_do_not_end_a_quick_search_for_the_others() -> None:
    """Of 1,000 records 990 are alike, which cost nothing; what the ten others cost is the whole bound."""
    rows = {value: (value, "*") for value in "abcdefghijk"}
    others = [{"p": one, "q": one} for one in "bcdefghijk"]
    family = family_of(LocalTable([{"p": "a", "q": "a"}] * 990 + others, dict.fromkeys("pq", rows)), "lm")
    quick, full = (family.charged(family.floors(lambda: False, quick=quick)) for quick in (True, False))
    assert quick == full == 10 * family.whole
