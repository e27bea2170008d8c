"""Classes that are filled, against all ways to share the records out; and what may not happen on the way."""

from itertools import product

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from shoal.kernels.rules.filling import Assignment, assign, covered_points, fill_assignment, linked_lists

LEAST = 2
SEEDS = st.integers(0, 10_000)


def places(rng: np.random.Generator, n_points: int, n_classes: int, n_profiles: int = 1) -> Assignment:
    """Return points of one to three records, each covered by some classes and in the first of them."""
    counts = rng.integers(1, 4, n_points)
    point = np.repeat(np.arange(n_points), counts)
    options = np.full((n_points, n_classes), -1, dtype=np.int32)
    for own in options:
        found = rng.permutation(n_classes)[: rng.integers(0, n_classes + 1)]
        own[: len(found)] = found
    label = options[point, 0].astype(np.int64)
    return Assignment(
        np.concatenate([[0], np.cumsum(counts)]),
        point,
        rng.integers(0, n_profiles, len(point)).astype(np.int32),
        options,
        *covered_points(options, n_classes),
        np.ones(n_classes, dtype=np.bool_),
        label,
        *linked_lists(label, n_classes),
    )


def check(found: Assignment) -> None:
    """Check that the lists of records and the sizes are those of the labels, and that classes cover their records."""
    for c in range(len(found.sizes)):
        members, i, last = [], int(found.heads[c]), -1
        while i >= 0:
            assert found.before[i] == last
            members.append(i)
            i, last = int(found.after[i]), i
        assert sorted(members) == np.flatnonzero(found.label == c).tolist()
        assert found.sizes[c] == len(members)
    for i, c in enumerate(found.label.tolist()):
        assert c < 0 or c in found.options[found.point[i]]


def fillable(found: Assignment, filled: NDArray[np.bool_]) -> bool:
    """Tell by trial whether the records that are in classes can be shared out so that these classes have enough."""
    ways = [[c for c in found.options[p].tolist() if c >= 0] or [-1] for p in found.point.tolist()]
    return any(
        (np.bincount(np.array(way) + 1, minlength=len(filled) + 1)[1:][filled] >= LEAST).all() for way in product(*ways)
    )


@settings(max_examples=60, deadline=None)
@given(SEEDS)
def test_points_of_classes(seed: int) -> None:
    found = places(np.random.default_rng(seed), 5, 4)
    for c in range(4):
        own = found.covered[found.begins[c] : found.begins[c + 1]].tolist()
        assert own == [p for p in range(5) if c in found.options[p]]
    check(found)
    assign(found, 0, 3)
    assert found.label[0] == 3
    assert found.sizes.sum() == (found.label >= 0).sum()


@settings(max_examples=100, deadline=None)
@given(SEEDS, st.integers(1, 4), st.integers(2, 3))
def test_all_classes_are_filled_if_that_is_possible(seed: int, n_points: int, n_classes: int) -> None:
    found = places(np.random.default_rng(seed), n_points, n_classes)
    before, used = found.sizes.copy(), found.sizes > 0
    fill_assignment(found, np.flatnonzero(used), LEAST, n_classes)
    check(found)
    assert ((found.sizes >= np.minimum(before, LEAST)) | ~used).all()
    assert (found.sizes[used] >= LEAST).all() == fillable(found, used)
