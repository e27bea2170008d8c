"""Every centre gets enough, if and only if that can be done."""

from itertools import product
from random import Random

import numpy as np
import pytest

from shoal.clusters.searches.flows import filled


def possible(reach: list[list[int]], counts: list[int], need: int) -> bool:
    """Tell whether records can be given to centres, by trying every number of records of each point for each."""
    n_centres = len(reach)
    sizes = {(0,) * n_centres}
    for point, count in enumerate(counts):
        near = [centre for centre in range(n_centres) if point in reach[centre]]
        shares = [share for share in product(range(count + 1), repeat=len(near)) if sum(share) == count]
        sizes = {
            tuple(size + (share[near.index(centre)] if centre in near else 0) for centre, size in enumerate(before))
            for before in sizes
            for share in shares
        }
    return any(min(size) >= need for size in sizes)


@pytest.mark.parametrize("seed", range(150))
def test_against_all_assignments(seed: int) -> None:
    draw = Random(seed)  # noqa: S311
    n_points, n_centres, need = draw.randint(1, 5), draw.randint(1, 3), draw.randint(1, 4)
    counts = [draw.randint(1, 3) for _ in range(n_points)]
    owner = [draw.randrange(n_centres) for _ in range(n_points)]
    reach = [
        [point for point in range(n_points) if owner[point] == centre or draw.random() < 0.4]
        for centre in range(n_centres)
    ]
    starts = np.cumsum([0, *map(len, reach)]).astype(np.int64)
    within = np.array([point for points in reach for point in points], dtype=np.int32)
    found = filled(starts, within, np.array(counts), np.array(owner), need)
    assert (found is not None) == possible(reach, counts, need)
    if found is not None:
        points, centres, amounts = found
        assert amounts.min() >= 1
        assert len({*zip(points.tolist(), centres.tolist(), strict=True)}) == len(points)
        assert np.bincount(points, weights=amounts).tolist() == counts
        assert np.bincount(centres, weights=amounts, minlength=n_centres).min() >= need
        assert all(point in reach[centre] for point, centre in zip(points.tolist(), centres.tolist(), strict=True))


def test_nothing_moves_where_all_have_enough() -> None:
    found = filled(np.array([0, 2]), np.array([0, 1], dtype=np.int32), np.array([2, 1]), np.array([0, 0]), 3)
    assert found is not None
    assert [part.tolist() for part in found] == [[0, 1], [0, 0], [2, 1]]
