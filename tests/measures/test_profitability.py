import numpy as np
import pytest

from shoal.foundation.errors import SpecError
from shoal.measures import Profitability
from tests.measures.build import build
from tests.measures.papers import figure_5
from tests.measures.test_class_size import classes_of


def test_a_class_is_attacked_while_it_pays() -> None:
    sizes = np.array([1, 74, 75, 76])
    groups, recoding = classes_of(sizes)
    assert Profitability().prices(groups, recoding).tolist() == [300, 300, 0, 0]
    assert Profitability(effort=0).prices(groups, recoding).tolist() == [300] * 4
    assert Profitability(gain=0).prices(groups, recoding).tolist() == [0] * 4


def test_a_suppressed_record_brings_nothing() -> None:
    loss = build(figure_5(1, 1, 1).nothing()).loss(Profitability(benefit=7))
    assert (loss.total, loss.share) == (70, 1)


def test_a_small_class_may_cost_more_than_to_suppress_it() -> None:
    groups, recoding = classes_of(np.array([1, 90]))
    measure = Profitability(benefit=100)
    both = measure.total(groups, recoding, np.array([True, True]))
    assert both == 300 > measure.total(groups, recoding, np.array([False, True])) == 100
    assert measure.floor(groups, recoding) == 0


@pytest.mark.parametrize("values", [{"benefit": 0.0}, {"damage": -1.0}, {"gain": float("inf")}])
def test_figures_out_of_range_are_refused(values: dict[str, float]) -> None:
    with pytest.raises(SpecError, match=next(iter(values))):
        Profitability(**values)
