"""What each mask keeps of a value, and that nothing else of it stays."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.tables.masks import MASKS, NOTHING, masked


@pytest.mark.parametrize(
    ("mask", "value", "kept"),
    [
        ("iban", "DE89370400440532013000", "DE** **** ****"),
        ("iban", "gb33 BUKB 2020 1555 5555 55", "GB** **** ****"),
        ("iban", "DE89", None),
        ("iban", "8937040044053201300011", None),
        ("email", " Ann.Lee@Mail.Example.org ", "*@mail.example.org"),
        ("email", "ann@localhost", None),
        ("email", "ann lee@example.org", None),
        ("card", "4111 1111 1111 1111", "4*** **** **** ****"),
        ("card", "5500-0000-0000-0004", "5*** **** **** ****"),
        ("card", "12345", None),
        ("phone", "+49 (170) 123 45 67", "+49 ****"),
        ("phone", "0033.1.42.34.56.78", "+33 ****"),
        ("phone", "+1-202-555-0136", "+1 ****"),
        ("phone", "+35812345678", "+358 ****"),
        ("phone", "0170 1234567", None),
        ("ip", "192.168.17.4", "192.168.*.*"),
        ("ip", "2001:db8::1", "2001:0db8:*"),
        ("ip", "300.1.1.1", None),
        ("initial", " maria", "M***"),
        ("initial", "Østby", "Ø***"),
        ("initial", "17", None),
        ("initial", "", None),
    ],
)
def test_a_mask_keeps_a_fixed_shape(mask: str, value: str, kept: str | None) -> None:
    assert MASKS[mask](value) == kept
    shown = masked(pl.Series("*", [value, None, value]), mask)
    assert shown.name == "*"
    assert shown.to_list() == [kept or NOTHING, None, kept or NOTHING]


@given(st.lists(st.text(max_size=12) | st.none(), max_size=5), st.sampled_from(sorted(MASKS)))
def test_any_text_has_a_shape_and_categories_are_those_of_the_shapes(values: list[str | None], mask: str) -> None:
    texts = pl.Series("a", values, dtype=pl.String)
    shown = masked(texts, mask)
    assert shown.null_count() == texts.null_count()
    there = masked(texts.cast(pl.Categorical), mask)
    assert there.dtype == pl.Categorical
    assert there.cast(pl.String).to_list() == shown.to_list()


def test_what_is_no_longer_than_its_shape_is_still_hidden() -> None:
    numbers = pl.Series("iban", ["AT611904300234573201", "AT021100000622888700"])
    assert masked(numbers, "iban").n_unique() == 1
