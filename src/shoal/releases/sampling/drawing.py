"""Drawing: which records are kept, by random numbers of the operating system that nobody can repeat."""

import secrets
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

_WORD = 64  # bits of a random number


def kept(share: Fraction, n: int) -> NDArray[np.bool_]:
    """Return which of `n` records are kept, each with just this probability.

    A number from 0 to below the denominator decides; numbers of 64 bits beyond its last multiple are drawn again.
    """
    numerator, denominator = share.numerator, share.denominator
    last = np.uint64(2**_WORD // denominator * denominator - 1)
    words = _random(n)
    while (beyond := np.flatnonzero(words > last)).size:
        words[beyond] = _random(len(beyond))
    return words % np.uint64(denominator) < np.uint64(numerator)


def one_of_each(persons: NDArray[np.integer]) -> NDArray[np.bool_]:
    """Return one record of each person, whose number each record has; which one, is drawn."""
    order = np.lexsort((_random(len(persons)), persons))
    chosen = np.zeros(len(persons), dtype=np.bool_)
    chosen[order[np.flatnonzero(np.diff(persons[order].astype(np.int64), prepend=-1))]] = True
    return chosen


def _random(n: int) -> NDArray[np.uint64]:
    return np.frombuffer(secrets.token_bytes(n * _WORD // 8), dtype=np.uint64).copy()
