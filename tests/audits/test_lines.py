"""Columns as numbers and days, and the ends of ranges."""

from datetime import date

import numpy as np
import pytest

from shoal.audits.lines import line_of
from shoal.tables.hierarchies import Dates, Levels, Masking


def test_numbers_days_and_categories_are_told_apart() -> None:
    whole, parts, days = line_of(["3", "-1", "+20"]), line_of(["0.5", ".25", "1e3"]), line_of(["2024-03-01"])
    assert whole is not None
    assert parts is not None
    assert days is not None
    assert (whole.kind, whole.unit, whole.numbers.tolist()) == ("number", 1, [3, -1, 20])
    assert (parts.kind, parts.unit, parts.numbers.tolist()) == ("number", 0, [0.5, 0.25, 1000])
    assert (days.kind, days.numbers.tolist()) == ("date", [date(2024, 3, 1).toordinal()])
    for values in (["02", "13"], ["a", "1"], ["nan"], ["inf", "1"], []):
        assert line_of(values) is None
    assert line_of(["12", "13"], Masking()) is None
    assert line_of(["01.03.2024"], Dates(format="%d.%m.%Y")) is not None


@pytest.mark.parametrize(
    ("cell", "ends"),
    [
        ("20-29", (20, 29)),
        ("[20, 30)", (20, 29)),
        ("(20, 30]", (21, 30)),
        ("<30", (18, 29)),
        (">=65", (65, 90)),
        ("0-20", (18, 20)),
        ("80-200", (80, 90)),
        ("200-300", (90, 90)),
        ("old", None),
    ],
)
def test_a_range_is_cut_to_the_values(cell: str, ends: tuple[float, float] | None) -> None:
    line = line_of(["18", "40", "90"])
    assert line is not None
    assert line.written(cell) == ends


def test_a_label_of_a_given_hierarchy_is_no_range() -> None:
    line = line_of(["1", "9"], Levels(path="groups.csv"))
    assert line is not None
    assert line.written("1-2") is None


def test_texts_for_people() -> None:
    numbers, days = line_of(["1.5"]), line_of(["2024-02-29"])
    assert numbers is not None
    assert days is not None
    assert numbers.text(0.1 + 0.2) == "0.3"
    assert days.text(days.numbers[0]) == "2024-02-29"
    np.testing.assert_equal(days.points(["2024-03-01", "2024-03"]), [days.numbers[0] + 1, np.nan])
    np.testing.assert_equal(numbers.points(["+.5", "1-2", "inf", "7"]), [0.5, np.nan, np.nan, 7])
