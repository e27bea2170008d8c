from fractions import Fraction

import pytest

from shoal.tables.hierarchies.numeric import count_others, decimal_text, natural_order, parsed, scaled


def test_numbers_are_multiples_of_one_unit() -> None:
    assert scaled(["1.50", "-2", "+.5", "3."]) == ([150, -200, 50, 300], 100)
    assert scaled(["2e3", "5E-1"]) == ([20000, 5], 10)
    assert scaled([]) == ([], 1)
    assert scaled(["1", "x"]) is None
    assert count_others(["1", "x", "", "2"]) == 2


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1e100", (1, 100)),
        ("-2.5E+300", None),
        ("2.5e299", (25, 298)),
        ("1e-300", (1, -300)),
        ("1.0e-300", (10, -301)),
        ("1e-301", None),
    ]
    + [(text, None) for text in ("1e999", "1e1000", "1e", "e5", "1_0", "inf", "nan", "0x10")],
)
def test_numbers_that_a_double_can_add_are_numbers(text: str, number: tuple[int, int] | None) -> None:
    assert parsed(text) == number


def test_a_huge_number_among_others_is_one() -> None:
    assert natural_order(["10", "1e100", "9"]) == ["9", "10", "1e100"]


def test_natural_order() -> None:
    assert natural_order(["10", "9", "09", "9.0"]) == ["09", "9", "9.0", "10"]
    assert natural_order(["10", "9", "a"]) == ["10", "9", "a"]


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (Fraction(0), "0"),
        (Fraction(-5, 2), "-2.5"),
        (Fraction(1, 1000), "0.001"),
        (Fraction(-1, 8), "-0.125"),
        (Fraction(10**20), "1" + "0" * 20),
        (Fraction(2, 3), "2/3"),
        (Fraction(1, 70), "1/70"),
    ],
)
def test_decimals_are_written_in_full(number: Fraction, text: str) -> None:
    assert decimal_text(number) == text
