"""The brute force of radii on tables that can be seen through."""

import numpy as np

from tests.oracles.clusters.gathering import diameter_of, least, one_by_one, radius_of

LINE = np.abs(np.subtract.outer([0.0, 1, 2, 8, 9, 30], [0.0, 1, 2, 8, 9, 30]))


def test_a_line_by_hand() -> None:
    assert radius_of(LINE, [0, 1, 2]) == 1
    assert radius_of(LINE, [0, 2]) == 1  # around a record of another cluster
    assert diameter_of(LINE, [0, 1, 2]) == 2
    assert least(LINE[:5, :5], 2) == 1
    assert least(LINE[:5, :5], 2, diameter=True) == 2
    assert least(LINE, 2) == 21
    assert least(LINE, 2, left_out=1) == 1
    assert least(LINE, 2, left_out=1, clusters=1) == 7
    assert least(LINE, 6) == 21
    assert least(LINE, 2, left_out=6) == 1
    assert least(LINE, 1, clusters=3) == 1
    assert least(LINE, 1) == 0
    assert least(LINE, 7) == np.inf


def test_records_at_one_point() -> None:
    pair = one_by_one(np.array([[0.0, 5], [5, 0]]), [3, 1])
    assert pair.tolist() == [[0, 0, 0, 5], [0, 0, 0, 5], [0, 0, 0, 5], [5, 5, 5, 0]]
    assert least(pair, 2) == 5
    assert least(pair, 2, left_out=1) == 0
