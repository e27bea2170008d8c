import pytest

from shoal.measures import Suppression
from tests.measures.build import build
from tests.measures.papers import figure_5


@pytest.mark.parametrize(("levels", "suppressed"), [((1, 1, 0), 1), ((1, 0, 0), 7), ((0, 0, 0), 10), ((2, 1, 1), 0)])
def test_it_counts_the_suppressed_records_of_definition_3_4(levels: tuple[int, ...], suppressed: int) -> None:
    loss = build(figure_5(*levels)).loss(Suppression())
    assert loss.total == suppressed
    assert loss.share == pytest.approx(suppressed / 10)
    assert set(loss.columns.values()) == {suppressed}
