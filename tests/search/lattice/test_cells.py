"""Codes are packed into words without loss, and into as few words as they fit in one after the other."""

from dataclasses import replace
from random import Random

import numpy as np
import pytest
from numpy.typing import NDArray

from shoal.kernels.prices import unpack
from shoal.search.lattice.cells import KeyLayout, Packing
from tests.oracles.plain import Rules
from tests.oracles.problems import problem_of
from tests.oracles.random_tables import random_table


def unpacked(layout: KeyLayout, keys: NDArray[np.uint64]) -> NDArray[np.int32]:
    return unpack(keys, layout.words, layout.shifts, layout.masks)


@pytest.mark.parametrize(
    ("sizes", "n_words"),
    [
        ([2] * 64, 1),
        ([2] * 65, 2),
        ([2] * 128, 2),
        ([1] * 64, 1),  # a column with one value has a bit, too
        ([3] * 32, 1),
        ([4] * 32, 1),
        ([5] * 21 + [2], 1),
        ([5] * 22, 2),
        ([2**31, 2**31, 4], 1),
        ([2**31, 2**31, 5], 2),
        ([2**31, 2**31, 2**31, 2], 2),  # a code is never parted
    ],
)
def test_words_are_filled_to_the_last_bit(sizes: list[int], n_words: int) -> None:
    codes = np.array([[0] * len(sizes), [size - 1 for size in sizes]], dtype=np.int32)
    layout = KeyLayout.of(sizes)
    keys = layout.pack(codes)
    assert keys.shape == (n_words, 2)
    assert (unpacked(layout, keys) == codes).all()


@pytest.mark.parametrize("seed", range(10))
def test_what_is_packed_can_be_read_and_columns_taken_out(seed: int) -> None:
    rng = Random(seed)  # noqa: S311
    sizes = [2 ** rng.randint(0, 20) + rng.randint(0, 3) for _ in range(rng.randint(1, 12))]
    codes = np.array([[rng.randrange(size) for size in sizes] for _ in range(20)], dtype=np.int32)
    layout = KeyLayout.of(sizes)
    keys = layout.pack(codes)
    assert (unpacked(layout, keys) == codes).all()
    starred = rng.sample(range(len(sizes)), rng.randint(0, len(sizes)))
    codes[:, starred] = 0
    assert len(layout.without(starred)) == len(keys)
    assert (unpacked(layout, keys & layout.without(starred)[:, None]) == codes).all()


def test_each_population_is_counted_by_itself() -> None:
    """Of the second there are three times as many people, in the classes and outside."""
    tally = problem_of(random_table(Random(8), people=True), Rules(())).tally  # noqa: S311
    people = next(iter(tally.populations.values()))
    two = Packing(replace(tally, populations={"first": people, "second": 3 * people}))
    one = Packing(tally).grouping(Packing(tally).bottom())
    both = two.grouping(two.bottom())
    (inside,), (outside,) = one.populations.values(), one.outside.values()
    assert inside.sum() > 0 < outside
    assert both.populations["first"].tolist() == inside.tolist()
    assert both.populations["second"].tolist() == (3 * inside).tolist()
    assert both.outside == {"first": outside, "second": 3 * outside}
