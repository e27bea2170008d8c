"""delta-presence: the share of an outside table that was released."""

from fractions import Fraction

import pytest
from hypothesis import given, settings

from shoal.models import DeltaPresence, PrivacyModel
from shoal.models.by_hand import classes_by_hand
from tests.models.cases import Plain, check, models, releases


def _model(least: str, most: str) -> DeltaPresence:
    return DeltaPresence(least=Fraction(least), most=Fraction(most), population="people.csv")


def test_the_share_of_each_cell_is_within_the_range() -> None:
    groups = classes_by_hand([["a"], ["a", "b"]], populations={"people.csv": [4, 3]})
    assert _model("0.25", "0.7").holds(groups).all()
    assert _model("0.26", "0.7").holds(groups).tolist() == [False, True]
    assert _model("0.25", "0.6").holds(groups).tolist() == [True, False]
    assert _model("0", "1").achieved(groups) == {"least": 0.25, "most": 2 / 3}


def test_people_in_no_cell_are_surely_absent() -> None:
    groups = classes_by_hand([["a"]], populations={"people.csv": [2]}, outside={"people.csv": 1})
    assert not _model("0.1", "1").holds(groups).any()
    assert _model("0", "1").holds(groups).all()
    assert _model("0", "1").achieved(groups) == {"least": 0, "most": 0.5}


def test_more_records_than_people_fail() -> None:
    groups = classes_by_hand([["a", "b"], ["a"]], populations={"people.csv": [1, 0]})
    assert not _model("0", "1").holds(groups).any()
    assert _model("0", "1").achieved(groups) == {"least": 2, "most": "infinite"}


def test_an_empty_range_is_refused() -> None:
    with pytest.raises(ValueError, match=r"'least' is 0\.6, above 'most', which is 0\.5"):
        _model("0.6", "0.5")


@settings(deadline=None, max_examples=100)
@given(models(DeltaPresence.name), releases())
def test_agrees_with_its_definition(model: PrivacyModel, plain: Plain) -> None:
    check(model, plain)
