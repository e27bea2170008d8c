from pathlib import Path

import numpy as np
import polars as pl
import pytest
from pydantic import TypeAdapter, ValidationError

import shoal
from shoal.clusters.distances import Number
from shoal.foundation.errors import SpecError
from shoal.kernels.clusters.metrics import HOLED, NUMBER
from shoal.tables.hierarchies import Order
from tests.clusters.distances.columns import between, column

AGES = ["20", "20", "30", "50", "80"]


def test_the_unit_is_the_range_the_deviation_or_given() -> None:
    one = column(AGES)
    ages = np.array([20, 20, 30, 50, 80])
    assert between(Number(scale="range"), one, ["20", "50", "80"])[0].tolist() == [0, 0.5, 1]
    assert between(Number(), one, ["20", "80"])[0, 1] == 1
    assert between(Number(scale="deviation"), one, ["20", "50"])[0, 1] == pytest.approx(30 / ages.std())
    assert between(Number(unit=10), one, ["20", "50"])[0, 1] == 3
    assert between(Number(unit=10), column(AGES, weight=2), ["20", "50"])[0, 1] == 6


def test_the_unit_is_that_of_the_values_that_occur() -> None:
    """A hierarchy may list more values than the table has."""
    one = column(["20", "40"], Order(fanout=2, order=("0", "20", "40", "100", "unknown")))
    assert between(Number(scale="range"), one, ["20", "40"])[0, 1] == 1
    assert between(Number(scale="deviation"), one, ["20", "40"])[0, 1] == 2


def test_dates_are_days() -> None:
    one = column(["2024-02-28", "2024-03-01", "2025-03-01 23:59"])
    assert between(Number(unit=1), one, ["2024-02-28", "2024-03-01", "2025-03-01 23:59"])[0].tolist() == [0, 2, 367]
    german = column(["28.02.2024", "01.03.2024"])
    assert between(Number(unit=1, format="%d.%m.%Y"), german, ["28.02.2024", "01.03.2024"])[0, 1] == 2


def test_a_missing_number_is_as_far_as_any_two_are() -> None:
    one = column([*AGES, None])
    assert Number().axis([one], 0).kind == HOLED
    assert Number().axis([column(AGES)], 0).kind == NUMBER
    found = between(Number(unit=10), one, [None, "20", "50", "80", None])
    assert found[0].tolist() == [0, 6, 6, 6, 0]


@pytest.mark.parametrize("recipe", [Number(), Number(scale="deviation"), Number(unit=1)])
def test_a_column_of_one_number_has_no_range(recipe: Number) -> None:
    assert between(recipe, column(["5", "5.0", None]), ["5", "5.0", None]).tolist() == [[0, 0, 1], [0, 0, 1], [1, 1, 0]]
    assert between(recipe, column([None, None]), [None, None]).tolist() == [[0, 0], [0, 0]]


def test_tiny_and_huge_numbers_have_a_deviation() -> None:
    for values in (["0", "1e-99", "2e-99"], ["-1e99", "0", "1e99"]):
        assert between(Number(scale="deviation"), column(values), values)[0, 2] == pytest.approx(6**0.5)


def test_a_value_that_is_no_number_is_counted_and_never_shown() -> None:
    with pytest.raises(SpecError, match=r"'number' of column 'age' needs numbers or dates.*: 1 of its 3 ") as caught:
        Number().axis([column(["1", "2", "secret"], name="age")], 0)
    assert "secret" not in str(caught.value)
    with pytest.raises(SpecError, match="needs dates as '%Y': 2 of its 2 different values are none"):
        Number(format="%Y").axis([column(["x", "y"])], 0)


def test_two_units_are_refused() -> None:
    adapter = TypeAdapter(Number)
    with pytest.raises(ValidationError, match="give one of them"):
        adapter.validate_python({"scale": "range", "unit": 2})
    for unit in (0, -1, float("inf"), "wide"):
        with pytest.raises(ValidationError):
            adapter.validate_python({"unit": unit})


@pytest.mark.parametrize("offset", [0, 1, 2])
def test_whole_numbers_that_doubles_do_not_hold_are_refused(offset: int) -> None:
    """2^60, 2^60 + 1 and 2^60 + 2 are one double, and would be at no distance."""
    texts = [str(2**60 + offset), str(2**60 + 100), str(2**60 + 102)]
    with pytest.raises(SpecError, match="Subtract a constant"):
        Number().axis([column(texts)], 0)


def test_large_numbers_that_doubles_hold_are_exact() -> None:
    held = [str(2**53), str(2**60), str(2**60 + 256), "1e100", "0.30000000000000004"]
    assert between(Number(unit=256), column(held), held[1:3])[0, 1] == 1


def test_a_comma_may_stand_before_decimals() -> None:
    one = column(["1.000,5", "1001", "1.002"])
    assert between(Number(unit=1, decimal=","), one, ["1.000,5", "1001", "1.002"])[0].tolist() == [0, 0.5, 1.5]
    with pytest.raises(SpecError, match="2 of its 3 different values are none"):
        Number(decimal=",").axis([column(["1,5", "1.5", "2.25"])], 0)
    with pytest.raises(SpecError, match="1 of its 2 different values are none"):
        Number().axis([column(["1,5", "2"])], 0)


def test_centres_have_the_comma_of_the_values(tmp_path: Path) -> None:
    weights = pl.DataFrame({"kg": ["60,5", "61,0", "90,25", "92", "93,5", "60,75"]})
    weights.write_csv(tmp_path / "weights.csv")
    release = shoal.anonymize(tmp_path / "weights.csv", quasi=["kg"], r=3, algorithm="mdav")
    assert sorted(set(release.data["kg"])) == ["60,75", "91,9167"]
    assert release.job.columns["kg"].distance == Number(scale="deviation", decimal=",")
    release.write(tmp_path / "release")
    assert shoal.verify(tmp_path / "release", raw=tmp_path / "weights.csv").not_derived == {}
