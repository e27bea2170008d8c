"""Grids, against plain rounding: floor and ceiling for numbers, walking through the calendar for dates."""

from collections.abc import Callable
from datetime import date, timedelta
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement
from math import floor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from shoal.foundation.errors import SpecError
from shoal.foundation.members import fields_of
from shoal.tables.hierarchies import Hierarchy, Ranges
from shoal.tables.hierarchies.grid import default_step

NUMBERS = st.lists(
    st.one_of(st.integers(-40, 400).map(str), st.integers(-400, 400).map(lambda n: f"{n / 10:.1f}")),
    min_size=1,
    max_size=7,
    unique_by=Fraction,
)
DAYS = st.lists(st.dates(date(1899, 12, 20), date(1901, 3, 10)), min_size=1, max_size=7, unique=True)
STEPS = [Fraction(1, 5), Fraction(1, 2), Fraction(1), Fraction(2), Fraction(5), Fraction(20), Fraction(100)]


def built(grid: Any, *values: str) -> Hierarchy:
    return Ranges(grid=grid).build(values, "column", Path())


@cache
def first_day(period: str, day: date) -> date:
    """Walk back to the first day of a period."""
    starts: dict[str, Callable[[date], bool]] = {
        "week": lambda d: d.weekday() == 0,
        "month": lambda d: d.day == 1,
        "quarter": lambda d: d.day == 1 and d.month in (1, 4, 7, 10),
        "year": lambda d: (d.day, d.month) == (1, 1),
    }
    while not starts[period](day):
        day -= timedelta(days=1)
    return day


@cache
def last_day(period: str, day: date) -> date:
    """Walk on to the last day of a period."""
    while first_day(period, day + timedelta(days=1)) == first_day(period, day):
        day += timedelta(days=1)
    return day


@settings(max_examples=150)
@given(NUMBERS, st.sampled_from(STEPS))
def test_numbers_are_rounded_outward(values: list[str], step: Fraction) -> None:
    hierarchy = built(step, *values)
    assert hierarchy.grid is not None
    assert hierarchy.places is not None
    numbers = [Fraction(str(value)) for value in hierarchy.values]
    assert numbers == sorted(map(Fraction, values))
    whole = step.denominator == 1 and all(number.denominator == 1 for number in numbers)
    cells = [floor(number / step) for number in numbers]
    firsts, lasts = hierarchy.edges
    low, high = hierarchy.places
    for i, j in combinations_with_replacement(range(len(values)), 2):
        begin, end = (Fraction(text) for text in hierarchy.grid.texts(i, j))
        assert begin == cells[i] * step
        assert end == (cells[j] + 1) * step - (1 if whole else 0)
        inside = [n for n, cell in enumerate(cells) if cells[i] <= cell <= cells[j]]
        assert (inside[0], inside[-1]) == (firsts[i], lasts[j])
        width = min(end, numbers[-1]) - max(begin, numbers[0])
        assert high[j] - low[i] == pytest.approx(float(width))


@settings(max_examples=60)
@given(DAYS, st.sampled_from(["week", "month", "quarter", "year"]))
def test_days_are_rounded_to_whole_periods(days: list[date], period: str) -> None:
    hierarchy = built(period, *(day.isoformat() for day in days))
    assert hierarchy.grid is not None
    assert hierarchy.places is not None
    firsts, lasts = hierarchy.edges
    low, high = hierarchy.places
    ordered = sorted(days)
    for i, j in combinations_with_replacement(range(len(days)), 2):
        begin, end = first_day(period, ordered[i]), last_day(period, ordered[j])
        assert hierarchy.grid.texts(i, j) == (begin.isoformat(), end.isoformat())
        inside = [n for n, day in enumerate(ordered) if begin <= day <= end]
        assert (inside[0], inside[-1]) == (firsts[i], lasts[j])
        assert high[j] - low[i] == (min(end, ordered[-1]) - max(begin, ordered[0])).days


def test_the_ends_of_the_calendar() -> None:
    hierarchy = built("week", "0001-01-01", "9999-12-31")
    assert hierarchy.grid is not None
    assert hierarchy.grid.texts(0, 1) == ("0001-01-01", "9999-12-31")
    hierarchy = built("year", "0001-06-01", "9999-06-01T10:00")
    assert hierarchy.grid is not None
    assert hierarchy.grid.texts(0, 1) == ("0001-01-01", "9999-12-31")


@pytest.mark.parametrize(
    ("by", "values", "step"),
    [
        ("number", ["5634", "250397"], 2000),
        ("number", ["17", "90"], 2),  # ages
        ("number", ["20", "80"], 2),
        ("number", ["20", "79"], 1),  # as fine as the values
        ("number", ["0", "199"], 2),
        ("number", ["0", "200"], 2),
        ("number", ["0", "-500"], 5),
        ("number", ["0", "999999"], 5000),
        ("number", ["36.5", "41.5"], Fraction(1, 10)),
        ("number", ["36.5", "42.5"], Fraction(1, 5)),
        ("number", ["36.50", "41.50"], Fraction(1, 20)),
        ("number", ["7", "7.0"], "none"),
        ("number", [], "none"),
        ("day", ["1930-01-01", "2020-01-01"], "year"),
        ("day", ["1970-01-01", "2020-03-08"], "year"),  # 50 times 366 days
        ("day", ["1970-01-01", "2020-02-07"], "quarter"),
        ("day", ["2000-01-01", "2012-08-05"], "quarter"),
        ("day", ["2000-01-01", "2012-08-04"], "month"),
        ("day", ["2000-01-01", "2004-03-30"], "month"),
        ("day", ["2000-01-01", "2004-03-29"], "week"),
        ("day", ["2024-01-01", "2024-05-20"], "week"),
        ("day", ["2024-01-01", "2024-05-19"], "none"),
        ("text", ["a", "b"], "none"),
    ],
)
def test_the_default_follows_the_range(by: str, values: list[str], step: Any) -> None:
    assert default_step(by, values) == step


