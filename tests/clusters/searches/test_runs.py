"""The best classes on a line, against all partitions, by hand, and with many records at one place."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.clusters.searches.runs import best_runs
from tests.clusters.searches.test_cuts import classes, plane, squares
from tests.oracles.numbers import least_squared_errors


def test_by_hand() -> None:
    """MDAV takes 22 with 20, 0 with 1, and leaves 2, 10 and 11 together."""
    found = best_runs(plane([[11], [0], [1], [2], [10], [20], [22]]), 2)
    assert found is not None
    assert classes(found) == [[0, 4], [1, 2, 3], [5, 6]]
    assert found.bound == pytest.approx(2 + 0.5 + 2)


@settings(max_examples=60, deadline=None)
@given(numbers=st.lists(st.integers(-20, 20), min_size=1, max_size=9), k=st.integers(1, 4))
def test_no_partition_loses_less(numbers: list[int], k: int) -> None:
    if len(numbers) < k:
        return
    values, counts = np.unique(numbers, return_counts=True)
    points = plane(values[:, None].tolist(), counts.tolist())
    found = best_runs(points, k)
    assert found is not None
    assert found.sizes.min() >= k
    assert found.bound == pytest.approx(least_squared_errors(np.array(numbers)[:, None], k), rel=1e-9, abs=1e-9)
    assert squares(points, found) == pytest.approx(found.bound, rel=1e-9, abs=1e-9)


def test_large_numbers_do_not_cancel() -> None:
    found = best_runs(plane([[1e9 + x] for x in (0, 1, 2, 10, 11, 12)]), 3)
    assert found is not None
    assert found.bound == pytest.approx(4)


def test_two_columns_are_not_a_line() -> None:
    assert best_runs(plane([[0, 1], [1, 0]]), 1) is None
