"""Places of a column, and how cells are spread over them."""

import random
from datetime import date, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.audits.utility.scales import Scale
from tests.audits.plain_utility import scale

CELLS = st.sampled_from(["0-4", "5-9", "3", "12", "10+", "*", None, "[2, 8)", "7.5"])
VALUES = st.one_of(st.none(), st.integers(0, 30).map(str))


def labels(found: Scale) -> list[str]:
    return [place.label for place in found.bins[: found.n_value_bins]]


@given(st.lists(VALUES, min_size=1, max_size=40), st.lists(CELLS, min_size=1, max_size=30), st.integers(1, 5))
def test_no_record_is_lost_on_the_way(raw: list[str | None], shown: list[str | None], least: int) -> None:
    found = scale([*raw, *(str(n) for n in range(31))], shown, least)
    np.testing.assert_allclose(found.shares.sum(axis=1), 1)
    assert found.before.sum() == len(raw) + 31
    assert found.after.sum() == pytest.approx(len(shown))
    told = found.before[: found.n_value_bins]
    assert found.bins or (told >= least).all()
    if found.bins and found.n_value_bins > 1:
        assert (told >= least).all()
    places = found.as_dict()["places"]
    assert sum(place["before"] for place in places) == pytest.approx(1)
    assert sum(place["after"] for place in places) == pytest.approx(1)


def test_few_values_have_a_place_each_in_their_order() -> None:
    found = scale(["10", "9", "9", "100"], ["9-50", "100"])
    assert labels(found) == ["9", "10", "100"]
    assert found.before.tolist() == [2, 1, 1, 0, 0, 0]
    assert found.after.tolist() == [0.5, 0.5, 1, 0, 0, 0]


def test_many_numbers_are_put_into_round_bins_by_width() -> None:
    found = scale([str(n) for n in range(100)], ["0-9", "95-99", "12"])
    assert labels(found)[:3] == ["< 5", "5 - 9", "10 - 14"]
    assert found.bins
    assert found.after[:3].tolist() == [0.5, 0.5, 1]
    assert found.after[found.n_value_bins - 1] == 1
    first, second = found.as_dict()["places"][:2]
    assert (first["from"], first["to"], second["from"], second["to"]) == (None, 5, 5, 10)


def test_bins_with_too_few_records_are_joined_with_their_neighbours() -> None:
    raw = [str(n % 20) for n in range(200)] + ["970", "1000"]
    assert labels(scale(raw, raw, 5)) == ["all"]
    spread = [str(n) for n in range(200)] + ["970", "1000"]
    assert labels(scale(spread, spread, 5))[-1] == ">= 100"


def test_parts_of_numbers_have_edges_without_noise() -> None:
    raw = [f"{n / 10}" for n in range(30)]
    assert labels(scale(raw, raw))[:3] == ["< 0.2", "0.2 - < 0.4", "0.4 - < 0.6"]


@pytest.mark.parametrize(
    ("days", "second"),
    [
        (15, "2024-01-02"),
        (100, "2024-01-08 - 2024-01-14"),
        (400, "2024-02-01 - 2024-02-29"),
        (3000, "2024-07-01 - 2024-12-31"),
    ],
)
def test_days_are_put_together_by_the_calendar(days: int, second: str) -> None:
    raw = [str(date(2024, 1, 1) + timedelta(n)) for n in range(days)]
    found = scale(raw, raw, binned=True)
    assert labels(found)[1].startswith(second)
    assert found.n_value_bins <= 22
    assert isinstance(found.as_dict()["places"][1]["from"], str)


def test_rare_categories_have_no_name() -> None:
    raw = [*"aaaaabbbcd", None]
    found = scale(raw, ["{a, c}", "b", "*"], 3)
    assert labels(found) == ["a", "b", "other values"]
    assert found.before.tolist() == [5, 3, 2, 0, 1, 0]
    assert found.after.tolist() == [0.5, 1, 0.5, 1, 0, 0]
    assert "c" not in [place["label"] for place in found.as_dict()["places"]]


def test_only_the_most_frequent_of_many_categories_have_a_place() -> None:
    draw = random.Random(1)  # noqa: S311
    raw = [f"v{draw.randrange(50)}" for _ in range(2000)]
    found = scale(raw, raw, 2)
    assert found.n_value_bins == 20
    assert labels(found)[-1] == "other values"
    assert found.before.tolist() == found.after.tolist()


def test_numbers_beside_the_raw_ones_fall_into_bins() -> None:
    found = scale(["1", "2", "3", "4"], ["2.5", "99", "-7"])
    assert found.bins
    assert found.after[: found.n_value_bins].sum() == 3
    assert (found.after[0], found.after[found.n_value_bins - 1]) == (1, 1)