@given(st.lists(st.integers(0, 60_000), max_size=20))
def test_the_default_does_not_depend_on_the_values_between(between: list[int]) -> None:
    values = ["0", "60000", *map(str, between)]
    assert Ranges().completed(values).grid == Ranges().completed(["0", "60000"]).grid == 500
    cells = [built(500, *dict.fromkeys(values)), built(500, "0", "60000")]
    for hierarchy in cells:
        assert hierarchy.grid is not None
        assert hierarchy.grid.texts(0, hierarchy.n_leaves - 1) == ("0", "60499")


@pytest.mark.parametrize(
    ("grid", "values", "fine"),
    [
        (1, ["3", "4", "9"], True),
        (2, ["3", "4", "9"], False),
        (2, ["3", "5", "9"], True),
        (2, ["3", "90"], True),  # no two values that are so near can be told
        (1000, ["3000", "4000", "9000"], True),
        (2000, ["3000", "4000", "9000"], False),
        (0.1, ["36.5", "36.6"], True),
        ("week", ["2024-01-02", "2024-01-09", "2024-01-23"], True),
        ("week", ["2024-01-02", "2024-01-08"], False),
        ("month", ["2024-01-01", "2024-02-01", "2024-05-01"], True),
        ("month", ["2024-01-31", "2024-02-29"], True),
        ("month", ["2024-01-01", "2024-01-02", "2024-02-02"], False),
    ],
)
def test_a_grid_as_fine_as_the_values_is_told(grid: Any, values: list[str], fine: bool) -> None:
    cells = built(grid, *values).grid
    assert cells is not None
    assert cells.fine is fine
    assert cells.with_apart([None]).fine is fine


def test_none_and_no_grid_have_no_cells() -> None:
    for grid in ("none", None):
        hierarchy = built(grid, "31", "38")
        assert hierarchy.grid is None
        assert hierarchy.places is not None
        assert [side.tolist() for side in hierarchy.places] == [[0, 7], [0, 7]]
        assert [side.tolist() for side in hierarchy.edges] == [[0, 1], [0, 1]]
    assert built("none", "a", "b").grid is None
    assert built(5).grid is None


def test_a_given_grid_is_not_changed_and_a_missing_one_is_completed() -> None:
    assert Ranges(grid="none").completed(["1", "1000"]).grid == "none"
    assert Ranges(grid=7).completed(["1", "1000"]).grid == 7
    assert Ranges().completed(["1", "1000"]).grid == 5
    assert Ranges(order=("a", "b")).completed(["a"]).grid == "none"
    assert Ranges(by="text").completed(["1", "1000"]).grid == "none"
    assert Ranges().without_grid().grid == "none"
    assert Ranges(grid=7).without_grid().grid == 7


@pytest.mark.parametrize("grid", [5, "1/3", 0.25, "month", "none"])
def test_a_grid_is_read_as_it_is_written(grid: Any) -> None:
    adapter = TypeAdapter(Ranges)
    recipe = adapter.validate_python({"grid": grid})
    assert adapter.validate_python(fields_of(recipe)) == recipe
    assert fields_of(recipe) == {"grid": grid}


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"grid": 0}, "a step above 0"),
        ({"grid": -5}, "a step above 0"),
        ({"grid": 5, "by": "day"}, "is a period: week, month, quarter, year or none"),
        ({"grid": "month", "by": "number"}, "is a step, such as 5"),
        ({"grid": 5, "by": "text"}, "have no grid"),
        ({"grid": 5, "order": ("a", "b")}, "have no grid"),
        ({"grid": "decade"}, "a step above 0, or one of: none, week, month, quarter, year"),
        ({"grid": True}, "a step above 0, or one of"),
        ({"grid": [5]}, "a step above 0, or one of"),
    ],
)
def test_a_grid_that_does_not_go_with_the_values_is_refused(fields: dict[str, Any], words: str) -> None:
    with pytest.raises(ValidationError, match=words):
        TypeAdapter(Ranges).validate_python(fields)


@pytest.mark.parametrize(("grid", "values"), [(5, ["2024-01-01"]), ("month", ["7"]), (5, ["SECRET"])])
def test_values_that_a_grid_does_not_fit_are_not_named(grid: Any, values: list[str]) -> None:
    with pytest.raises(SpecError, match=r"^The ranges of column 'column' go by \w+, and ") as caught:
        built(grid, *values)
    assert values[0] not in str(caught.value)
