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


def test_with_members_a_class_is_large_enough_for_k_households() -> None:
    groups = classes_by_hand([["x"] * size for size in (8, 9, 10, 12, 13)])
    model = KAnonymity(k=3, members=4)
    assert model.least_size == 9
    assert model.holds(groups).tolist() == [False, True, True, True, True]
    assert model.counted() == (KAnonymity(k=9),)
    assert model.sensitive_columns == ()
    assert model.parameters == {"k": 3, "members": 4}
    assert model.achieved(groups) == {"k": 2}
    assert [model.achieved(groups.only(np.arange(5) == at))["k"] for at in range(5)] == [2, 3, 3, 3, 4]
    for k in (1, 2, 3, 4):
        asked = KAnonymity(k=k, members=4)
        assert holding(asked.counted(), groups).tolist() == asked.holds(groups).tolist()
        assert asked.holds(groups).tolist() == [fewest_homes(size, 4) >= k for size in (8, 9, 10, 12, 13)]


def fewest_homes(size: int, members: int) -> int:
    """Return the fewest households, of so many records at most, that a class of a size may have records of."""
    return next(homes for homes in range(size + 1) if homes * members >= size)


@settings(deadline=None, max_examples=100)
@given(models(KAnonymity.name), releases())
def test_agrees_with_its_definition(model: PrivacyModel, plain: Plain) -> None:
    check(model, plain)
