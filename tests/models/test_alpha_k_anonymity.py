"""(alpha, k)-anonymity: the share of a value, and sizes."""

from fractions import Fraction

from hypothesis import given, settings

from shoal.models import AlphaKAnonymity, PrivacyModel
from shoal.models.by_hand import classes_by_hand
from tests.models.cases import Plain, check, models, releases
from tests.models.papers import figure_18


def test_hiv_is_too_frequent_in_the_last_class_of_figure_18() -> None:
    model = AlphaKAnonymity(alpha=Fraction("0.4"), k=3, column="disease", value="HIV")
    assert model.holds(figure_18()).tolist() == [True, True, False]
    assert model.achieved(figure_18()) == {"alpha": 2 / 3, "k": 3}


def test_without_a_value_every_value_is_limited() -> None:
    model = AlphaKAnonymity(alpha=Fraction(2, 3), k=3, column="disease")
    assert model.holds(figure_18()).tolist() == [False, True, True]
    assert model.achieved(figure_18()) == {"alpha": 1, "k": 3}


def test_a_value_that_does_not_occur_limits_nothing() -> None:
    model = AlphaKAnonymity(alpha=Fraction("0.1"), k=3, column="disease", value="flu")
    assert model.holds(figure_18()).all()
    assert model.achieved(figure_18()) == {"alpha": 0, "k": 3}


def test_a_largest_share_is_told_where_it_is_that_of_every_value() -> None:
    assert AlphaKAnonymity(alpha=Fraction("0.4"), k=3, column="disease").largest_share == Fraction(2, 5)
    assert AlphaKAnonymity(alpha=Fraction("0.4"), k=3, column="disease", value="HIV").largest_share is None


def test_a_tenth_is_a_tenth() -> None:
    groups = classes_by_hand([["y", *"nnnnnnnnn"]], ["x"])
    assert AlphaKAnonymity(alpha=Fraction("0.1"), k=1, column="x", value="y").holds(groups)[0]
    assert not AlphaKAnonymity(alpha=Fraction("0.0999999999999999999"), k=1, column="x", value="y").holds(groups)[0]


@settings(deadline=None, max_examples=100)
@given(models(AlphaKAnonymity.name), releases())
def test_agrees_with_its_definition(model: PrivacyModel, plain: Plain) -> None:
    check(model, plain)
