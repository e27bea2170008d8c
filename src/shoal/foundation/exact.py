"""Exact comparisons of counts with decimal thresholds: no epsilon decides who is safe.

A comparison is first made in floating point with a generous bound on its error, which settles
all but the near ties; the near ties are settled in integers (or, for logarithms of rationals,
in decimals of growing precision, which ends because such a logarithm is never rational).
"""

import re
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import PlainSerializer, PlainValidator, WithJsonSchema

from shoal.foundation.budgets import DIGITS
from shoal.foundation.documents import is_short

_EXPONENT = re.compile(r"[eE]([+-]?[0-9_]+)")
_SLACK = 1e-9  # far above the rounding of a few float64 operations; a near tie goes to integers


def fraction(value: Any) -> Any:
    """Read a number as the decimal that was written: 0.1 is one tenth.

    One of more than a thousand digits, those that its exponent stands for included, is returned as it is.
    """
    if isinstance(value, bool) or not isinstance(value, int | float | str | Decimal | Fraction):
        return value
    if isinstance(value, str | Decimal) and not _is_short(value):
        return value
    try:
        return Fraction(repr(value) if isinstance(value, float) else value)
    except (ValueError, OverflowError, ZeroDivisionError):
        return value


def _is_short(value: str | Decimal) -> bool:
    """Tell whether a number has few digits; a text that is none has, too."""
    if isinstance(value, Decimal):
        return is_short(value)
    if len(value) > DIGITS:
        return False
    exponent = _EXPONENT.search(value)
    return exponent is None or abs(int(exponent[1])) <= DIGITS


def _read(value: Any) -> Fraction:
    number = fraction(value)
    if not isinstance(number, Fraction):
        if isinstance(value, str | Decimal) and not _is_short(value):
            raise ValueError(f"Input should be a number of at most {DIGITS} digits")
        raise ValueError("Input should be a number")  # noqa: TRY004  (pydantic turns a ValueError into its own)
    return number


def written(value: Any) -> int | float | str:
    """Write a whole number or a decimal as a number, and a ratio that no float gives back as a text, e.g. `1/3`."""
    number = _read(value)
    if number.denominator == 1:
        return number.numerator
    return float(number) if fraction(float(number)) == number else str(number)


ExactNumber = Annotated[
    int | float | Fraction,
    PlainValidator(_read),
    PlainSerializer(written, return_type=int | float | str),
    WithJsonSchema({"anyOf": [{"type": "number"}, {"type": "string", "description": "A decimal or a ratio: 1/3."}]}),
]
"""A number of a request, kept as the decimal that was written."""


def at_most(numerators: NDArray[np.int64], denominators: NDArray[np.int64], limit: Fraction) -> NDArray[np.bool_]:
    """Return where `numerator / denominator <= limit`, exactly; denominators are positive."""
    largest = max(
        int(np.abs(numerators).max(initial=1)) * limit.denominator,
        int(np.abs(denominators).max(initial=1)) * abs(limit.numerator),
    )
    if largest < 2**63:
        return numerators * limit.denominator <= denominators * limit.numerator
    left = numerators.astype(np.float64)
    right = denominators.astype(np.float64) * float(limit)
    holds: NDArray[np.bool_] = left <= right
    for i in np.flatnonzero(np.abs(left - right) <= _SLACK * (np.abs(left) + np.abs(right))):
        holds[i] = int(numerators[i]) * limit.denominator <= limit.numerator * int(denominators[i])
    return holds


def compare_log(ratio: Fraction, other: Fraction) -> int:
    """Return the sign of `ln(ratio) - other`, exactly, for a positive ratio.

    The logarithm of a rational other than 1 is irrational, so either both are zero or the
    digits part sooner or later.
    """
    if ratio == 1:
        return (other < 0) - (other > 0)
    digits = 30
    while True:
        with localcontext() as context:
            context.prec = digits
            gap = (Decimal(ratio.numerator) / Decimal(ratio.denominator)).ln()
            gap -= Decimal(other.numerator) / Decimal(other.denominator)
            if abs(gap) > Decimal(10) ** (8 - digits):
                return 1 if gap > 0 else -1
        digits *= 2
