import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.foundation.errors import SpecError
from shoal.tables import table as tables
from shoal.tables.table import Column, Role, Table, check_roles, complete_rows, totals

VALUES = st.lists(st.one_of(st.none(), st.text(min_size=1, max_size=3)), max_size=20)


@settings(deadline=None)
@given(VALUES)
def test_codes_stand_for_the_values(values: list[str | None]) -> None:
    column = Column.of(pl.Series("a", values, dtype=pl.String))
    shown: list[str | None] = [*column.values, None]
    assert [shown[code] for code in column.codes] == values
    assert column.values == sorted(set(values) - {None}, key=lambda value: str(value).encode())
    assert column.missing == (None in values)


@settings(deadline=None)
@given(VALUES)
def test_long_columns_are_coded_and_counted_as_short_ones(values: list[str | None]) -> None:
    series = pl.Series("a", [*values, "x"], dtype=pl.String).cast(pl.Categorical)
    short = Column.of(series)
    counts = totals(short.codes, None, 3)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tables, "_SHORT", 0)
        middle = Column.of(series)
        patch.setattr(tables, "_LONG", 0)
        long, again = Column.of(series), totals(short.codes, None, 3)
    for other in (middle, long):
        assert other.values == short.values
        assert other.codes.tolist() == short.codes.tolist()
        assert other.codes.dtype == short.codes.dtype
    assert again.tolist() == counts.tolist()
    assert again.dtype == counts.dtype


def test_categories_that_do_not_occur_are_no_values() -> None:
    all_values = pl.Series("a", ["x", "y", "z", None], dtype=pl.Categorical)
    column = Column.of(all_values.filter(all_values == "y"))
    assert column.values == ["y"]
    assert column.codes.tolist() == [0]


@pytest.mark.parametrize("n_values", [255, 256, 70_000])
def test_codes_are_small_and_wide_enough(n_values: int) -> None:
    column = Column.of(pl.Series("a", [f"{i:06d}" for i in range(n_values)] + [None]))
    assert column.codes[-1] == n_values
    assert column.codes.dtype == np.min_scalar_type(n_values)
    assert column.missing


def test_a_table_holds_no_identifier() -> None:
    frame = pl.DataFrame({"name": ["Ann", "Bob"], "age": ["1", "2"], "ill": ["a", None]})
    roles = {"name": Role.IDENTIFIER, "age": Role.QUASI, "ill": Role.SENSITIVE}
    table = Table.of(frame, roles)
    assert list(table.columns) == ["age", "ill"]
    assert table.names(Role.QUASI) == ("age",)
    assert table.names(Role.IDENTIFIER) == ()
    assert table.n_records == 2


def test_records_that_miss_a_value_are_left_out_by_name() -> None:
    frame = pl.DataFrame({"a": ["1", None, "3"], "b": ["x", "y", None]})
    assert complete_rows(frame, ["a"]).to_list() == [True, False, True]
    assert complete_rows(frame, ["a", "b"]).to_list() == [True, False, False]


def test_every_column_needs_a_role() -> None:
    with pytest.raises(SpecError, match=r"No role for columns 'b', 'c'\. Columns without a role are never published"):
        check_roles(["a", "b", "c"], {"a": Role.QUASI})


def test_every_role_needs_a_column() -> None:
    with pytest.raises(SpecError, match=r"The table has no column 'b'\. Known are: a\."):
        check_roles(["a"], {"a": Role.QUASI, "b": Role.QUASI})


def test_a_file_without_a_header_does_not_show_its_first_record() -> None:
    with pytest.raises(
        SpecError, match="None of the 2 columns of the table has a name that occurs in the request"
    ) as caught:
        check_roles(["Smith", "1987"], {"age": Role.QUASI, "sex": Role.QUASI})
    assert "Smith" not in str(caught.value)
    assert "1987" not in str(caught.value)
