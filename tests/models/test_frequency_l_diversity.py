"""Frequency l-diversity: the share of the most frequent value."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings

from shoal.foundation.errors import FieldError
from shoal.models import FrequencyLDiversity, PrivacyModel
from shoal.models.by_hand import classes_by_hand
from tests.models.cases import Plain, check, models, releases
from tests.models.papers import table_2, table_3


def test_table_3_is_2_diverse_and_table_2_is_not() -> None:
    model = FrequencyLDiversity(l=Fraction(2), column="disease")
    assert model.holds(table_3()).all()
    assert model.achieved(table_3()) == {"l": 2}
    assert model.holds(table_2()).tolist() == [False, True, False]
    assert model.achieved(table_2()) == {"l": 1}


def test_two_different_values_need_not_be_2_diverse() -> None:
    groups = classes_by_hand([list("aab")], ["x"])
    assert not FrequencyLDiversity(l=Fraction(2), column="x").holds(groups)[0]
    assert FrequencyLDiversity(l=Fraction("1.5"), column="x").holds(groups)[0]
    assert FrequencyLDiversity(l=Fraction("1.5"), column="x").achieved(groups) == {"l": 1.5}


@settings(deadline=None, max_examples=100)
@given(models(FrequencyLDiversity.name), releases())
def test_agrees_with_its_definition(model: PrivacyModel, plain: Plain) -> None:
    check(model, plain)


def test_with_members_a_value_is_held_by_one_in_l_persons() -> None:
    groups = classes_by_hand([list("abc"), list("abcd"), list("aabcdefg"), list("aabcdef")], ["x"])
    model = FrequencyLDiversity(l=Fraction(2), column="x", members=2)
    assert model.share == Fraction(1, 4)
    assert model.least_size == 4
    assert model.holds(groups).tolist() == [False, True, True, False]
    assert model.achieved(groups) == {"l": 1.5}
    plain = FrequencyLDiversity(l=Fraction(4), column="x")
    assert model.counted() == plain.counted() == (plain,)
    assert plain.holds(groups).tolist() == model.holds(groups).tolist()
    column, reference = groups.sensitive[0], np.ones(7, dtype=np.int64)
    for found, expected in (
        (model.sufficient_test(column, reference), plain.sufficient_test(column, reference)),
        (model.linear(column, reference), plain.linear(column, reference)),
    ):
        assert repr(found) == repr(expected)
    with pytest.raises(FieldError, match="'members' is for records whose persons are unknown"):
        FrequencyLDiversity(l=Fraction(2), column="x", members=2, entity="id")
    assert model.forfeits(groups, Fraction(1)).tolist() == plain.forfeits(groups, Fraction(1)).tolist()
