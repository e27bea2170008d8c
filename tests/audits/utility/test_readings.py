"""What cells stand for beside the raw values."""

import numpy as np
import polars as pl
import pytest

from shoal.audits.utility.readings import Reading
from shoal.foundation.errors import SpecError
from shoal.tables.hierarchies import Intervals


def reading(raw: list[str | None], shown: list[str | None], **given: object) -> Reading:
    series = [pl.Series("x", column, dtype=pl.String) for column in (raw, shown)]
    return Reading.of(*series, **given)  # type: ignore[arg-type]


def test_values_ranges_stars_and_missing_cells() -> None:
    found = reading(["21", "25", "33", "40", None], ["20-29", "*", "33", None, "33-39"])
    assert found.shown.values == ["*", "20-29", "33", "33-39"]
    assert found.blank.tolist() == [True, False, False, False]
    assert found.single.tolist() == [-1, -1, 2, 2]
    assert {cell: part.tolist() for cell, part in found.parts.items()} == {1: [0, 1]}
    assert found.after.tolist() == [1, 1, 1, 1, 1]
    assert found.before.tolist() == [1, 1, 1, 1, 1]
    np.testing.assert_equal(found.extents, [[np.nan] * 2, [21, 29], [33, 33], [33, 33]])
    np.testing.assert_equal(found.middles, [np.nan, 25, 33, 33, np.nan])
    assert not found.moved
    assert not found.strange.any()


def test_a_cell_that_covers_every_value_tells_nothing() -> None:
    found = reading(["F", "M"], ["{F, M}", "M"])
    assert found.blank.tolist() == [False, True]
    assert reading(["F", "F"], ["F", "{F}"]).blank.tolist() == [False, False]


def test_numbers_with_noise_are_moved_and_words_are_strange() -> None:
    found = reading(["1", "2"], ["1.5", "2"])
    assert found.moved
    assert not found.strange.any()
    words = reading(["a", "b"], ["a", "c"])
    assert words.strange.tolist() == [False, True]
    assert not words.moved


def test_a_column_that_is_published_as_it_is_has_no_notation() -> None:
    found = reading(["{a}", "a", "[1]"], ["{a}", "a", "*"], generalized=False)
    assert found.blank.tolist() == [True, False, False]
    assert found.single.tolist() == [-1, 1, 2]
    assert reading(["*", "a"], ["*", "a"], generalized=False).blank.tolist() == [False, False]


def test_the_hierarchy_of_the_release_reads_its_cells() -> None:
    found = reading(["20", "24", "25"], ["20-24", "25-29"], recipe=Intervals(widths=(5,)))
    assert found.single.tolist() == [-1, 2]
    assert found.parts[0].tolist() == [0, 1]
    with pytest.raises(SpecError, match="cannot be read"):
        reading(["20", "24", "25"], ["young", "25"])
