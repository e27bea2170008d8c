"""Frequency l-diversity: the share of the most frequent value."""

from fractions import Fraction

from hypothesis import given, settings

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
