"""Numbers as each language writes them."""

import pytest

from shoal.web.figures import decimal, number, percent, share_of_all
from shoal.web.texts import translator


@pytest.mark.parametrize(
    ("language", "written"),
    [
        ("en", ["1,234,567", "999", "1,234.5", "-0.5", "3", "12.3", "12.3%"]),
        ("de", ["1.234.567", "999", "1.234,5", "-0,5", "3", "12,3", "12,3 %"]),
    ],
)
def test_numbers_are_written_as_the_language_does(language: str, written: list[str]) -> None:
    t = translator(language)
    told = [number(1234567, t), number(999, t), decimal(1234.5, t), decimal(-0.5, t), decimal(3.0, t)]
    assert [*told, percent(0.1234, t), share_of_all(0.123, t)] == written


def test_counts_in_sentences_are_written_so_too() -> None:
    assert translator("de")("open.size", records=5000, columns=10).startswith("5.000 ")
    assert translator("en")("open.size", records=5000, columns=10).startswith("5,000 ")
