import numpy as np
import pytest
from hypothesis import assume, given

from shoal.classes.tally import QuasiColumn
from shoal.measures import RelativeDistance, Stars, Tree
from shoal.tables.hierarchies.hierarchy import Hierarchy
from tests.measures.build import build, quasi_column
from tests.measures.oracle import PlainColumn, PlainRelease
from tests.measures.papers import digits, hospital
from tests.measures.tables import columns, patient

QUALITY = PlainColumn("quality", tuple((grade, grade[0], "*") for grade in ["A+", "A", "A-", "B+", "B", "B-"]))


def prices(column: PlainColumn) -> list[list[float]]:
    return [level.tolist() for level in Tree().costs(quasi_column(column, [])).by_level]


def test_the_quality_hierarchy_has_two_even_steps() -> None:
    assert prices(QUALITY) == [[0] * 6, [0.5, 0.5], [1]]


def test_a_leaf_that_stays_itself_costs_nothing() -> None:
    unbalanced = PlainColumn("u", (("a", "ab", "ab", "*"), ("b", "ab", "ab", "*"), ("c", "c", "c", "*")))
    assert prices(unbalanced) == [[0, 0, 0], [pytest.approx(1 / 3), 0], [pytest.approx(1 / 3), 0], [1]]


def test_the_root_costs_1_at_every_level_that_repeats_it() -> None:
    repeated = PlainColumn("zip", (("22030", "2203*", "220**", "*"), ("22045", "2204*", "220**", "*")))
    assert prices(repeated) == [[0, 0], [0, 0], [1], [1]]


def test_a_column_with_one_value_costs_nothing_to_publish() -> None:
    assert prices(PlainColumn("constant", (("x", "*"),))) == [[0], [0]]
    flat = Hierarchy(("x",), np.zeros((1, 1), dtype=np.int32), (("x",),))
    assert Tree().costs(QuasiColumn("flat", flat, np.array([5]))).by_level[0].tolist() == [0]


@pytest.mark.parametrize("release", [hospital(), digits()])
def test_with_suppression_hierarchies_it_counts_stars(release: PlainRelease) -> None:
    """Column 1 of the digits has the one value 9, so that no class stars it."""
    assert build(release).loss(Tree()).total == build(release).loss(Stars()).total


@patient
@given(column=columns())
def test_where_every_node_stands_at_one_level_it_is_the_relative_distance(column: PlainColumn) -> None:
    steps = range(column.height + 1)
    assume(all(column.lowest(column.cell(row[0], step).leaves) == step for row in column.rows for step in steps))
    quasi = quasi_column(column, [])
    assert prices(column) == [level.tolist() for level in RelativeDistance().costs(quasi).by_level]
