"""Record order: a random order of records that depends on what is published and on a seed, and on nothing else."""

from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.tables.hierarchies.hierarchy import Label
from shoal.tables.published import PublishedRows

_FACTORS = tuple(np.uint64(number) for number in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB))
_SHIFTS = tuple(np.uint64(number) for number in (30, 27, 31))


def key_of(seed: int) -> bytes:
    """Return a seed as the key of `sign`."""
    return seed.to_bytes(max((seed.bit_length() + 7) // 8, 1), "big")[-64:]


def sign(label: Label, key: bytes) -> int:
    """Return a number that looks random, the same for equal labels."""
    text = b"" if label is None else b"." + label.encode()
    return int.from_bytes(blake2b(text, digest_size=8, key=key).digest(), "big")


def places(signs: Sequence[NDArray[np.uint64]]) -> NDArray[np.uint64]:
    """Return the place of each row, given the signs of its labels, column by column."""
    found = np.zeros(len(signs[0]), dtype=np.uint64)
    for own in signs:
        found = _mixed(found + own)
    return found


def _mixed(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return numbers that look random (SplitMix64), equal ones for equal ones."""
    first, second, third = _FACTORS
    with np.errstate(over="ignore"):
        found = numbers + first
        found = (found ^ (found >> _SHIFTS[0])) * second
        found = (found ^ (found >> _SHIFTS[1])) * third
        return found ^ (found >> _SHIFTS[2])


def record_parts(blocks: Iterable[PublishedRows], size: int) -> Iterator[pl.DataFrame]:
    """Yield all records of some blocks of rows, so many at a time; nothing if there are none."""
    held: list[pl.DataFrame] = []
    wanted = size
    for rows in blocks:
        start, stop = 0, rows.n_records
        while start < stop:
            end = min(start + wanted, stop)
            held.append(rows.part(start, end))
            start, wanted = end, wanted - (end - start)
            if wanted == 0:
                yield pl.concat(held, how="vertical")
                held, wanted = [], size
    if held:
        yield pl.concat(held, how="vertical")
