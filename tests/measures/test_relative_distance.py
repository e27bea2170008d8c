import numpy as np
import pytest

from shoal.classes.tally import QuasiColumn
from shoal.measures import RelativeDistance
from shoal.tables.hierarchies.hierarchy import Hierarchy
from tests.measures.build import build
from tests.measures.papers import figure_5


def test_steps_are_counted_relative_to_the_height() -> None:
    loss = build(figure_5(1, 1, 0)).loss(RelativeDistance())
    assert loss.columns == pytest.approx({"zip": 9 / 2 + 1, "marital status": 9 / 2 + 1, "sex": 1})
    assert loss.total == pytest.approx(12)
    assert loss.share == pytest.approx(12 / 30)


def test_a_step_in_a_low_hierarchy_costs_more() -> None:
    """By steps [2, 1, 0] and [1, 1, 1] are alike, and both suppress one record."""
    zip_up, sex_up = (build(figure_5(*levels)).loss(RelativeDistance()).total for levels in [(2, 1, 0), (1, 1, 1)])
    assert zip_up == pytest.approx(9 * 1.5 + 3)
    assert sex_up == pytest.approx(9 * 2.0 + 3)


def test_a_hierarchy_without_steps_costs_nothing_to_publish() -> None:
    flat = Hierarchy(("x",), np.zeros((1, 1), dtype=np.int32), (("x",),))
    costs = RelativeDistance().costs(QuasiColumn("flat", flat, np.array([5])))
    assert costs.by_level[0].tolist() == [0]
