from math import log2

import pytest
from hypothesis import given

from shoal.measures import Entropy, NonuniformEntropy
from tests.measures.build import build, publish, quasi_column
from tests.measures.oracle import PlainColumn, PlainRelease
from tests.measures.papers import SKEWED, skewed
from tests.measures.tables import full_domain_releases, patient


def price(values: list[str], value: str, level: int) -> float:
    """Return what one record more pays when it alone is generalized."""
    number = values.index(value)
    levels = [[level if other == number else 0] for other in range(len(values))]
    return build(publish([SKEWED], [(each,) for each in values], levels)).loss(NonuniformEntropy()).total


@pytest.mark.parametrize("n_records", [8, 1000])
def test_tables_1_and_2(n_records: int) -> None:
    values, epsilon = skewed(1, n_records), 1 / n_records
    assert price(values, "1", 1) == pytest.approx(-log2((1 - 3 * epsilon) / (1 - 2 * epsilon)), abs=1e-9)
    assert price(values, "2", 1) == pytest.approx(-log2(epsilon / (1 - 2 * epsilon)))
    assert price(values, "3", 1) == price(values, "4", 1) == pytest.approx(1)
    assert price(values, "1", 2) == pytest.approx(-log2(1 - 3 * epsilon), abs=1e-9)
    for rare in "234":
        assert price(values, rare, 2) == pytest.approx(log2(n_records))


def test_equation_8_the_loss_of_the_whole_table() -> None:
    release = publish([SKEWED], [(value,) for value in skewed(1, 8)], [[1]] * 8)
    expected = 8 * (5 / 8 * log2(6 / 5) + 1 / 8 * log2(6) + 2 / 8)
    assert build(release).loss(NonuniformEntropy()).total == pytest.approx(expected)


@patient
@given(release=full_domain_releases())
def test_lemma_4_13_with_one_level_per_column_it_is_the_entropy(release: PlainRelease) -> None:
    built = build(release)
    assert built.loss(NonuniformEntropy()).columns == pytest.approx(built.loss(Entropy()).columns, abs=1e-9)


def test_example_4_4_with_some_records_hidden_it_is_not() -> None:
    column = PlainColumn("value", (("1", "*"), ("2", "*"), ("3", "*")))
    release = build(publish([column], [("1",), ("2",), ("3",), ("3",)], [[1], [1], [0], [0]]))
    assert release.loss(NonuniformEntropy()).total == pytest.approx(4)
    assert release.loss(Entropy()).total == pytest.approx(3)


def test_suppressed_records_pay_the_rarity_of_their_values() -> None:
    release = publish([SKEWED], [(value,) for value in skewed(1, 8)], [[0]] * 5 + [None] * 3)
    assert build(release).loss(NonuniformEntropy()).total == pytest.approx(3 * log2(8))


def test_an_absent_node_is_priced_below_all_others() -> None:
    costs = NonuniformEntropy().costs(quasi_column(SKEWED, ["1", "1", "2", "2"]))
    assert [prices.tolist() for prices in costs.by_level] == [[-1, -1, -2, -2], [0, -2], [0]]
    assert (costs.full, costs.offset) == (0, 4)
