"""Each kernel of the neighbour search against its twin in plain Python."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.kernels.neighbours.exact import (
    Ladders,
    NearestRows,
    add_near,
    buckets,
    concerned,
    keys_at,
    look_around,
    look_everywhere,
    meet_prices,
    row_price,
    still_asking,
)

quick = settings(deadline=None, max_examples=50)
seeds = st.integers(0, 2**32)


def nothing(rows: list[int], needs: list[int], width: int) -> NearestRows:
    n = len(rows)
    return NearestRows(
        np.array(rows, dtype=np.int32),
        np.array(needs, dtype=np.int64),
        np.empty((n, width), dtype=np.int32),
        np.empty((n, width)),
        np.zeros(n, dtype=np.int32),
        np.zeros(n, dtype=np.int64),
        np.full(n, np.inf),
    )


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 5)), max_size=12), st.integers(1, 9), seeds)
@quick
def test_the_nearest_are_kept_while_they_are_needed(offers: list[tuple[int, int]], need: int, seed: int) -> None:
    counts = np.random.default_rng(seed).integers(1, 4, 10)
    nearest = nothing([0], [need], need + 1)
    kept: list[tuple[int, int]] = []
    for row, distance in dict(offers).items():
        add_near(nearest, 0, row, float(distance), counts)
        kept.append((distance, row))
        kept.sort(key=lambda pair: pair[0])  # stable: of equal ones the first stays in front
        while sum(counts[other] for _, other in kept[:-1]) >= need:
            kept.pop()
        found = sum(counts[other] for _, other in kept)
        assert nearest.near[0, : nearest.lengths[0]].tolist() == [other for _, other in kept]
        assert nearest.far[0, : nearest.lengths[0]].tolist() == [float(far) for far, _ in kept]
        assert nearest.found[0] == found
        assert nearest.reach[0] == (kept[-1][0] if found >= need else np.inf)


@given(st.integers(1, 30), st.integers(1, 4), seeds)
@quick
def test_equal_generalized_rows_share_a_bucket(n: int, n_columns: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 4, (n, n_columns)).astype(np.int32)
    above = rng.integers(0, 3, (n_columns, 4))
    split = int(rng.integers(0, n_columns))  # columns from there on lie in a second word
    shifts = np.array([8 * (j if j < split else j - split) for j in range(n_columns)], dtype=np.uint64)
    keys = (above.astype(np.uint64) << shifts[:, None]).reshape(-1)
    splits = np.array([0, split, n_columns] if split else [0, n_columns])
    prices = rng.random(4 * n_columns)
    places = np.arange(n_columns) * 4
    ladders = Ladders(splits, keys, prices)
    asked = np.flatnonzero(rng.random(n) < 0.5).astype(np.int32)
    bucket_of, starts, members = buckets(asked, *keys_at(codes, ladders, places))
    lifted = [tuple(above[j, codes[i, j]] for j in range(n_columns)) for i in range(n)]
    for row, bucket in zip(asked.tolist(), bucket_of.tolist(), strict=True):
        alike = [other for other in range(n) if lifted[other] == lifted[row]]
        assert members[starts[bucket] : starts[bucket + 1]].tolist() == alike
    assert starts[-1] == len(members)
    for row in range(n):
        expected = sum(prices[places[j] + codes[row, j]] for j in range(n_columns))
        assert row_price(prices, places, codes, row) == pytest.approx(expected)
    nearest = nothing(list(range(n)), [1] * n, 2)
    nearest.reach[:] = rng.choice([0.0, n_columns / 2, np.inf], n)
    everyone = np.arange(n, dtype=np.int32)
    chosen = concerned(nearest, everyone, codes, ladders, places)
    paid = [row_price(prices, places, codes, row) for row in range(n)]
    assert chosen.tolist() == [row for row in range(n) if paid[row] < nearest.reach[row]]
    assert still_asking(nearest, everyone, 0.1).tolist() == np.flatnonzero(nearest.reach > 0.1).tolist()


def test_a_row_takes_what_is_new_to_it_from_its_own_place_on() -> None:
    """Five rows of one bucket, at the price 2; row 2 has row 3 at the price 1 already, and asks for 3 records."""
    codes = np.zeros((5, 1), dtype=np.int32)
    counts = np.ones(5, dtype=np.int64)
    nearest = nothing([2], [3], 4)
    add_near(nearest, 0, 3, 1.0, counts)
    ladders = Ladders(np.array([0, 1]), np.zeros(1, dtype=np.uint64), np.array([2.0]))
    places = np.zeros(1, dtype=np.int64)
    chosen, members = np.zeros(1, dtype=np.int32), np.arange(5, dtype=np.int32)
    bucket_of, starts = np.zeros(1, dtype=np.int32), np.array([0, 5])
    look_around(nearest, chosen, bucket_of, starts, members, codes, counts, ladders, places)
    assert nearest.near[0, :3].tolist() == [3, 4, 0]
    assert nearest.reach[0] == 2.0
    look_around(nearest, chosen, bucket_of, starts, members, codes, counts, ladders, places)
    assert nearest.near[0, :3].tolist() == [3, 4, 0]  # nothing nearer


# a tree of 4 leaves: 4 above 0 and 1, 5 above 2 and 3, 6 the root
PARENT = np.array([4, 4, 5, 5, 6, 6, 6], dtype=np.int32)
NODES = np.array([0, 7])
ABOVE = {node: {node} for node in range(7)}
for _child in range(5, -1, -1):
    ABOVE[_child] |= ABOVE[int(PARENT[_child])]


def test_the_price_of_every_meet() -> None:
    prices = np.arange(7.0) * 10
    for own in range(7):
        paid = np.empty(7)
        meet_prices(np.array([own], dtype=np.int32), NODES, PARENT, prices, paid)
        assert paid.tolist() == [10.0 * min(ABOVE[own] & ABOVE[other]) for other in range(7)]


@given(st.integers(2, 12), st.integers(1, 4), seeds)
@quick
def test_looking_everywhere_finds_the_nearest(n: int, need: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 4, (n, 2)).astype(np.int32)
    counts = rng.integers(1, 3, n)
    nodes, parent = np.array([0, 7, 14]), np.tile(PARENT, 2)
    prices = np.concatenate([[0.0] * 4, [1.0, 2.0, 3.0], [0.0] * 4, [0.5, 0.75, 4.0]])
    nearest = nothing([0], [need], need + 1)
    if n > 3:
        add_near(nearest, 0, 1, distance(codes[0], codes[1], prices), counts)
    look_everywhere(nearest, np.zeros(1, dtype=np.int32), codes, counts, nodes, parent, prices)
    records = sorted(distance(codes[0], codes[i], prices) for i in range(1, n) for _ in range(counts[i]))
    assert nearest.reach[0] == (records[need - 1] if len(records) >= need else np.inf)
    near = nearest.near[0, : nearest.lengths[0]].tolist()
    assert len(set(near)) == len(near)
    assert nearest.found[0] == counts[near].sum()


def distance(first: np.ndarray, second: np.ndarray, prices: np.ndarray) -> float:
    meets = [min(ABOVE[int(a)] & ABOVE[int(b)]) for a, b in zip(first, second, strict=True)]
    return float(sum(prices[7 * j + node] for j, node in enumerate(meets)))
