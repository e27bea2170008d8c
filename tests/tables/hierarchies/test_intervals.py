from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from pydantic import TypeAdapter, ValidationError

from shoal.foundation.errors import SpecError
from shoal.tables.hierarchies import Hierarchy, Intervals


def build(spec: Intervals, *values: str) -> Hierarchy:
    return spec.build(values, "age", Path())


def spans(hierarchy: Hierarchy) -> list[list[float]]:
    assert hierarchy.spans is not None
    return [span.tolist() for span in hierarchy.spans]


def test_whole_numbers() -> None:
    hierarchy = build(Intervals(widths=(5, 10, 20)), "41", "7", "23", "22", "3")
    assert hierarchy.labels == (
        ("3", "7", "22", "23", "41"),
        ("0-4", "5-9", "20-24", "40-44"),
        ("0-9", "20-29", "40-49"),
        ("0-19", "20-39", "40-59"),
        ("*",),
    )
    assert spans(hierarchy) == [[0] * 5, [2, 5, 5, 1], [7, 10, 1], [17, 20, 1], [38]]


def test_the_ages_of_example_3_4() -> None:
    hierarchy = build(Intervals(widths=(10,), start=1), *(str(age) for age in range(1, 121)))
    assert hierarchy.labels[1] == tuple(f"{first}-{first + 9}" for first in range(1, 121, 10))


@pytest.mark.parametrize(
    ("spec", "values", "labels"),
    [
        (Intervals(widths=(5,)), ("-7", "3"), ("[-10, -5)", "[0, 5)")),
        (Intervals(widths=(5,), start=4), ("3", "5"), ("[-1, 4)", "[4, 9)")),
        (Intervals(widths=(5,)), ("1.5", "30"), ("[0, 5)", "[30, 35)")),
        (Intervals(widths=(0.1,)), ("0.25", "0.3"), ("[0.2, 0.3)", "[0.3, 0.4)")),
        (Intervals(widths=(Fraction(1, 3),)), ("0.5",), ("[1/3, 2/3)",)),
        (Intervals(widths=(2.5,)), ("1", "3"), ("[0, 2.5)", "[2.5, 5)")),
        (Intervals(widths=(1,)), ("1", "3"), ("1", "3")),
        (Intervals(widths=(1000,)), ("2e3", " 1500 ", "+.5e4"), ("1000-1999", "2000-2999", "5000-5999")),
        (Intervals(cuts=((18, 65),)), ("3", "18", "64", "65"), ("<18", "18-64", ">=65")),
        (Intervals(cuts=((0.5, 2),)), ("0.1", "1", "7"), ("<0.5", "[0.5, 2)", ">=2")),
        (Intervals(cuts=((-1, 2),)), ("-3", "1"), ("<-1", "[-1, 2)")),
    ],
)
def test_labels(spec: Intervals, values: tuple[str, ...], labels: tuple[str, ...]) -> None:
    assert build(spec, *values).labels[1] == labels


def test_cuts_by_level_and_their_spans() -> None:
    hierarchy = build(Intervals(cuts=((18, 30, 65), (18, 65))), "7", "18", "29", "31", "65", "90")
    assert hierarchy.labels[1:] == (("<18", "18-29", "30-64", ">=65"), ("<18", "18-64", ">=65"), ("*",))
    assert spans(hierarchy) == [[0] * 6, [11, 12, 35, 25], [11, 47, 25], [83]]


def test_texts_of_one_number_are_leaves_that_generalize_alike() -> None:
    hierarchy = build(Intervals(widths=(5,)), "1.0", "01", "1", "7")
    assert hierarchy.values == ("01", "1", "1.0", "7")
    assert hierarchy.codes[1].tolist() == [0, 0, 0, 1]


def test_one_number_has_no_width() -> None:
    assert spans(build(Intervals(widths=(5, 10)), "3")) == [[0], [0], [0], [0]]


