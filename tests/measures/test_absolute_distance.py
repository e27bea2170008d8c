import pytest

from shoal.measures import AbsoluteDistance
from tests.measures.build import build, full_domain
from tests.measures.papers import FIGURE_1, FIGURE_3, figure_5


@pytest.mark.parametrize("levels", [(0, 0, 0), (1, 1, 0), (2, 1, 0), (2, 2, 1)])
def test_with_nothing_suppressed_each_record_pays_the_sum_of_the_distance_vector(levels: tuple[int, ...]) -> None:
    loss = build(full_domain(FIGURE_3, FIGURE_1, levels)).loss(AbsoluteDistance())
    assert loss.total == 10 * sum(levels)
    assert loss.share == pytest.approx(sum(levels) / 5)


def test_a_suppressed_record_pays_all_steps() -> None:
    loss = build(figure_5(1, 1, 0)).loss(AbsoluteDistance())
    assert loss.total == 9 * 2 + 5
    assert loss.columns == {"zip": 9 + 2, "marital status": 9 + 2, "sex": 1}


def test_of_the_minimal_generalizations_it_prefers_the_lower() -> None:
    """Both suppress one record, the other has the vector [0, 2, 1]."""
    losses = [build(figure_5(*levels)).loss(AbsoluteDistance()).total for levels in [(1, 1, 0), (0, 2, 1)]]
    assert losses == [23, 9 * 3 + 5]
