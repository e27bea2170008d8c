"""Recursive (c, l)-diversity: the most frequent value against the tail."""

from fractions import Fraction

from hypothesis import given, settings

from shoal.models import PrivacyModel, RecursiveClDiversity
from shoal.models.by_hand import classes_by_hand
from tests.models.cases import Plain, check, models, releases


def test_the_most_frequent_value_is_compared_with_the_tail() -> None:
    # Counts 4, 2, 1: r1 = 4 and r2 + r3 = 3.
    groups = classes_by_hand([list("aaaabbc")], ["x"])
    assert RecursiveClDiversity(c=Fraction(3, 2), l=2, column="x").holds(groups)[0]
    assert not RecursiveClDiversity(c=Fraction(4, 3), l=2, column="x").holds(groups)[0]
    assert RecursiveClDiversity(c=Fraction(2), l=2, column="x").achieved(groups) == {"c": 4 / 3}
    assert RecursiveClDiversity(c=Fraction(2), l=3, column="x").achieved(groups) == {"c": 4}


def test_the_comparison_is_strict() -> None:
    groups = classes_by_hand([list("aaabbb")], ["x"])
    assert not RecursiveClDiversity(c=Fraction(1), l=2, column="x").holds(groups)[0]
    assert RecursiveClDiversity(c=Fraction(1) + Fraction(1, 10**15), l=2, column="x").holds(groups)[0]


def test_too_few_values_fail_for_every_c() -> None:
    groups = classes_by_hand([list("aabb"), list("abc")], ["x"])
    model = RecursiveClDiversity(c=Fraction(10**6), l=3, column="x")
    assert model.holds(groups).tolist() == [False, True]
    assert model.achieved(groups) == {"c": "infinite"}


@settings(deadline=None, max_examples=100)
@given(models(RecursiveClDiversity.name), releases())
def test_agrees_with_its_definition(model: PrivacyModel, plain: Plain) -> None:
    check(model, plain)
