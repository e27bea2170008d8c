"""The residue against all ways to take records out of classes, and what it proves."""

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from random import Random

import numpy as np
import pytest
from numpy.typing import NDArray

from shoal.search.local.residue import residue_of

SHARES = (Fraction(1, 2), Fraction(1, 3), Fraction(2, 5), Fraction(1))


def passes(one: NDArray[np.int64], share: Fraction, k: int) -> bool:
    return one.sum() == 0 or (one.max() <= share * int(one.sum()) and one.sum() >= k)


def fewest(counts: NDArray[np.int64], share: Fraction, k: int) -> int:
    """Return the least number of records to take out, by all ways to do so."""
    reached = {(0,) * counts.shape[1]}
    for row in counts.tolist():
        ways = [
            way
            for way in product(*(range(count + 1) for count in row))
            if passes(np.subtract(row, way, dtype=np.int64), share, k)
        ]
        reached = {tuple(map(sum, zip(gone, way, strict=True))) for gone in reached for way in ways}
    return min(sum(gone) for gone in reached if passes(np.array(gone), share, k))


def cases(number: int) -> list[tuple[NDArray[np.int64], Fraction, int]]:
    """Return tables of up to four classes and three values that keep the promise as a whole."""
    found: list[tuple[NDArray[np.int64], Fraction, int]] = []
    seed = 0
    while len(found) < number:
        rng = Random(seed)  # noqa: S311
        seed += 1
        rows = [[rng.choice([0, 0, 1, 1, 2, 3]) for _ in range(3)] for _ in range(rng.randint(1, 4))]
        counts = np.array([row for row in rows if any(row)] or [[1, 1, 1]], dtype=np.int64)
        share, k = rng.choice(SHARES), rng.choice([1, 1, 2, 3])
        if passes(counts.sum(axis=0), share, k) and counts.sum() <= 12:
            found.append((counts, share, k))
    return found


def test_no_release_takes_fewer_than_it_proves_and_it_takes_at_most_l_times_as_many(
    seeds: Callable[[int], range],
) -> None:
    for counts, share, k in cases(len(seeds(240))):
        residue = residue_of(counts, share, k)
        kept = counts - residue.taken
        assert (residue.taken >= 0).all()
        assert (kept >= 0).all()
        assert all(passes(one, share, k) for one in [*kept, residue.taken.sum(axis=0)])
        best = fewest(counts, share, k)
        assert residue.least <= best <= residue.size
        assert residue.size <= max(float(1 / share), float(k)) * residue.least


@pytest.mark.parametrize("seed", range(4))
def test_many_classes(seed: int) -> None:
    rng = np.random.default_rng(seed)
    counts = rng.poisson(0.6, (400, 8)).astype(np.int64)
    for share in SHARES[:3]:
        residue = residue_of(counts, share)
        kept = counts - residue.taken
        assert all(passes(one, share, 1) for one in [*kept, residue.taken.sum(axis=0)])
        assert residue.size <= residue.least / share


def test_by_hand() -> None:
    """Two u are too many in the first class, and need two others: the second spares a v, and then one of its two w."""
    residue = residue_of(np.array([[3, 1, 0], [1, 2, 2]]), Fraction(1, 2))
    assert (residue.least, residue.size) == (4, 4)
    assert residue.taken.tolist() == [[2, 0, 0], [0, 1, 1]]
    assert residue_of(np.array([[1, 1]]), Fraction(1, 2)).size == 0


def test_a_class_that_is_too_small_is_taken_whole_and_gets_company() -> None:
    residue = residue_of(np.array([[1], [4]]), Fraction(1), 3)
    assert (residue.least, residue.size) == (3, 5)
