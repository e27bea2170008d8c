"""What became of each column."""

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.audits.utility.marginals import Marginal, marginal, summary
from tests.audits.plain_utility import scale, shares, spread_evenly, variation

AGES = [str(n) for n in range(20, 40)]


def compared(raw: Sequence[str | None], shown: Sequence[str | None], least: int = 1) -> Marginal:
    return marginal(scale(raw, shown, least), "quasi", None, least)


def covers(cell: str) -> list[str]:
    if "-" not in cell:
        return AGES if cell == "*" else [cell]
    low, high = cell.split("-")
    return [age for age in AGES if int(low) <= int(age) <= int(high)]


@given(
    st.lists(st.one_of(st.none(), st.sampled_from(AGES)), max_size=30),
    st.lists(st.sampled_from([None, "*", "20-29", "25-34", "20-39", "21", "33"]), min_size=1, max_size=30),
    st.integers(1, 4),
)
def test_total_variation_is_that_of_plain_counting(raw: list[str | None], shown: list[str | None], least: int) -> None:
    raw = [*AGES, *raw]
    found = compared(raw, shown, least)
    before = shares([spread_evenly(value, lambda one: [one], len(AGES)) for value in raw])
    after = shares([spread_evenly(cell, covers, len(AGES)) for cell in shown])
    assert found.exact
    assert found.total_variation == pytest.approx(variation(before, after))
    assert found.suppressed == sum(cell in ("*", "20-39") for cell in shown)
    assert found.kept == sum(cell in ("21", "33") for cell in shown)
    assert found.missing == (raw.count(None), shown.count(None))
    assert found.distinct == (20, len(set(shown) - {None, "*", "20-39"}))
    assert found.values is not None
    assert {value: count for value, count, _ in found.values} == Counter(value for value in raw if value is not None)


def test_a_column_that_is_wholly_suppressed_is_as_far_as_can_be() -> None:
    assert compared(["F", "M"], ["*", "*"]).total_variation == 1
    assert compared(["F", "M"], ["{F, M}", "{F, M}"]).total_variation == 1


def test_ranges_count_as_their_middles() -> None:
    found = compared(["20", "21", "30", "39"], ["20-21", "20-21", "30-39", "*"])
    assert found.before is not None
    assert found.after is not None
    assert (found.before.records, found.before.mean) == (4, 27.5)
    assert found.after.records == 3
    assert found.after.mean == pytest.approx((20.5 + 20.5 + 34.5) / 3)
    assert found.shift == pytest.approx((found.after.mean - 27.5) / np.std([20, 21, 30, 39]))
    told = found.as_dict()["numbers"]
    assert told["before"]["mean"] == 27.5
    assert compared(["a", "b"], ["a", "b"]).as_dict()["numbers"] is None


def test_days_are_told_as_dates() -> None:
    told = compared(["2024-01-01", "2024-01-03"], ["2024-01-01", "2024-01-03"]).as_dict()["numbers"]
    assert told["after"]["mean"] == "2024-01-02"
    assert told["after"]["deviation"] == 1


@given(st.lists(st.integers(-50, 50), min_size=1, max_size=40), st.integers(1, 6))
def test_a_quantile_is_the_mean_of_the_records_around_its_rank(numbers: list[int], least: int) -> None:
    counts = Counter(numbers)
    different = np.array([*counts, np.nan])
    found = summary(different, np.array([*counts.values(), 7]), np.array([*counts.values(), 7]), least)
    if len(numbers) < least:
        assert found is None
        return
    assert found is not None
    assert found.records == len(numbers)
    assert found.mean == pytest.approx(np.mean(numbers))
    assert found.deviation == pytest.approx(np.std(numbers))
    fine = np.repeat(np.sort(numbers), 20)  # each record as twenty parts
    for share, quantile in found.quantiles.items():
        start = min(max(share * len(fine) - least * 10, 0), len(fine) - least * 20)
        assert quantile == pytest.approx(fine[round(start) : round(start) + least * 20].mean())
    middle = found.quantiles[0.5]
    assert min(numbers) - 1e-9 <= middle <= max(numbers) + 1e-9


def test_too_many_numbers_are_compared_by_bins() -> None:
    raw = [str(n) for n in range(1500)]
    found = compared(raw, raw)
    assert not found.exact
    assert found.total_variation == 0
    assert found.values is None


def test_rare_values_are_told_only_where_they_are_asked_for() -> None:
    found = compared(["a"] * 9 + ["rare"], ["a"] * 9 + ["rare"], 5)
    assert "rare" not in str(found.as_dict())
    assert {"value": "rare", "before": 1, "after": 1.0} in found.as_dict(show=True)["values"]
