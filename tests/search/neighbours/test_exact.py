"""Nearest neighbours by buckets are those of brute force."""

from collections.abc import Callable
from itertools import product
from random import Random

import numpy as np
import pytest

import shoal.search.neighbours.exact as module
from shoal.classes.tally import Tally
from shoal.foundation.progress import silent
from shoal.search.neighbours.exact import Neighbours, QuasiRows, Staircase, neighbours
from tests.search.tallies import distances, forms_by, random_tally

CELL_MEASURES = ("tree", "stars", "entropy", "monotone-entropy", "nonuniform-entropy", "lm", "ncp", "precision")


def check(tally: Tally, measure: str, k: int) -> Neighbours:
    forms = forms_by(tally, measure)
    found = neighbours(QuasiRows.of(tally), tally.quasi, forms, k, silent)
    rows = found.rows
    apart = distances(forms, rows.codes)
    for row in range(len(rows)):
        others = sorted((apart[row, other], other) for other in range(len(rows)) if other != row)
        records = [apart[row, row]] * (int(rows.counts[row]) - 1)
        records += [distance for distance, other in others for _ in range(rows.counts[other])]
        expected = records[k - 2] if k > 1 else apart[row, row]
        assert found.reach[row] == pytest.approx(expected, abs=1e-12)
        near = found.near[found.offsets[row] : found.offsets[row + 1]]
        assert len(set(near.tolist()) - {row}) == len(near)
        assert rows.counts[row] + rows.counts[near].sum() >= k
        assert (apart[row, near] <= found.reach[row] + 1e-12).all()
        assert (np.diff(apart[row, near]) >= -1e-12).all()
    assert found.bound == pytest.approx(float(found.reach @ rows.counts))
    return found


@pytest.mark.parametrize("measure", CELL_MEASURES)
@pytest.mark.parametrize("rows_per_vector", [0, 3, 10**9])
def test_the_neighbours_are_the_nearest(
    measure: str, rows_per_vector: int, monkeypatch: pytest.MonkeyPatch, seeds: Callable[[int], range]
) -> None:
    """By buckets alone, by both, and by looking everywhere alone."""
    monkeypatch.setattr(module, "_ROWS_PER_VECTOR", rows_per_vector)
    for seed in seeds(25):
        rng = Random(f"{measure} {seed}")  # noqa: S311  (tables, not secrets)
        n = rng.randint(1, 60)
        tally = random_tally(rng, n, 4, rng.choice([2, 5, 9]))
        check(tally, measure, rng.randint(1, min(n, 8)))


def test_keys_of_many_columns_need_several_words() -> None:
    rng = Random(5)  # noqa: S311
    tally = random_tally(rng, 40, 1, 8)
    while len(tally.quasi) < 30:
        tally = random_tally(rng, 40, 60, 9)
    assert Staircase.of(tally.quasi, forms_by(tally, "tree")).ladders.splits.tolist()[1] < 60
    check(tally, "tree", 3)


def test_a_row_with_k_records_needs_no_neighbour() -> None:
    rng = Random(1)  # noqa: S311
    tally = random_tally(rng, 50, 1, 3)
    found = check(tally, "lm", 2)
    for row in np.flatnonzero(found.rows.counts >= 2):
        assert found.offsets[row] == found.offsets[row + 1]
        assert found.reach[row] == 0.0


@pytest.mark.parametrize("measure", CELL_MEASURES)
def test_level_vectors_come_in_order_and_all_of_them(measure: str, seeds: Callable[[int], range]) -> None:
    for seed in seeds(20):
        tally = random_tally(Random(seed), 20, 4, 5)  # noqa: S311
        forms = forms_by(tally, measure)
        staircase = Staircase.of(tally.quasi, forms)
        seen = list(staircase.vectors())
        floors = [floor for floor, _ in seen]
        assert floors == sorted(floors)
        found = {tuple(places.tolist()) for _, places in seen}
        bottom = tuple(int(own[0]) for own in staircase.offsets)
        assert len(found) == len(seen)
        assert found | {bottom} == set(product(*(own.tolist() for own in staircase.offsets)))
        order = {places: number for number, (_, own) in enumerate(seen) for places in [tuple(own.tolist())]}
        for lower, higher in product(order, repeat=2):
            if lower != higher and all(a <= b for a, b in zip(lower, higher, strict=True)):
                assert order[lower] < order[higher]
        floor_of = {tuple(places.tolist()): floor for floor, places in seen}
        apart = distances(forms, tally.codes)
        for a, b in product(range(tally.n_points), repeat=2):
            if a != b:
                assert floor_of[meeting(staircase, tally, a, b)] <= apart[a, b]


def meeting(staircase: Staircase, tally: Tally, a: int, b: int) -> tuple[int, ...]:
    """Return the lowest place of each column at which two rows are generalized alike."""
    keys = staircase.ladders.keys
    pairs = zip(staircase.offsets, tally.codes[a].tolist(), tally.codes[b].tolist(), strict=True)
    return tuple(next(int(place) for place in own if keys[place + x] == keys[place + y]) for own, x, y in pairs)


def test_by_tree_and_stars_the_floors_are_the_prices(seeds: Callable[[int], range]) -> None:
    """Where each level has one price, all rows are done with at the same vector."""
    for measure in ("tree", "stars"):
        for seed in seeds(20):
            tally = random_tally(Random(seed), 30, 3, 6)  # noqa: S311
            rows = QuasiRows.of(tally)
            forms = forms_by(tally, measure)
            staircase = Staircase.of(tally.quasi, forms)
            apart = distances(forms, rows.codes)
            levels = {round(floor, 9) for floor, _ in staircase.vectors()} | {0.0}
            assert {round(float(distance), 9) for distance in apart.reshape(-1)} <= levels
