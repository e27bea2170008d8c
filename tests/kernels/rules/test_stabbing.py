import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from shoal.kernels.rules.stabbing import Boxes, BoxTree, bound_nodes, build_tree, stab

PLACES = 130  # more than there are bits
MOST = 3  # boxes that are wanted


def plain(
    points: NDArray[np.int64],
    low: NDArray[np.int64],
    high: NDArray[np.int64],
    sets: list[list[int]],
    living: list[bool],
) -> list[list[int]]:
    """Look at every box; the last column of a box with a set is that set."""
    found = []
    for point in points.tolist():
        inside = [
            box
            for box, members in enumerate(sets)
            if living[box]
            and all(low[box, j] <= place <= high[box, j] for j, place in enumerate(point))
            and (not members or point[-1] in members)
        ]
        found.append([*inside, *[-1] * MOST][:MOST])
    return found


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10_000), n_boxes=st.integers(0, 60), width=st.integers(1, 4), wide=st.integers(1, 60))
def test_points_find_the_first_boxes_that_hold_them(seed: int, n_boxes: int, width: int, wide: int) -> None:
    rng = np.random.default_rng(seed)
    low = rng.integers(0, PLACES, (n_boxes, width))
    high = np.minimum(low + rng.integers(-1, wide, (n_boxes, width)), PLACES - 1)
    sets: list[list[int]] = []
    for box in range(n_boxes):
        inside = np.arange(low[box, -1], high[box, -1] + 1)
        chosen = inside[rng.random(len(inside)) < 0.5]
        some = rng.random() < 0.5 and len(chosen) > 0
        sets.append(chosen.tolist() if some else [])
    group = -(-PLACES // 64)
    marks = np.zeros((n_boxes, 1), dtype=np.uint64)
    for box, members in enumerate(sets):
        for place in members or range(low[box, -1], high[box, -1] + 1):
            marks[box, 0] |= np.uint64(1) << np.uint64(place // group)
    boxes = Boxes(
        low,
        high,
        np.array([width - 1]),
        np.array([group]),
        marks,
        np.arange(n_boxes)[:, None],
        np.cumsum([0, *map(len, sets)]),
        np.array([place for members in sets for place in members], dtype=np.int64),
    )
    tree = build_tree(low, high, np.full(width, PLACES))
    assert sorted(tree[0].tolist()) == list(range(n_boxes))
    thicket = BoxTree(*tree, *bound_nodes(*tree[:3], low, high, marks))
    points = rng.integers(0, PLACES, (50, width))
    living = rng.random(n_boxes) < 0.8
    found = np.zeros((len(points), MOST), dtype=np.int32)
    stab(points, living, boxes, thicket, found)
    assert found.tolist() == plain(points, low, high, sets, living.tolist())
