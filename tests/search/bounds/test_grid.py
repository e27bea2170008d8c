from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.search.bounds.grid import PriceGrid


def test_stars_are_counted_in_ones() -> None:
    grid = PriceGrid.of(np.array([0.0, 1.0, 1.0, 3.0]))
    assert grid == PriceGrid(1.0, exact=True)
    assert grid.whole(np.array([0.0, 4.0])).tolist() == [0, 4]


def test_prices_of_levels_have_a_common_unit() -> None:
    grid = PriceGrid.of(np.array([0.0, 1 / 3, 2 / 3, 1.0, 0.25]))
    assert grid.exact
    assert grid.unit == 1 / 12
    assert grid.whole(np.array([1 / 3 + 0.25, 1 / 3 + 1 / 3 + 1 / 3])).tolist() == [7, 12]


@given(st.lists(st.fractions(0, 5, max_denominator=12), min_size=1, max_size=8))
def test_sums_of_fractions_are_exact(prices: list[Fraction]) -> None:
    floats = np.array([float(price) for price in prices])
    grid = PriceGrid.of(floats)
    assert grid.exact
    total = grid.whole(np.array([floats.sum()]))[0]
    assert Fraction(int(total), round(1 / grid.unit)) == sum(prices)


@given(st.lists(st.floats(0, 100), min_size=1, max_size=8))
def test_what_has_no_common_unit_is_rounded_down_by_less_than_a_unit(prices: list[float]) -> None:
    amounts = np.array([*prices, np.sqrt(2), np.pi])
    grid = PriceGrid.of(amounts)
    assert not grid.exact
    found = grid.whole(amounts) * grid.unit
    assert (found <= amounts * (1 + 1e-15)).all()
    assert found == pytest.approx(amounts, abs=1.01 * grid.unit)


def test_no_price_at_all_is_a_grid_of_ones() -> None:
    assert PriceGrid.of(np.zeros(3)) == PriceGrid(1.0, exact=True)
