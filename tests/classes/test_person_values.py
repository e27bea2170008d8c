"""The values of the persons of each class, by hand."""

import numpy as np

from shoal.classes.grouping import Histogram
from shoal.classes.person_values import PersonValues
from shoal.models.by_hand import classes_by_hand

COLUMNS = ("illness", "id")
ILLNESSES = ("cold", "flu", "gout", "none such", "pox")
CLASSES = [
    [("pox", "ann"), ("cold", "ann"), ("cold", "ann"), ("flu", "bob")],
    [("gout", "bob")],
    [("pox", "cid"), ("cold", "ann"), ("pox", "bob"), ("flu", "bob")],
]


def persons() -> PersonValues:
    groups = classes_by_hand(CLASSES, COLUMNS, orders={"illness": ILLNESSES})
    return PersonValues.of(groups, "illness", "id")


def table(found: Histogram) -> list[dict[int, int]]:
    """Return how many persons of each class have each value."""
    parts = [found.of_class(number) for number in range(len(found.sizes))]
    return [dict(zip(values.tolist(), counts.tolist(), strict=True)) for values, counts in parts]


def test_a_person_is_one_in_each_class_and_holds_a_value_once() -> None:
    found = persons()
    assert found.sizes.tolist() == [2, 1, 3]
    assert found.classes.tolist() == [0, 0, 1, 2, 2, 2]  # ann and bob, bob, ann, bob and cid
    assert found.persons.tolist() == [0, 0, 1, 2, 3, 4, 4, 5]
    assert found.values.tolist() == [0, 4, 1, 2, 0, 1, 4, 4]
    assert found.occurring.tolist() == [True, True, True, False, True]


def test_one_who_holds_several_values_is_counted_for_each() -> None:
    found = persons().holders()
    assert table(found) == [{0: 1, 1: 1, 4: 1}, {2: 1}, {0: 1, 1: 1, 4: 2}]
    assert found.sizes.tolist() == [2, 1, 3]
    assert found.distinct.tolist() == [3, 1, 3]
    assert found.reference.tolist() == [2, 2, 1, 0, 3]
    assert found.persons == found.total == 6


def test_each_person_has_a_lowest_and_a_highest_value() -> None:
    found = persons()
    assert table(found.lowest()) == [{0: 1, 1: 1}, {2: 1}, {0: 1, 1: 1, 4: 1}]
    assert table(found.highest()) == [{1: 1, 4: 1}, {2: 1}, {0: 1, 4: 2}]
    assert found.lowest().reference.tolist() == [2, 2, 1, 0, 1]
    assert found.highest().reference.tolist() == [1, 1, 1, 0, 3]


def test_what_stands_for_values_is_held_once_and_persons_without_it_are_left_out() -> None:
    """Cold and flu are one, pox another, and nothing stands for gout: bob has nothing in the second class."""
    found = persons().lifted(np.array([1, 1, -1, -1, 0]), 2)
    assert found.classes.tolist() == [0, 0, 2, 2, 2]
    assert found.persons.tolist() == [0, 0, 1, 2, 3, 3, 4]
    assert found.values.tolist() == [0, 1, 1, 1, 0, 1, 0]
    assert found.column.values == ("0", "1")
    assert found.sizes.tolist() == [2, 0, 3]
    some = found.within(np.array([0, 2]))
    assert some.classes.tolist() == [0, 0, 1, 1, 1]
    assert some.n_classes == 2
    assert table(some.holders()) == [{0: 1, 1: 2}, {0: 2, 1: 2}]


def test_one_person_in_all_classes_is_one_in_each() -> None:
    groups = classes_by_hand([[("flu", "ann")], [("cold", "ann"), ("flu", "ann")]], COLUMNS)
    found = PersonValues.of(groups, "illness", "id")
    assert found.classes.tolist() == [0, 1]
    assert found.sizes.tolist() == [1, 1]


def test_where_there_are_no_classes_there_are_no_persons() -> None:
    groups = classes_by_hand(CLASSES, COLUMNS).only(np.zeros(3, dtype=np.bool_))
    found = PersonValues.of(groups, "illness", "id")
    assert found.sizes.tolist() == []
    assert found.occurring.tolist() == [False] * 4
    assert table(found.holders()) == []
