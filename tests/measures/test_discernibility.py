import pytest

from shoal.measures import Discernibility
from tests.measures.build import build
from tests.measures.papers import figure_5


def test_three_classes_of_3_and_a_suppressed_record_out_of_10() -> None:
    loss = build(figure_5(1, 1, 0)).loss(Discernibility())
    assert loss.total == 3 * 9 + 10
    assert loss.share == pytest.approx(0.37)


def test_each_column_is_priced_as_if_it_were_alone() -> None:
    loss = build(figure_5(1, 1, 0)).loss(Discernibility())
    assert loss.columns == {"zip": 36 + 9 + 10, "marital status": 36 + 9 + 10, "sex": 9 + 36 + 10}


def test_one_class_of_all_is_as_bad_as_none() -> None:
    assert build(figure_5(2, 2, 1)).loss(Discernibility()).total == 100
    assert build(figure_5(0, 0, 0)).loss(Discernibility()).total == 100
