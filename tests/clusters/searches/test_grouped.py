"""Classes within groups never mix values, and a group that is too small is told without its value."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.clusters.searches.cuts import cut_classes
from shoal.clusters.searches.grouped import in_groups
from shoal.foundation.errors import InfeasibleError
from shoal.foundation.progress import silent
from tests.clusters.searches.test_cuts import plane


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6), k=st.integers(1, 3), n=st.integers(1, 40), most=st.sampled_from([5, 100]))
def test_no_class_mixes_groups(seed: int, k: int, n: int, most: int) -> None:
    rng = np.random.default_rng(seed)
    rows = np.unique(rng.integers(0, 4, (n, 2)), axis=0)
    points = plane(rows.tolist(), rng.integers(1, 4, len(rows)).tolist())
    groups = {value: int(points.counts[rows[:, 0] == value].sum()) for value in rows[:, 0].tolist()}
    small = sum(size < k for size in groups.values())
    if small:
        with pytest.raises(InfeasibleError, match=f"{small} of {len(groups)} groups"):
            in_groups(points, points.positions[:1], "a", k, lambda some, _: cut_classes(some, k), most, silent)
        return
    found = in_groups(points, points.positions[:1], "a", k, lambda some, _: cut_classes(some, k), most, silent)
    held = np.bincount(found.points, weights=found.amounts, minlength=len(points))
    assert held.tolist() == points.counts.tolist()
    assert found.sizes.min() >= k
    for owner in range(found.n_clusters):
        assert len(set(rows[found.points[found.owners == owner], 0].tolist())) == 1


def test_missing_numbers_are_a_group() -> None:
    points = plane([[0, 1], [0, 2], [1, 3], [1, 4]])
    rows = np.array([[np.nan, np.nan, 0.0, 0.0]])
    found = in_groups(points, rows, "a", 2, lambda some, _: cut_classes(some, 2), 100, silent)
    assert sorted(found.points[found.owners == found.owners[0]].tolist()) == [0, 1]
