import math
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from shoal.foundation import exact
from shoal.foundation.budgets import DIGITS
from shoal.foundation.exact import ExactNumber, at_most, compare_log, fraction

ADAPTER: TypeAdapter[int | float | Fraction] = TypeAdapter(ExactNumber)


@pytest.mark.parametrize(
    "written", [0.1, "0.1", Decimal("0.1"), Fraction(1, 10), "1/10"], ids=["float", "text", "decimal", "ratio", "slash"]
)
def test_one_tenth_is_one_tenth_however_it_is_written(written: object) -> None:
    assert fraction(written) == Fraction(1, 10)
    assert ADAPTER.validate_python(written) == Fraction(1, 10)


@pytest.mark.parametrize(
    "written", ["abc", "1/0", "", float("nan"), float("inf"), Decimal("inf"), Decimal("nan"), None, []]
)
def test_what_is_no_number_stays_and_is_refused(written: object) -> None:
    assert fraction(written) is written
    with pytest.raises(ValidationError):
        ADAPTER.validate_python(written)


@pytest.mark.parametrize("truth", [True, False])
def test_true_and_false_are_no_numbers(truth: bool) -> None:
    with pytest.raises(ValidationError, match="Input should be a number"):
        ADAPTER.validate_python(truth)


@settings(deadline=None)
@given(st.fractions())
def test_a_number_survives_being_written_and_read(number: Fraction) -> None:
    written = ADAPTER.dump_python(number, mode="json")
    assert isinstance(written, int | float | str)
    assert ADAPTER.validate_python(written) == number


def test_decimals_are_written_as_numbers_and_ratios_as_text() -> None:
    assert ADAPTER.dump_python(Fraction(1, 10)) == 0.1
    assert ADAPTER.dump_python(Fraction(1, 2)) == 0.5
    assert ADAPTER.dump_python(Fraction(1, 3)) == "1/3"
    assert repr(ADAPTER.dump_python(Fraction(2))) == "2"


_COUNTS = st.integers(0, 2**62)


@settings(deadline=None)
@given(st.lists(st.tuples(_COUNTS, st.integers(1, 2**62)), max_size=8), st.fractions(min_value=0))
def test_at_most_decides_as_rationals_do(pairs: list[tuple[int, int]], limit: Fraction) -> None:
    above = np.array([pair[0] for pair in pairs], dtype=np.int64)
    below = np.array([pair[1] for pair in pairs], dtype=np.int64)
    assert at_most(above, below, limit).tolist() == [Fraction(*pair) <= limit for pair in pairs]


def test_at_most_settles_ties_that_floats_cannot() -> None:
    big = 2**61
    counts = np.array([big - 1, big, big + 1], dtype=np.int64)
    assert at_most(counts, np.full(3, 2 * big, dtype=np.int64), Fraction(1, 2)).tolist() == [True, True, False]
    assert at_most(np.array([1]), np.array([3]), Fraction(1, 3)).tolist() == [True]
    assert at_most(np.array([3]), np.array([10]), fraction(0.3)).tolist() == [True]


def test_at_most_settles_ties_of_products_beyond_64_bits() -> None:
    counts = np.array([2 * 10**18 - 1, 2 * 10**18, 2 * 10**18 + 1], dtype=np.int64)
    limit = Fraction(2, 5)
    assert at_most(counts, np.full(3, 5 * 10**18, dtype=np.int64), limit).tolist() == [True, True, False]
    assert at_most(-counts, np.full(3, 5 * 10**18, dtype=np.int64), -limit).tolist() == [False, True, True]


@pytest.mark.parametrize(
    ("above", "below", "limit", "holds"),
    [
        (2 * 10**18, 4 * 10**18, Fraction(2, 5), False),  # the left product is beyond 64 bits
        (1, 5 * 10**18, Fraction(2, 5), True),  # the right one is
        (2**62, 2**62, Fraction(1, 2), False),  # the left one is just beyond
    ],
)
def test_at_most_does_not_overflow(above: int, below: int, limit: Fraction, holds: bool) -> None:
    assert at_most(np.array([above]), np.array([below]), limit).tolist() == [holds]


@pytest.mark.parametrize("below", [22, 23, 25, 29, 35, 43])
def test_at_most_settles_ties_that_floats_round_either_way(below: int) -> None:
    """With doubles, q times p/q may be less or more than p; the power of 2 makes the products too large for 64 bits."""
    times = 2**56
    for above in range(3, below):
        limit = Fraction(above, below)
        counts = np.array([above * times - 1, above * times, above * times + 1])
        assert at_most(counts, np.full(3, below * times), limit).tolist() == [True, True, False]


@settings(deadline=None)
@given(st.fractions(min_value=Fraction(1, 1000), max_value=1000), st.fractions(min_value=-8, max_value=8))
def test_compare_log_agrees_with_floats_where_these_can_tell(ratio: Fraction, other: Fraction) -> None:
    gap = math.log(ratio) - other
    if abs(gap) > 1e-9:
        assert compare_log(ratio, other) == (1 if gap > 0 else -1)


def test_compare_log_tells_what_floats_cannot() -> None:
    near = Fraction(Decimal(2).ln())  # 28 digits of the logarithm of 2
    assert compare_log(Fraction(1), Fraction(0)) == 0
    assert compare_log(Fraction(1), Fraction(1, 10**30)) == -1
    assert compare_log(Fraction(2), near + Fraction(1, 10**25)) == -1
    assert compare_log(Fraction(2), near - Fraction(1, 10**25)) == 1


@pytest.mark.parametrize("digits", [20, 25, 40, 70, 150, *range(240, 250)])
def test_compare_log_takes_as_many_digits_as_it_needs(digits: int) -> None:
    for ratio in (Fraction(2), Fraction(2, 3), Fraction(5, 7), Fraction(1, 9), Fraction(10, 11), Fraction(5, 13)):
        with localcontext() as context:
            context.prec = 300
            near = Fraction((Decimal(ratio.numerator) / Decimal(ratio.denominator)).ln())
        for sign in (-1, 1):
            assert compare_log(ratio, near - sign * Fraction(1, 10**digits)) == sign


@pytest.mark.parametrize(
    "long", ["1" * (DIGITS + 1), f"1e{DIGITS + 1}", f"1E-{DIGITS + 1}", Decimal(f"1e{DIGITS + 1}")]
)
def test_a_number_of_too_many_digits_is_not_read(long: str | Decimal) -> None:
    assert fraction(long) is long
    with pytest.raises(ValueError, match=f"Input should be a number of at most {DIGITS} digits$"):
        exact.written(long)


def test_a_number_may_have_so_many_digits() -> None:
    assert fraction("1" * DIGITS) == int("1" * DIGITS)
    assert fraction(f"1e{DIGITS}") == 10**DIGITS
    assert fraction(f"1e-{DIGITS}") == Fraction(1, 10**DIGITS)


@pytest.mark.parametrize("other", ["x", "", True, None, Decimal("nan")])
def test_what_is_no_number_is_told_as_that(other: Any) -> None:
    assert fraction(other) is other
    with pytest.raises(ValueError, match=r"Input should be a number$"):
        exact.written(other)
