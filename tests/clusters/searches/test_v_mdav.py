"""V-MDAV against its plain twin, by hand, and in all spaces."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from shoal.clusters.searches.points import Points
from shoal.clusters.searches.v_mdav import v_mdav
from shoal.kernels.clock import clock
from tests.clusters.searches.test_cuts import classes, plane
from tests.oracles.clusters.metrics import KINDS, random_matrix


def plain(rows: NDArray[np.float64], k: int, gamma: float) -> list[list[int]]:
    """Return the classes record by record, as the paper's text says; of equal distances the first record counts."""
    far = np.sqrt(((rows[:, None] - rows[None]) ** 2).sum(axis=2))
    middle = np.sqrt(((rows - rows.mean(axis=0)) ** 2).sum(axis=1))
    free = list(range(len(rows)))
    found: list[list[int]] = []
    while len(free) >= 2 * k or (len(free) >= k and not found):
        first = max(free, key=lambda i: (middle[i], -i))
        own = [first]
        free.remove(first)
        while len(own) < k:
            own.append(min(free, key=lambda i: (far[first, i], i)))
            free.remove(own[-1])
        while len(own) < 2 * k - 1 and free:
            near = min(free, key=lambda i: (far[own, i].min(), i))
            apart = min((far[near, i] for i in free if i != near), default=np.inf)
            if not far[own, near].min() < gamma * apart:
                break
            own.append(near)
            free.remove(near)
        found.append(own)
    if len(free) >= k:
        found.append(free)
        free = []
    centres = np.array([rows[own].mean(axis=0) for own in found])
    for i, near in [(i, int(((centres - rows[i]) ** 2).sum(axis=1).argmin())) for i in free]:
        found[near].append(i)
    return sorted(sorted(own) for own in found)


def test_by_hand() -> None:
    """Three and four close together, k = 3: with gamma 0 one of the four goes with the others."""
    points = plane([[0], [1], [2], [3], [50], [51], [52]])
    assert classes(v_mdav(points, 3, 0.9)) == [[0, 1, 2, 3], [4, 5, 6]]
    assert classes(v_mdav(plane([[0], [1], [2], [3], [50], [51]]), 2, 0)) == [[0, 1], [2, 3], [4, 5]]


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6), k=st.integers(1, 4), n=st.integers(1, 40), gamma=st.sampled_from([0.0, 0.5, 1.1, 3]))
def test_as_the_plain_twin(seed: int, k: int, n: int, gamma: float) -> None:
    rows = np.unique(np.random.default_rng(seed).random((n, 2)), axis=0)
    if n < k:
        return
    assert classes(v_mdav(plane(rows.tolist()), k, gamma)) == plain(rows, k, gamma)


@pytest.mark.parametrize("kind", KINDS)
def test_any_metric_space_and_no_time(kind: str) -> None:
    points = Points.of_matrix(random_matrix(kind, 17, 1), np.array([1, 2] * 8 + [3]))
    for deadline in (np.inf, clock() - 1):
        found = v_mdav(points, 3, 1.0, deadline=deadline)
        assert np.bincount(found.points, weights=found.amounts).tolist() == points.counts.tolist()
        assert found.sizes.min() >= 3
