"""Each kernel of covering against its twin in plain Python."""

from collections import Counter

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from shoal.kernels.audits.covering import count_covering, intersect, list_covering, lowest_bit

quick = settings(deadline=None, max_examples=25)


@given(st.integers(1, 2**64 - 1))
@quick
def test_the_lowest_bit(word: int) -> None:
    assert lowest_bit(np.uint64(word)) == (word & -word).bit_length() - 1


@given(st.integers(1, 150), st.integers(1, 3), st.integers(0, 30), st.integers(0, 2**32 - 1))
@quick
def test_the_classes_that_cover_a_point(n_classes: int, n_columns: int, n_points: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    covered = [rng.random((3, n_classes)) < 0.7 for _ in range(n_columns)]
    points = np.unique(rng.integers(0, 3, (n_points, n_columns)), axis=0).astype(np.int32)
    sizes, weights = rng.integers(1, 9, n_classes), rng.integers(1, 5, len(points))
    starts = np.arange(n_columns, dtype=np.int64) * 3
    bits = np.concatenate([packed(part) for part in covered])
    matched = [
        [c for c in range(n_classes) if all(covered[j][point[j], c] for j in range(n_columns))] for point in points
    ]
    classes, records, persons = count_covering(points, starts, bits, sizes, weights)
    assert classes.tolist() == [len(part) for part in matched]
    assert records.tolist() == [sizes[part].sum() for part in matched]
    assert persons.tolist() == [
        sum(w for w, part in zip(weights, matched, strict=True) if c in part) for c in range(n_classes)
    ]
    listed = list_covering(points, starts, bits, int(classes.sum()))
    assert listed.tolist() == [c for part in matched for c in part]


def packed(covered: NDArray[np.bool_]) -> NDArray[np.uint64]:
    words = -(-covered.shape[1] // 64)
    padded = np.zeros((len(covered), words * 64), dtype=np.bool_)
    padded[:, : covered.shape[1]] = covered
    return np.packbits(padded, axis=1, bitorder="little").view("<u8")


RELEASE = st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=4), min_size=1, max_size=4)


@given(RELEASE, RELEASE, st.data())
@quick
def test_what_two_releases_share(first: list[list[int]], second: list[list[int]], data: st.DataObject) -> None:
    n_persons = data.draw(st.integers(1, 4))
    chosen = [
        [sorted(data.draw(st.sets(st.integers(0, len(side) - 1)))) for _ in range(n_persons)]
        for side in (first, second)
    ]
    sides = []
    for side, lists in zip((first, second), chosen, strict=True):
        counts = [Counter(part) for part in side]
        sides.append(
            (
                np.cumsum([0, *map(len, lists)]),
                np.array([c for part in lists for c in part], dtype=np.int32),
                np.cumsum([0, *map(len, counts)]),
                np.array([v for count in counts for v in sorted(count)], dtype=np.int32),
                np.array([count[v] for count in counts for v in sorted(count)], dtype=np.int64),
            )
        )
    one, other, both, left = intersect(sides[0], sides[1], 4)
    for p in range(n_persons):
        a, b = (
            Counter(v for c in lists[p] for v in side[c]) for side, lists in zip((first, second), chosen, strict=True)
        )
        assert (one[p], other[p], both[p], left[p]) == (len(a), len(b), len(a & b), (a & b).total())
