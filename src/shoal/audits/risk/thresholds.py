"""Thresholds of risk, and the class sizes that keep them."""

from fractions import Fraction
from math import ceil

THRESHOLDS = tuple(Fraction(text) for text in ("0.33", "0.2", "0.1", "0.09", "0.05"))
"""What releases are usually held to, from data under contract to open data."""


def k_for(threshold: Fraction) -> int:
    """Return the least class size with a risk of at most the threshold: 12 for 0.09, since 1/11 is above it."""
    return ceil(1 / threshold)
