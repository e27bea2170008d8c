"""What everybody with the file can derive of the classes of a series."""

from fractions import Fraction

import polars as pl
import pytest

from shoal.foundation.errors import CertificateError
from shoal.releases.series.classes import ShownClasses
from shoal.tables.rows import Rows


def shown(*records: str) -> ShownClasses:
    """Return the classes of records such as `1ax`: age, illness and job; a point is a missing value."""
    table = [[None if sign == "." else sign for sign in record] for record in records]
    frame = pl.DataFrame(table, schema=["age", "ill", "job"], orient="row")
    return ShownClasses.of(Rows.each(frame), ["age"], ["ill", "job"])


def test_every_class_shows_m_values_equally_often() -> None:
    even = shown("1ax", "1bx", "2ax", "2bx", "2cx", "2ax", "2bx", "2cx")
    assert even.sizes.tolist() == [2, 6]
    assert even.demand_equal(2) == 2
    with pytest.raises(
        CertificateError, match=r"at least 3 values of 'ill', .* 0 classes do not .*, and one shows 2 of"
    ):
        even.demand_equal(3)
    assert shown("1ax", "1.x").demand_equal(2) == 2  # a missing value is one, too
    with pytest.raises(CertificateError, match="1 classes do not show their values equally often, and one shows 2 of"):
        shown("1ax", "1bx", "2ax", "2bx", "2ax").demand_equal(2)


def test_the_likeliest_value_of_any_column_bounds_what_is_guessed() -> None:
    assert shown("1ax", "1bx", "1cy", "1dy", "2a1", "2b2", "2c3").likeliest() == Fraction(1, 2)
    assert shown("1ax", "1by", "2az", "2a1", "2b2").likeliest() == Fraction(2, 3)


def test_cells_and_values_are_those_of_the_file() -> None:
    found = shown("2ax", "1bx", "1ax", ".cx", "..x")
    told = dict(zip(found.cells(), found.values(), strict=True))
    assert told == {("1",): {"a", "b"}, ("2",): {"a"}, (None,): {"c", None}}


def test_a_file_without_records_has_no_classes() -> None:
    frame = pl.DataFrame(schema={"age": pl.String, "ill": pl.String, "job": pl.String})
    none = ShownClasses.of(Rows.each(frame), ["age"], ["ill"])
    assert not none.cells()
    assert not none.values()
    assert none.likeliest() == 0
    assert none.demand_equal(0) == 0
    with pytest.raises(CertificateError, match="one shows 0 of"):
        none.demand_equal(2)
