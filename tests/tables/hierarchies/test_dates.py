from datetime import date
from pathlib import Path

import pytest
from pydantic import TypeAdapter, ValidationError

from shoal.foundation.errors import SpecError
from shoal.tables.hierarchies import Dates, Hierarchy


def build(spec: Dates, *values: str) -> Hierarchy:
    return spec.build(values, "birth", Path())


def test_days_by_the_calendar() -> None:
    hierarchy = build(Dates(), "2024-04-30", "2024-03-01", "1999-12-31")
    assert hierarchy.labels == (
        ("1999-12-31", "2024-03-01", "2024-04-30"),
        ("1999-12", "2024-03", "2024-04"),
        ("1999-Q4", "2024-Q1", "2024-Q2"),
        ("1999", "2024"),
        ("1990s", "2020s"),
        ("*",),
    )


def test_spans_are_days_within_the_range() -> None:
    hierarchy = build(Dates(), "2023-01-10", "2023-02-15", "2024-03-01")
    assert hierarchy.spans is not None
    total = (date(2024, 3, 1) - date(2023, 1, 10)).days
    year = (date(2024, 1, 1) - date(2023, 1, 10)).days
    assert [span.tolist() for span in hierarchy.spans] == [
        [0, 0, 0],
        [22, 28, 0],
        [81, 60],
        [year, 60],
        [total],
        [total],
    ]


def test_times_are_dropped_at_the_step_day() -> None:
    hierarchy = build(Dates(steps=("day", "year")), "2024-03-01T23:59", "2024-03-01 10:00:00+02:00", "2024-03-02")
    assert hierarchy.values == ("2024-03-01 10:00:00+02:00", "2024-03-01T23:59", "2024-03-02")
    assert hierarchy.labels[1:] == (("2024-03-01", "2024-03-02"), ("2024",), ("*",))


def test_the_step_day_is_left_out_where_it_changes_nothing() -> None:
    assert build(Dates(steps=("day",)), "2024-03-01", "2024-03-02").height == 1
    assert build(Dates(steps=("day",)), "2024-03-01T10:00", "2024-03-02T11:00").height == 1


def test_steps_are_taken_from_the_finest_on() -> None:
    hierarchy = build(Dates(steps=("decade", "month", "month")), "2024-03-01", "2025-03-02")
    assert hierarchy.labels[1:] == (("2024-03", "2025-03"), ("2020s",), ("*",))


def test_another_format() -> None:
    hierarchy = build(Dates(steps=("month",), format="%d/%m/%Y"), "02/03/2024", "01/04/2024", "01/03/2024")
    assert hierarchy.values == ("01/03/2024", "02/03/2024", "01/04/2024")
    assert hierarchy.labels[1] == ("2024-03", "2024-04")


def test_the_first_and_the_last_year() -> None:
    hierarchy = build(Dates(), "0001-01-01", "9999-12-31")
    assert hierarchy.labels[-2] == ("0000s", "9990s")
    assert hierarchy.spans is not None
    assert hierarchy.spans[1].tolist() == [31, 30]


def test_without_values() -> None:
    assert build(Dates()).labels == ((), ("*",))


@pytest.mark.parametrize(
    "other", ["SECRET", "2024-02-30", "20240301", "2024-3-1", "2024-W01-1", "2024-03-01TSECRET", "01/03/2024"]
)
def test_what_is_no_date_is_counted(other: str) -> None:
    with pytest.raises(SpecError) as caught:
        build(Dates(), "2024-03-01", other)
    assert str(caught.value) == (
        "The dates of column 'birth' must be written as 'YYYY-MM-DD': 1 of its 2 different values are not (they are "
        "not shown here, since they are data). Set 'format', or choose another type of hierarchy."
    )


def test_what_does_not_follow_the_format_is_counted() -> None:
    with pytest.raises(SpecError, match=r"must be written as '%d\.%m\.%Y': 2 of its 2 different values are not"):
        build(Dates(format="%d.%m.%Y"), "2024-03-01", "SECRET")


def test_steps_are_checked() -> None:
    with pytest.raises(ValidationError, match="Input should be 'day', 'month', 'quarter', 'year' or 'decade'"):
        TypeAdapter(Dates).validate_python({"steps": ["week"]})
    with pytest.raises(SpecError, match=r"^Dates: steps: .*'day', 'month', 'quarter', 'year' or 'decade'"):
        Dates(steps=("week",))  # type: ignore[arg-type]
