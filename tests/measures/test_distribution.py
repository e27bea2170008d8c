import pytest

from shoal.measures import Distribution
from tests.measures.build import build
from tests.measures.papers import figure_5


@pytest.mark.parametrize(
    ("levels", "n_classes"), [((1, 1, 0), 3), ((0, 2, 1), 3), ((2, 1, 1), 2), ((2, 2, 1), 1), ((0, 0, 0), 0)]
)
def test_it_counts_down_from_the_records_by_the_distinct_tuples(levels: tuple[int, ...], n_classes: int) -> None:
    loss = build(figure_5(*levels)).loss(Distribution())
    assert loss.total == 10 - n_classes
    assert loss.share == pytest.approx(1 - n_classes / 10)
