import pytest

from shoal.measures import Lm
from tests.measures.build import build, hierarchy_of, publish, quasi_column
from tests.measures.oracle import PlainColumn
from tests.measures.papers import figure_5

AGES = PlainColumn("age", (("20", "20-29", "*"), ("25", "20-29", "*"), ("40", "40-49", "*")), numeric=True)


def prices(column: PlainColumn) -> list[list[float]]:
    return [level.tolist() for level in Lm().costs(quasi_column(column, [])).by_level]


def test_a_cell_pays_the_share_of_the_other_values() -> None:
    loss = build(figure_5(1, 1, 0)).loss(Lm())
    assert loss.columns == pytest.approx({"zip": 9 / 3 + 1, "marital status": 6 * 2 / 3 + 0 + 1, "sex": 1})


def test_an_interval_pays_its_width() -> None:
    assert prices(AGES) == [[0, 0, 0], [0.25, 0], [1]]


@pytest.mark.parametrize("numeric", [True, False])
def test_a_column_with_one_value_costs_nothing_to_publish(numeric: bool) -> None:
    constant = PlainColumn("constant", (("7", "*"),), numeric=numeric)
    assert prices(constant) == [[0], [0]]
    assert build(publish([constant], [("7",)] * 2, [[1], None])).loss(Lm()).total == 1


def test_the_missing_value_has_no_width() -> None:
    column = quasi_column(AGES, [])
    missing = type(column)("age", hierarchy_of(AGES).with_missing(), column.leaf_counts)
    assert [level.tolist() for level in Lm().costs(missing).by_level] == [[0, 0, 0, 0], [0.25, 0, 0], [1]]
