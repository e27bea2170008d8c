"""Distinct l-diversity: different values in each class."""

import numpy as np
from hypothesis import given, settings

from shoal.models import DistinctLDiversity, PrivacyModel
from shoal.models.by_hand import classes_by_hand
from shoal.models.linear import Linear
from shoal.models.sufficient_test import SufficientTest
from tests.models.cases import Plain, check, models, releases
from tests.models.papers import figure_18, figure_19


def test_two_classes_of_figure_18_are_2_diverse_and_one_is_not() -> None:
    model = DistinctLDiversity(l=2, column="disease")
    assert model.holds(figure_18()).tolist() == [False, True, True]
    assert model.achieved(figure_18()) == {"l": 1}


def test_figure_19_is_2_diverse_in_cholesterol() -> None:
    # The chapter calls the figure 2-diverse; by diabetes its first class shows one value only.
    assert DistinctLDiversity(l=2, column="cholesterol").holds(figure_19()).all()
    assert DistinctLDiversity(l=2, column="diabetes").holds(figure_19()).tolist() == [False, True, True]


def test_who_knows_the_other_sensitive_column_sees_smaller_blocks() -> None:
    # In the second class cholesterol 250 leaves both answers open, 260 gives diabetes away.
    model = DistinctLDiversity(l=2, column="diabetes", others="known")
    assert model.holds(figure_19()).tolist() == [False, False, False]
    assert model.achieved(figure_19()) == {"l": 1}


def test_a_class_that_fails_spoils_one_that_passes_if_others_are_known() -> None:
    classes = [[("flu", "x"), ("cold", "x")], [("flu", "y")]]
    known = DistinctLDiversity(l=2, column="illness", others="known")
    ignored = DistinctLDiversity(l=2, column="illness")
    apart = classes_by_hand(classes, ["illness", "wage"])
    joined = classes_by_hand([classes[0] + classes[1]], ["illness", "wage"])
    assert known.holds(apart)[0]
    assert not known.holds(joined)[0]
    assert not known.monotone_with_suppression
    assert ignored.holds(joined)[0]
    assert ignored.monotone_with_suppression


@settings(deadline=None, max_examples=100)
@given(models(DistinctLDiversity.name), releases())
def test_agrees_with_its_definition(model: PrivacyModel, plain: Plain) -> None:
    check(model, plain)


def test_with_members_no_fewer_persons_than_l_hold_all_values() -> None:
    groups = classes_by_hand([list("abc"), list("abcd"), list("abcdef"), list("abcdefgh")], ["x"])
    model = DistinctLDiversity(l=2, column="x", members=3)
    assert model.values_asked == model.least_size == 4
    assert model.holds(groups).tolist() == [False, True, True, True]
    assert model.achieved(groups) == {"l": 1}
    assert [model.achieved(groups.only(np.arange(4) == at))["l"] for at in range(4)] == [1, 2, 2, 3]
    (plain,) = model.counted()
    assert plain == DistinctLDiversity(l=4, column="x")
    assert plain.counted() == (plain,)
    column, reference = groups.sensitive[0], np.ones(8, dtype=np.int64)
    for made in (model, DistinctLDiversity(l=4, column="x")):
        assert repr(made.sufficient_test(column, reference)) == repr(SufficientTest.distinct(4))
        assert repr(made.linear(column, reference)) == repr(Linear.distinct(4, 8))
    known = DistinctLDiversity(l=2, column="x", members=3, others="known")
    assert known.counted() == (DistinctLDiversity(l=4, column="x", others="known"),)
