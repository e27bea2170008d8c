"""delta-disclosure: shares that neither rise nor fall much."""

from fractions import Fraction
from math import log

import pytest
from hypothesis import given, settings

from shoal.models import DeltaDisclosure, PrivacyModel
from shoal.models.by_hand import classes_by_hand
from shoal.models.linear import Linear
from shoal.models.sufficient_test import SufficientTest
from tests.models.cases import Plain, check, histogram, models, releases
from tests.models.forms import passing, satisfying
from tests.models.papers import figure_19, table_5
from tests.oracles.promises import logarithm


def test_a_value_that_a_class_lacks_is_infinitely_far() -> None:
    model = DeltaDisclosure(delta=Fraction(10**6), column="diabetes")
    assert model.holds(figure_19()).tolist() == [False, True, True]
    assert model.achieved(figure_19()) == {"delta": "infinite"}


def test_table_5_is_near() -> None:
    # 1/4 against 0.3 falls by ln 1.2, 1/3 against 0.4 too; 1/2 against 0.4 rises by ln 1.25.
    model = DeltaDisclosure(delta=Fraction("0.2"), column="disease")
    assert model.achieved(table_5())["delta"] == pytest.approx(log(1.25))
    assert model.holds(table_5()).tolist() == [True, False, True]


def test_near_ties_with_a_long_decimal_are_decided_exactly() -> None:
    groups = classes_by_hand([["a", "b"], ["a", "b", "b", "b"]], ["x"])  # 1/2 against 1/3 rises by ln 1.5
    digits = "0.405465108108164381978013115464349136571990423462494197614014"
    above, below = Fraction(digits) + Fraction(1, 10**50), Fraction(digits) - Fraction(1, 10**50)
    assert DeltaDisclosure(delta=above, column="x").holds(groups)[0]
    assert not DeltaDisclosure(delta=below, column="x").holds(groups)[0]


@pytest.mark.parametrize(("share", "whole"), [("1/2", "1/3"), ("1/10", "1/2"), ("2/3", "1/9"), ("1/100", "3/7")])
def test_the_share_that_rises_or_falls_most_decides_near_ties(share: str, whole: str) -> None:
    p, q = Fraction(share), Fraction(whole)
    blocks = histogram(
        [[p.numerator, p.denominator - p.numerator]], [q.numerator * 5, (q.denominator - q.numerator) * 5]
    )
    ratios = [p / q, q / p, (1 - p) / (1 - q), (1 - q) / (1 - p)]
    farthest = Fraction(logarithm(max(ratios)))
    for delta, kept in ((farthest + Fraction(1, 10**50), True), (farthest - Fraction(1, 10**50), False)):
        assert DeltaDisclosure(delta=delta, column="illness").passes(blocks).tolist() == [kept]


def test_a_class_like_the_table_is_at_0() -> None:
    groups = classes_by_hand([["a", "b"], ["b", "a"]], ["x"])
    assert DeltaDisclosure(delta=Fraction(1, 10**20), column="x").holds(groups).all()
    assert DeltaDisclosure(delta=Fraction(1), column="x").achieved(groups) == {"delta": 0}


@pytest.mark.parametrize("delta", [101, 10**6])
def test_a_delta_beyond_all_ratios_asks_for_every_value_only(delta: int) -> None:
    model, classes = DeltaDisclosure(delta=delta, column="illness"), [[10, 1], [3, 0], [0, 4]]
    blocks = histogram(classes, [10**6, 1])
    assert model.passes(blocks).tolist() == [True, False, False]
    assert model.forfeited(blocks, Fraction(0)).tolist() == [0, 3, 4]
    test, rows = (form(blocks.column, blocks.reference) for form in (model.sufficient_test, model.linear))
    assert isinstance(test, SufficientTest)
    assert passing(test, classes) == [True, False, False]
    assert isinstance(rows, Linear)
    assert satisfying(rows, classes)[0]


def test_a_value_that_the_table_lacks_is_infinitely_far() -> None:
    model, blocks = DeltaDisclosure(delta=10**6, column="illness"), histogram([[2, 1, 2], [2, 1, 0]], [2, 0, 3])
    assert model.passes(blocks).tolist() == [False, False]
    assert model.measured(blocks) == {"delta": "infinite"}


@settings(deadline=None, max_examples=100)
@given(models(DeltaDisclosure.name), releases())
def test_agrees_with_its_definition(model: PrivacyModel, plain: Plain) -> None:
    check(model, plain)
