"""Sampling weights: how many of the population a record stands for, as whole numbers that add up exactly."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from shoal.classes.tally import Tally
from shoal.foundation.errors import SpecError
from shoal.tables.hierarchies.hierarchy import Label
from shoal.tables.hierarchies.numeric import DecimalMark, pointed, scaled

_MOST = 2**52  # the largest sum of all weights: it is exact as a float, too


def weighed(tally: Tally, name: str) -> Tally:
    """Return a tally that was counted by its column of sampling weights, with the weight of each of its values.

    Records of different weights are different points, so that a class, and each part of one, has the weight of its very
    records. Promises go on counting records: to them the column is one that they do not name.

    Raises:
        SpecError: A record has no weight above 0.
    """
    number = [column.name for column in tally.sensitive].index(name)
    column, codes = tally.sensitive[number], tally.profile_codes[:, number]
    counts = np.bincount(codes, tally.totals, len(column.values)).astype(np.int64)
    weights = whole_weights(column.values, counts, name)
    sensitive = list(tally.sensitive)
    sensitive[number] = replace(column, weights=weights)
    return replace(tally, sensitive=tuple(sensitive))


def whole_weights(values: Sequence[Label], counts: NDArray[np.int64], name: str) -> NDArray[np.int64]:
    """Return the weights of a column as whole numbers in the same proportion, with a sum of at most 2^52.

    They are exact where their decimals leave room for that. Else each is rounded, by less than one part in 2^52 of the
    sum of all; none is rounded to 0.

    Args:
        values: The different values of the column.
        counts: The number of records of each.
        name: The name of the column, for messages.

    Raises:
        SpecError: A record has no weight above 0.
    """
    texts = _pointed(values)
    found = scaled([text for text in texts if text is not None])
    assert found is not None  # noqa: S101  (each of them is a number)
    each = iter(found[0])
    numbers = [0 if text is None else next(each) for text in texts]
    bad = sum(int(count) for number, count in zip(numbers, counts, strict=True) if number <= 0)
    if bad:
        raise SpecError(f"Column '{name}' has no sampling weight above 0 in {bad} records: each needs one.")
    total, most = sum(number * int(count) for number, count in zip(numbers, counts, strict=True)), _MOST
    if total > most:
        most -= int(counts.sum())  # each may be rounded up
        numbers = [max((2 * number * most + total) // (2 * total), 1) for number in numbers]
    return np.array(numbers, dtype=np.int64)


def _pointed(values: Sequence[Label]) -> list[str | None]:
    """Return each value as a number with a point before its decimals, or None; a comma stands there if all have it."""

    def read(decimal: DecimalMark) -> list[str | None]:
        return [pointed(value, decimal) if isinstance(value, str) else None for value in values]

    texts = read(".")
    if None in texts:
        others = read(",")
        texts = others if others.count(None) < texts.count(None) else texts
    return texts
