"""k-anonymity: sizes of classes."""

import numpy as np
from hypothesis import given, settings

from shoal.models import KAnonymity, PrivacyModel
from shoal.models.by_hand import classes_by_hand
from shoal.models.model import holding
from shoal.models.persons import Persons
from tests.models.cases import Plain, check, models, releases
from tests.models.papers import figure_18, table_2, table_3


def test_figure_18_of_the_chapter_is_3_anonymous() -> None:
    assert KAnonymity(k=3).holds(figure_18()).all()
    assert not KAnonymity(k=4).holds(figure_18()).any()
    assert KAnonymity(k=3).achieved(figure_18()) == {"k": 3}


def test_table_2_is_3_anonymous_and_table_3_is_not() -> None:
    assert KAnonymity(k=3).holds(table_2()).tolist() == [True, True, True]
    assert KAnonymity(k=3).holds(table_3()).tolist() == [False, True, True]
    assert KAnonymity(k=3).achieved(table_3()) == {"k": 2}


def test_without_sensitive_columns() -> None:
    groups = classes_by_hand([[()] * 4, [()] * 2], [])
    assert KAnonymity(k=3).holds(groups).tolist() == [True, False]


def test_with_an_entity_persons_count_and_searches_know_how() -> None:
    groups = classes_by_hand([["ann", "ann", "bob"], ["ann", "bob", "eve"], ["eve"] * 3], ["who"])
    model = KAnonymity(k=2, entity="who")
    assert model.holds(groups).tolist() == [True, True, False]
    assert model.achieved(groups) == {"k": 1}
    assert model.sensitive_columns == ("who",)
    records, persons = model.counted()
    assert records == KAnonymity(k=2)
    assert persons == Persons(l=2, column="who")
    assert persons.asked == {"k": 2}
    assert persons.achieved(groups) == {"k": 1}
    assert persons.achieved(groups.only(np.zeros(3, dtype=np.bool_))) == {"k": 3}
    for k in (1, 2, 3, 4):
        asked = KAnonymity(k=k, entity="who")
        assert holding(asked.counted(), groups).tolist() == asked.holds(groups).tolist()


@settings(deadline=None, max_examples=100)
@given(models(KAnonymity.name), releases())
def test_agrees_with_its_definition(model: PrivacyModel, plain: Plain) -> None:
    check(model, plain)
