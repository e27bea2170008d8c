"""Classes from neighbours: sizes, records, and what they cost."""

from collections.abc import Callable
from random import Random

import numpy as np
import pytest

from shoal.foundation.progress import silent
from shoal.search.local.decomposition import dealt, decomposed, largest_class
from shoal.search.neighbours.exact import QuasiRows, neighbours
from tests.search.tallies import forms_by, price, random_tally


def test_the_largest_class() -> None:
    assert [largest_class(k) for k in (1, 2, 3, 4, 5, 10)] == [1, 3, 5, 7, 10, 25]


@pytest.mark.parametrize("measure", ["tree", "stars", "entropy", "monotone-entropy", "lm", "ncp"])
@pytest.mark.parametrize("k", [1, 2, 3, 5, 7])
def test_classes_have_the_right_sizes_and_cost_at_most_the_factor(
    measure: str, k: int, seeds: Callable[[int], range]
) -> None:
    for seed in seeds(25):
        rng = Random(f"{measure} {k} {seed}")  # noqa: S311  (tables, not secrets)
        tally = random_tally(rng, rng.randint(k, 90), 3, rng.choice([2, 4, 8]))
        forms = forms_by(tally, measure)
        near = neighbours(QuasiRows.of(tally), tally.quasi, forms, k, silent)
        parts = decomposed(tally, forms, near, k)
        assert np.bincount(parts.points, weights=parts.counts).tolist() == tally.counts.tolist()
        assert parts.counts.min() > 0
        loss = 0.0
        for number in range(parts.n_classes):
            own = parts.classes == number
            size = int(parts.counts[own].sum())
            assert size >= k
            different = len(np.unique(parts.points[own]))
            assert size <= largest_class(k) or different == 1
            loss += size * price(forms, tally.codes[parts.points[own]])
        assert near.bound - 1e-9 <= loss <= largest_class(k) * near.bound + 1e-9


def test_a_row_gives_out_its_records_in_the_order_of_its_points() -> None:
    tallies = (random_tally(Random(seed), 30, 1, 2) for seed in range(20))  # noqa: S311
    tally = next(tally for tally in tallies if tally.n_points == 2)
    rows = QuasiRows(tally.codes[:1], np.array([30]), np.zeros(tally.n_points, dtype=np.int32))
    first, second = tally.counts.tolist()
    owners = np.zeros(3, dtype=np.int32)
    parts = dealt(tally, rows, owners, np.array([2, 0, 1], dtype=np.int32), np.array([5, first - 1, 30 - first - 4]))
    assert list(zip(parts.points.tolist(), parts.classes.tolist(), parts.counts.tolist(), strict=True)) == [
        (0, 0, first - 1),
        (0, 1, 1),
        (1, 1, second - 5),
        (1, 2, 5),
    ]
