from fractions import Fraction
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.classes.grouping import Parts
from shoal.measures import MEASURES, CellMeasure
from shoal.search.bounds.grid import PriceGrid
from shoal.search.local.forms import forms_of
from shoal.search.local.partition import solution_of
from tests.oracles.local.random_jobs import FORMS, random_local
from tests.oracles.local.tables import Form, LocalTable, local_problem
from tests.oracles.plain import Rules

CELLS = [member.name for member in MEASURES if isinstance(member(), CellMeasure)]


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


def test_a_denominator_of_up_to_a_thousand_is_exact() -> None:
    assert PriceGrid.of(np.array([0.0, 1 / 1000])) == PriceGrid(1 / 1000, exact=True)
    assert not PriceGrid.of(np.array([0.0, 1 / 1001])).exact


def test_a_common_denominator_above_ten_million_is_none() -> None:
    assert PriceGrid.of(1 / np.array([997, 991, 7])) == PriceGrid(1 / (997 * 991 * 7), exact=True)
    assert not PriceGrid.of(1 / np.array([997, 991, 13])).exact


def test_rounding_errors_are_measured_by_the_largest_price() -> None:
    assert PriceGrid.of(np.array([1e6, 1 / 3 + 1e-8])) == PriceGrid(1 / 3, exact=True)
    assert not PriceGrid.of(np.array([1.0, 1 / 3 + 1e-8])).exact
    assert not PriceGrid.of(np.array([1e-2, 5e-3 + 1e-14])).exact


def test_without_a_common_unit_the_largest_price_has_2_to_the_40() -> None:
    """So that sums over a million records fit into 64 bits."""
    assert PriceGrid.of(np.array([1.0, -np.pi])) == PriceGrid(np.pi / 2**40, exact=False)
    assert PriceGrid.fine(np.array([1e-6])) == PriceGrid(1e-6 / 2**40, exact=False)
    for nothing in (np.zeros(2), np.zeros(0)):
        assert PriceGrid.fine(nothing) == PriceGrid(2.0**-40, exact=False)


def test_an_amount_is_so_many_units() -> None:
    assert PriceGrid(0.25, exact=True).amount(7) == 1.75


@pytest.mark.parametrize(
    ("measure", "forms"),
    [
        pytest.param(measure, forms, marks=pytest.mark.deep if (i + j) % 3 else (), id=f"{measure}-{'-'.join(forms)}")
        for i, measure in enumerate(CELLS)
        for j, forms in enumerate([*((form,) for form in FORMS), FORMS])
    ],
)
def test_every_loss_is_a_whole_number_of_units_unless_prices_are_logarithms(
    measure: str, forms: tuple[Form, ...]
) -> None:
    exact = []
    for seed in range(6):
        rng = Random(seed)  # noqa: S311
        table = random_local(rng, 8, forms=forms, missing=seed % 3 == 0)
        problem = local_problem(table, Rules(()), measure)
        assert isinstance(problem.measure, CellMeasure)
        grid = PriceGrid.of_forms(forms_of(problem.tally.quasi, problem.measure))
        exact.append(grid.exact)
        for n_classes in (1, 2, 2, 3, 5):
            drawn = [rng.randrange(n_classes) for _ in range(problem.tally.n_points)]
            labels = np.unique(drawn, return_inverse=True)[1].astype(np.int32)
            found = solution_of(problem, Parts.whole(problem.tally, labels)).loss
            for lost in found.columns.values():
                units = lost / grid.unit
                assert units == pytest.approx(round(units), abs=1e-6) or not grid.exact
                assert grid.exact or units <= problem.tally.n_records * 2.0**40 * (1 + 1e-12)
    assert all(exact) == ("entropy" not in measure)


@pytest.mark.parametrize("form", ["ranges", "sets"])
def test_a_fine_unit_is_measured_by_the_records_of_a_column(form: Form) -> None:
    """An entropy is below their number, whatever part of them it is of; the other sums do not count."""
    rows = {value: (value, "*") for value in "abc"}
    table = LocalTable([{"q": value} for value in "abc"] * 8, {"q": rows}, forms={"q": form})
    problem = local_problem(table, Rules(()), "entropy")
    assert isinstance(problem.measure, CellMeasure)
    unit = PriceGrid.of_forms(forms_of(problem.tally.quasi, problem.measure)).unit
    assert unit * 2**40 == 24
