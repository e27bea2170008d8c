from math import log2

import pytest

from shoal.measures import Entropy, MonotoneEntropy
from tests.measures.build import build, quasi_column
from tests.measures.oracle import PlainColumn
from tests.measures.papers import SKEWED, digits, hospital, skewed


@pytest.mark.parametrize(("m", "b"), [(8, 4), (8, 2), (12, 3), (6, 6)])
def test_example_4_9_a_uniform_node_of_b_out_of_m_values(m: int, b: int) -> None:
    uniform = PlainColumn("u", tuple((str(value), str(value // b), "*") for value in range(m)))
    column = quasi_column(uniform, [str(value) for value in range(m)] * 3)
    assert Entropy().costs(column).by_level[1] == pytest.approx([log2(b)] * (m // b))
    assert MonotoneEntropy().costs(column).by_level[1] == pytest.approx([b / m * log2(b)] * (m // b))


@pytest.mark.parametrize(("rare", "n_records"), [(1, 8), (1, 1000)])
def test_tables_1_and_2(rare: int, n_records: int) -> None:
    column = quasi_column(SKEWED, skewed(rare, n_records))
    costs, plain = MonotoneEntropy().costs(column), Entropy().costs(column)
    epsilon = rare / n_records
    assert costs.by_level[1] == pytest.approx([(1 - 2 * epsilon) * plain.by_level[1][0], 2 * epsilon])
    assert costs.by_level[2] == pytest.approx(plain.by_level[2])
    assert costs.full == pytest.approx(plain.full)
    assert max(costs.by_level[1]) <= costs.full


def test_with_suppression_hierarchies_it_is_the_entropy() -> None:
    for release in (hospital(), digits()):
        built = build(release)
        assert built.loss(MonotoneEntropy()).columns == pytest.approx(built.loss(Entropy()).columns)


def test_an_absent_node_costs_nothing() -> None:
    costs = MonotoneEntropy().costs(quasi_column(SKEWED, ["1", "2"]))
    assert costs.by_level[1].tolist() == [1, 0]
