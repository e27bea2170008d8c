"""What may be released, decided on small classes by hand."""

from fractions import Fraction

import numpy as np
import pytest

from shoal.classes.recoding import Recoding
from shoal.measures import MEASURES
from shoal.models import DeltaPresence, FrequencyLDiversity, KAnonymity, PrivacyModel, TCloseness
from shoal.models.by_hand import classes_by_hand
from shoal.search.problem import Problem
from tests.oracles.papers import FIGURE_1
from tests.oracles.problems import tally_of


def problem(*models: PrivacyModel, limit: str = "1", stars: bool = False) -> Problem:
    return Problem(tally_of(FIGURE_1), models, MEASURES["lm"](), Fraction(limit), stars)


@pytest.mark.parametrize(("share", "records"), [("0", 0), ("0.09", 0), ("0.1", 1), ("0.3", 3), ("0.7", 7), ("1", 10)])
def test_the_limit_is_exact(share: str, records: int) -> None:
    """In floating point 0.7 * 10 may well be 6.999..."""
    assert problem(limit=share).limit == records


def test_classes_that_fail_are_taken_out() -> None:
    groups = classes_by_hand([["a"], ["a", "b"], ["a", "b", "c"]])
    assert problem(KAnonymity(k=2)).released(groups, None).tolist() == [False, True, True]
    both = problem(KAnonymity(k=2), FrequencyLDiversity(l=Fraction(3), column="value"))
    assert both.released(groups, None).tolist() == [False, False, True]


def test_a_promise_about_the_release_is_judged_again_on_what_is_left() -> None:
    """Without the second class 10 of 12 records show b, and the first is then too far from that: 5/6 - 1/2 > 5/16."""
    groups = classes_by_hand([["a", "a", "b", "b"], ["a", "a", "a", "b"], ["b"] * 8])
    close = TCloseness(t=Fraction(5, 16), column="value")
    assert close.holds(groups).tolist() == [True, False, True]
    assert problem(close).released(groups, None).tolist() == [False, False, True]


def test_stars_keep_the_whole_table_as_what_is_compared_with() -> None:
    groups = classes_by_hand([["a", "a", "b", "b"], ["a", "a", "a", "b"], ["b"] * 8])
    close = TCloseness(t=Fraction(5, 16), column="value")
    assert problem(close, stars=True).released(groups, None).tolist() == [True, False, True]


def test_suppressing_leaves_people_outside() -> None:
    groups = classes_by_hand([["a"], ["a", "b"]], populations={"p": [9, 4]}, outside={"p": 0})
    present = DeltaPresence(least=Fraction(1, 5), most=Fraction(1, 2), population="p")
    assert present.holds(groups).tolist() == [False, True]
    assert problem(present).released(groups, None).tolist() == [False, False]


def test_at_least_one_class_is_released() -> None:
    groups = classes_by_hand([["a"], ["b"]])
    asked = problem(KAnonymity(k=2))
    released = asked.released(groups, None)
    assert not released.any()
    assert not asked.feasible(groups, None, released)


@pytest.mark.parametrize(("limit", "allowed"), [("0.2", False), ("0.3", True), ("1", True)])
def test_as_many_as_the_limit_may_be_suppressed(limit: str, allowed: bool) -> None:
    groups = classes_by_hand([["a"] * 7, ["b"], ["b"], ["b"]])
    asked = problem(KAnonymity(k=2), limit=limit)
    assert asked.feasible(groups, None, asked.released(groups, None)) is allowed


def test_stars_are_a_class_that_must_keep_the_promises() -> None:
    asked = problem(KAnonymity(k=3), stars=True)
    two = classes_by_hand([["a"] * 3, ["b"], ["b"]])
    three = classes_by_hand([["a"] * 3, ["b"], ["b", "b"]])
    assert not asked.feasible(two, None, asked.released(two, None))
    assert asked.feasible(three, None, asked.released(three, None))
    diverse = problem(KAnonymity(k=2), FrequencyLDiversity(l=Fraction(2), column="value"), stars=True)
    assert diverse.feasible(classes_by_hand([["a", "b"], ["a"], ["b"]]), None, np.array([True, False, False]))
    assert not diverse.feasible(classes_by_hand([["a", "b"], ["a"], ["a"]]), None, np.array([True, False, False]))


def test_the_least_class_that_any_promise_allows() -> None:
    assert problem(KAnonymity(k=2), FrequencyLDiversity(l=Fraction(5, 2), column="value")).k == 3
    assert problem(KAnonymity(k=4), TCloseness(t=Fraction(1, 2), column="value")).k == 4


def test_releasing_just_some_classes_must_keep_every_promise() -> None:
    groups = classes_by_hand([["a", "b"], ["a"], ["b", "b"]])
    table = tally_of(FIGURE_1)
    recoding = Recoding.full_domain(table.quasi[:1], [0], np.array([[0], [1], [0]], dtype=np.int32))
    asked, starred = problem(KAnonymity(k=2), limit="0.2"), problem(KAnonymity(k=2), limit="1", stars=True)
    assert asked.limit == 2
    assert asked.keeps(groups, recoding, np.array([True, False, True]))
    assert not asked.keeps(groups, recoding, np.array([True, True, True]))
    assert not asked.keeps(groups, recoding, np.array([True, False, False]))
    assert not asked.keeps(groups, recoding, np.array([False, False, False]))
    assert not starred.keeps(groups, recoding, np.array([True, False, True]))
    assert starred.keeps(groups, recoding, np.array([True, False, False]))


def test_the_models_that_a_search_may_prune_by() -> None:
    k, frequency = KAnonymity(k=2), FrequencyLDiversity(l=Fraction(2), column="value")
    assert problem(k, frequency).prunable == (k,)
