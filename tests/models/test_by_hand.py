"""Classes by hand: lists become the grouping that they describe."""

import numpy as np

from shoal.models.by_hand import classes_by_hand


def test_values_are_in_text_order_and_the_missing_one_is_last() -> None:
    blocks = classes_by_hand([["b", None, "a"], ["b", "b"]], ["x"]).histogram("x")
    assert blocks.column.values == ("a", "b", None)
    assert blocks.values.tolist() == [0, 1, 2, 1]
    assert blocks.counts.tolist() == [1, 1, 1, 2]
    assert blocks.sizes.tolist() == [3, 2]
    assert blocks.reference.tolist() == [1, 3, 1]


def test_several_columns_and_an_order() -> None:
    classes = [[("low", "x"), ("high", "x")], [("high", "y")]]
    groups = classes_by_hand(classes, ["wage", "town"], orders={"wage": ["low", "high"]})
    assert groups.histogram("wage").reference.tolist() == [1, 2]
    assert groups.histogram("town").reference.tolist() == [2, 1]


def test_populations_inside_and_outside_of_the_classes() -> None:
    groups = classes_by_hand([["a", "b"], ["a"]], populations={"p": [5, 0]}, outside={"p": 2})
    assert groups.populations["p"].tolist() == [5, 0]
    assert groups.outside == {"p": 2}
    assert groups.only(np.array([False, True])).outside == {"p": 7}
    assert classes_by_hand([["a"]], populations={"p": [5]}).outside == {"p": 0}


def test_no_classes() -> None:
    assert classes_by_hand([]).n_classes == 0
