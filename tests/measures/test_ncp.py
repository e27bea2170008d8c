import pytest
from hypothesis import given

from shoal.measures import Lm, Ncp
from tests.measures.build import build, quasi_column
from tests.measures.oracle import PlainColumn
from tests.measures.papers import figure_5
from tests.measures.tables import columns, patient


def test_a_cell_pays_the_share_of_the_values() -> None:
    loss = build(figure_5(1, 1, 0)).loss(Ncp())
    assert loss.columns == pytest.approx({"zip": 9 / 2 + 1, "marital status": 6 * 3 / 4 + 0 + 1, "sex": 1})


def test_a_value_that_stays_itself_costs_nothing_at_any_level() -> None:
    marital = quasi_column(figure_5(1, 1, 0).columns[1], [])
    assert [level.tolist() for level in Ncp().costs(marital).by_level] == [[0] * 4, [0.75, 0], [1]]


@patient
@given(column=columns())
def test_it_is_lm_for_intervals_and_at_least_lm_for_labels(column: PlainColumn) -> None:
    quasi = quasi_column(column, [])
    for mine, other in zip(Ncp().costs(quasi).by_level, Lm().costs(quasi).by_level, strict=True):
        if column.numeric:
            assert mine.tolist() == other.tolist()
        else:
            assert (mine >= other - 1e-12).all()
