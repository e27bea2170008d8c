from random import Random

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shoal.kernels.audits.uniques import lone_points, met_points

POINTS = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(0, 2), st.integers(-1, 3)), max_size=40)


@given(POINTS, st.sets(st.integers(0, 2)), st.sampled_from([1, 1_000, 2**29]))
def test_lone_points_have_values_of_one_owner(
    points: list[tuple[int, int, int, int]], chosen: set[int], step: int
) -> None:
    """Whether the values of a point are a place in an array, one number, or too many for that."""
    table = np.array(points, dtype=np.int32).reshape(-1, 4)
    found = lone_points(
        np.ascontiguousarray(table[:, :3].T * np.int32(step)),
        np.array(sorted(chosen), dtype=np.int64),
        table[:, 3].astype(np.int64),
    )
    for i, lone in enumerate(found):
        owners = {p[3] for p in points if all(p[j] == points[i][j] for j in chosen)}
        assert lone == (len(owners) == 1 and owners != {-1})


@given(POINTS, st.sets(st.integers(0, 2)), st.randoms())
def test_met_points_share_values_with_another_owner(
    points: list[tuple[int, int, int, int]], chosen: set[int], rng: Random
) -> None:
    table = np.array(points, dtype=np.int32).reshape(-1, 4)
    asking = [i for i, point in enumerate(points) if point[3] >= 0]
    others = [i for i in range(len(points)) if rng.random() < 0.5]
    found = met_points(
        np.ascontiguousarray(table[:, :3].T),
        np.array(sorted(chosen), dtype=np.int64),
        table[:, 3].astype(np.int64),
        np.array(asking, dtype=np.int64),
        np.array(others, dtype=np.int64),
    )
    for i, met in zip(asking, found, strict=True):
        owners = {points[o][3] for o in others if all(points[o][j] == points[i][j] for j in chosen)}
        assert met == bool(owners - {points[i][3]})