def test_large_numbers_are_exact() -> None:
    hierarchy = build(Intervals(widths=(10,)), "9007199254740993", "9007199254740999", "9007199254741000")
    assert hierarchy.codes[1].tolist() == [0, 0, 1]


def test_without_values() -> None:
    hierarchy = build(Intervals(widths=(5, 10)))
    assert hierarchy.codes.shape == (2, 0)
    assert hierarchy.labels == ((), ("*",))
    assert spans(hierarchy.with_missing()) == [[0], [0]]


@pytest.mark.parametrize(
    "other",
    ["SECRET", "", "1,5", "1_000", "1/3", "nan", "inf", "1e400", ".", "٣", "1" * 201],
)
def test_what_is_no_number_is_counted(other: str) -> None:
    with pytest.raises(SpecError) as caught:
        build(Intervals(widths=(5,)), "1", other, "2")
    assert str(caught.value) == (
        "The intervals of column 'age' need numbers: 1 of its 3 different values are none (they are not shown here, "
        "since they are data). Clean them, or choose another type of hierarchy."
    )


@pytest.mark.parametrize(
    ("widths", "cuts", "start", "message"),
    [
        (None, None, 0, "intervals need 'widths' or 'cuts', and not both"),
        ([5], [[1]], 0, "intervals need 'widths' or 'cuts', and not both"),
        ([], None, 0, "'widths' is empty: give the width of at least one level"),
        ([0], None, 0, "'widths' starts with 0: a width is above 0"),
        ([5, 10, 10], None, 0, "'widths' must rise: 10 comes after 10"),
        (
            [0.5, 5, 12.5],
            None,
            0,
            "'widths' do not nest: 12.5 is not a multiple of 5, so that an interval of the one would lie in two of the "
            "other",
        ),
        (None, [], 0, "'cuts' is empty: give the cut points of at least one level"),
        (None, [[1], []], 0, "'cuts' of level 2 is empty: give at least one cut point (the star needs none)"),
        (None, [[3, 1]], 0, "'cuts' of level 1 must rise: 1 comes after 3"),
        (None, [[1, 2], [1, 1.5, 2]], 0, "'cuts' do not nest: 1.5 is a cut of level 2 but not of level 1"),
        (None, [[1]], 3, "'start' goes with 'widths': cut points say themselves where intervals start"),
    ],
)
def test_levels_that_would_not_nest(
    widths: Sequence[float] | None, cuts: Sequence[Sequence[float]] | None, start: float, message: str
) -> None:
    with pytest.raises(ValueError, match=r".") as direct:
        Intervals(
            widths=None if widths is None else tuple(widths),
            cuts=None if cuts is None else tuple(tuple(level) for level in cuts),
            start=start,
        )
    assert str(direct.value) == message
    with pytest.raises(ValidationError, match=r".") as read:
        TypeAdapter(Intervals).validate_python({"widths": widths, "cuts": cuts, "start": start})
    assert [error["msg"] for error in read.value.errors()] == [f"Value error, {message}"]


def test_a_job_file_keeps_decimals_as_written() -> None:
    adapter = TypeAdapter(Intervals)
    spec = adapter.validate_python({"widths": [0.1, 0.3]})
    assert spec.widths == (Fraction(1, 10), Fraction(3, 10))
    assert adapter.dump_python(spec, exclude_none=True) == {"widths": (0.1, 0.3), "start": 0}
    assert {"type": "number"} in adapter.json_schema()["properties"]["start"]["anyOf"]
    with pytest.raises(ValidationError, match="Input should be a number"):
        adapter.validate_python({"widths": ["wide"]})


def test_widths_and_equal_cuts_agree() -> None:
    values = [str(number) for number in range(60)]
    widths = Intervals(widths=(10, 20)).build(values, "age", Path())
    cuts = Intervals(cuts=((10, 20, 30, 40, 50), (20, 40))).build(values, "age", Path())
    assert np.array_equal(widths.codes, cuts.codes)
