from datetime import date
from pathlib import Path

import pytest
from pydantic import TypeAdapter, ValidationError

from shoal.foundation.errors import SpecError
from shoal.tables.hierarchies import Dates, Hierarchy, Intervals, Ranges, Suppression


def build(spec: Ranges, *values: str) -> Hierarchy:
    return spec.build(values, "age", Path())


def positions(hierarchy: Hierarchy) -> list[float]:
    assert hierarchy.positions is not None
    return hierarchy.positions.tolist()


def test_numbers_have_intervals_as_levels_and_their_own_places() -> None:
    ages = [str(age) for age in range(17, 91)]
    hierarchy, intervals = build(Ranges(), *ages), Intervals(widths=(5, 10, 20, 40)).build(ages, "age")
    assert hierarchy.form == "ranges"
    assert hierarchy.labels == intervals.labels
    assert hierarchy.spans is not None
    assert hierarchy.spans[-1].tolist() == [73]
    assert positions(hierarchy) == list(range(74))


def test_numbers_are_in_the_order_of_their_values() -> None:
    hierarchy = build(Ranges(), "10", "9", "-1.5", "1e1", "40")
    assert hierarchy.values == ("-1.5", "9", "10", "1e1", "40")
    assert positions(hierarchy) == [0, 10.5, 11.5, 11.5, 41.5]


@pytest.mark.parametrize(
    ("values", "places"),
    [(("0", "1"), [0, 1]), (("7", "7.0"), [0, 0]), (("-0", "0"), [0, 0]), (("7",), [0]), ((), [])],
)
def test_numbers_too_near_for_an_interval_are_kept_or_suppressed(values: tuple[str, ...], places: list[float]) -> None:
    hierarchy = build(Ranges(), *values)
    assert hierarchy.labels == (values, ("*",))
    assert positions(hierarchy) == places
    assert positions(hierarchy.with_missing()) == [*places, max(places, default=0)]


def test_dates_have_the_calendar_as_levels_and_days_as_places() -> None:
    days = ["2024-03-02T10:00", "2023-12-31", "2024-03-02"]
    hierarchy = build(Ranges(), *days)
    assert hierarchy.labels == Dates().build(days, "born").labels
    assert hierarchy.values == ("2023-12-31", "2024-03-02", "2024-03-02T10:00")
    apart = (date(2024, 3, 2) - date(2023, 12, 31)).days
    assert positions(hierarchy) == [0, apart, apart]


def test_texts_are_ordered_by_text_and_have_no_places() -> None:
    hierarchy = build(Ranges(), "b", "10", "a", "9")
    assert hierarchy.labels == Suppression().build(["a", "b", "9", "10"], "age").labels
    assert hierarchy.values == ("10", "9", "a", "b")
    assert hierarchy.positions is None


def test_a_given_order_is_the_domain() -> None:
    hierarchy = build(Ranges(order=("low", "middle", "high")), "high", "low")
    assert hierarchy.form == "ranges"
    assert hierarchy.labels == (("low", "middle", "high"), ("*",))
    assert hierarchy.positions is None
    with pytest.raises(SpecError, match=r"^The hierarchy of column 'age' lacks 1 of the 2 different values"):
        hierarchy.encode(["low", "SECRET"], "age")


def test_only_a_given_order_stays_when_a_value_is_gone() -> None:
    assert Ranges(order=("a", "b")).fixed
    assert not Ranges().fixed


def test_the_request_is_checked() -> None:
    with pytest.raises(ValueError, match=r"^'order' names a value twice: at positions 1 and 3$"):
        Ranges(order=("SECRET", "b", "SECRET"))
    with pytest.raises(ValidationError, match="names a value twice: at positions 1 and 2"):
        TypeAdapter(Ranges).validate_python({"order": ["a", "a"]})
    assert TypeAdapter(Ranges).validate_python({"order": ["b", "a"]}) == Ranges(order=("b", "a"))
