"""The range of shares is that of all ways to remove records of classes, one by one."""

from itertools import product
from random import Random

import numpy as np
import pytest

from shoal.search.lattice.release_shares import _largest


def largest(rates: list[float], sizes: list[int], count: float, records: int, spare: int) -> float:
    """Try all numbers of records of each class; where nothing may be left, say 1."""
    found = []
    for gone in product(*(range(size + 1) for size in sizes)):
        if sum(gone) <= spare:
            left = records - sum(gone)
            less = sum(number * rate for number, rate in zip(gone, rates, strict=True))
            found.append((count - less) / left if left else 1.0)
    return max(found)


@pytest.mark.parametrize("seed", range(40))
def test_the_largest_share_is_that_of_all_ways_to_remove_records(seed: int) -> None:
    """Some records are in classes that stay, unless all may go; one value is in no class, and one in all."""
    draw = Random(seed)  # noqa: S311
    sizes = [draw.randint(1, 4) for _ in range(draw.randint(0, 4))]
    staying, values = draw.randint(0 if sizes else 1, 2), 4
    held = [[0, size, *(draw.randint(0, size) for _ in range(values - 2))] for size in sizes]
    counts = [sum(own[value] for own in held) + draw.randint(0, staying) for value in range(values)]
    records = sum(sizes) + staying
    rates = np.array(held, dtype=np.float64).reshape(-1, values) / np.array(sizes, dtype=np.float64)[:, None]
    for spare in range(records + 1):
        found = _largest(rates, np.array(sizes, dtype=np.float64), np.array(counts, dtype=np.float64), records, spare)
        expected = [largest(rates[:, v].tolist(), sizes, counts[v], records, spare) for v in range(values)]
        assert found == pytest.approx(expected)
