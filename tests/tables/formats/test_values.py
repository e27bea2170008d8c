from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.foundation.errors import SpecError
from shoal.tables.formats.values import TextKind, plain_decimal, rounded, text_kind_of, texts_of


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (1.0, "1"),
        (0.1, "0.1"),
        (-0.0, "0"),
        (1e-7, "0.0000001"),
        (1e21, "1" + "0" * 21),
        (123456789.25, "123456789.25"),
    ],
)
def test_numbers_are_plain(number: float, text: str) -> None:
    assert plain_decimal(number) == text


@given(number=st.floats(allow_nan=False, allow_infinity=False))
def test_a_plain_number_gives_itself_back(number: float) -> None:
    assert float(plain_decimal(number)) == number
    assert set(plain_decimal(number)) <= set("-0123456789.")


def test_a_spreadsheet_shows_fifteen_digits() -> None:
    assert rounded(0.1 + 0.2) == "0.3"
    assert rounded(2 / 3) == "0.666666666666667"


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["2024-05-31T14:30:00", "2024-05-31T00:00:00"], TextKind.TIMESTAMP),
        (["2024-05-31T00:00:00"], TextKind.TEXT),  # it would be read as a date
        (["2024-05-31T14:30:00.5"], TextKind.TEXT),
        (["2024-05-31T24:00:00"], TextKind.TEXT),
        (["2024-02-30T10:00:00"], TextKind.TEXT),
        (["1900-02-28T10:00:00"], TextKind.TEXT),
        (["2024-05-31T14:30:00", "2024-05-31"], TextKind.TEXT),
        (["1", "-20", "0"], TextKind.INTEGER),
        (["1", "0.5"], TextKind.NUMBER),
        (["1.50"], TextKind.EXACT),
        (["1234567890123456789"], TextKind.EXACT),
        (["00501"], TextKind.TEXT),
        (["-0"], TextKind.TEXT),
        (["-0.0"], TextKind.TEXT),
        (["+1"], TextKind.TEXT),
        (["1e5"], TextKind.TEXT),
        (["٣"], TextKind.TEXT),
        (["1", "*"], TextKind.TEXT),
        (["2024-02-29"], TextKind.DATE),
        (["2023-02-29"], TextKind.TEXT),
        (["1899-12-31"], TextKind.TEXT),
        (["2024-05"], TextKind.TEXT),
        (["true", "false"], TextKind.BOOLEAN),
        (["True"], TextKind.TEXT),
        ([], TextKind.TEXT),
    ],
)
def test_the_narrowest_kind_that_gives_the_texts_back(values: list[str], kind: TextKind) -> None:
    assert text_kind_of(values) is kind


@given(text=st.text("0123456789.-", min_size=1, max_size=18))
def test_a_number_is_one_that_is_written_the_same_again(text: str) -> None:
    if text_kind_of([text]) is TextKind.INTEGER:
        assert str(int(float(text))) == text
    if text_kind_of([text]) is TextKind.NUMBER:
        assert plain_decimal(float(text)) == text
    if text_kind_of([text]) is TextKind.EXACT:
        assert format(Decimal(text), "f") == text


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        ([1, 1.0, True, "1", None, "", float("nan")], ["1", "1", "true", "1", None, None, None]),
        ([date(2024, 5, 31), datetime(2024, 6, 1)], ["2024-05-31", "2024-06-01"]),
        ([date(2024, 5, 31), datetime(2024, 6, 1, 12)], ["2024-05-31T00:00:00", "2024-06-01T12:00:00"]),
        ([time(1, 2), timedelta(hours=30)], ["01:02:00", "P1DT6H"]),
        ([Decimal("1.50")], ["1.50"]),
    ],
)
def test_python_values_become_text(values: list[Any], texts: list[str | None]) -> None:
    assert texts_of(values, "a", "the table").to_list() == texts


def test_bytes_and_objects_are_refused() -> None:
    with pytest.raises(SpecError, match="Column 'a' of the table holds bytes"):
        texts_of([b"CANARY"], "a", "the table")
    with pytest.raises(SpecError, match="holds values of an unknown type"):
        texts_of([("CANARY",)], "a", "the table")
