"""Each kernel of the greedy cover against a twin of a few lines, or by hand."""

import heapq

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from shoal.kernels.local.cover import (
    CoverState,
    Heap,
    Pool,
    cover_below,
    fill_class,
    newly_covered,
    push,
    push_patterns,
    sink,
    spare_records,
    take_records,
)
from shoal.kernels.local.patterns import PatternTable

quick = settings(deadline=None, max_examples=40)  # the kernels compile on the first call


def heap_of(size: int) -> Heap:
    return Heap(np.zeros(1, dtype=np.int64), np.zeros(size), np.zeros(size, dtype=np.int64))


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 9), st.booleans()), max_size=60))
@quick
def test_the_least_is_on_top(turns: list[tuple[int, int, bool]]) -> None:
    """Entries are added, or take the place of the top."""
    heap, twin = heap_of(60), list[tuple[float, int]]()
    for key, tie, add in turns:
        if add or not twin:
            push(heap, key / 2, tie)
            heapq.heappush(twin, (key / 2, tie))
        else:
            sink(heap, 0, key / 2, tie)
            heapq.heapreplace(twin, (key / 2, tie))
        assert (heap.keys[0], heap.ties[0]) == twin[0]
        assert heap.size[0] == len(twin)


def grid_of(letters: str, counts: list[int]) -> PatternTable:
    """Return one column of letters below a star, as a grid whose second step is the star, which costs 1."""
    codes = np.array([[ord(letter) - ord("a") for letter in letters]], dtype=np.int32)
    n = int(codes.max()) + 1
    return PatternTable(
        codes=codes,
        counts=np.array(counts, dtype=np.int64),
        starts=np.zeros(1, dtype=np.int64),
        leaves=np.array([n]),
        lifts=np.concatenate([np.arange(n), np.zeros(n)]).astype(np.uint64),
        prices=np.concatenate([np.zeros(n), np.ones(n)]),
        words=np.zeros(1, dtype=np.int64),
        masks=np.array([255], dtype=np.uint64),
        n_words=1,
    )


VECTORS: NDArray[np.int16] = np.array([[0], [1]], dtype=np.int16)


def pool_of(prices: list[float], ranks: list[int], members: list[list[int]]) -> Pool:
    ends = np.cumsum([len(one) for one in members])
    return Pool(
        np.array(prices),
        np.array(ranks, dtype=np.int32),
        np.array([one[0] for one in members], dtype=np.int32),
        np.concatenate([[0], ends[:-1]]).astype(np.int64),
        ends.astype(np.int64),
        np.array([i for one in members for i in one], dtype=np.int32),
    )


def cover_of(counts: list[int]) -> CoverState:
    n = sum(counts)
    return CoverState(
        np.concatenate([[0], np.cumsum(counts)]),
        np.array(counts, dtype=np.int64),
        np.full(n, -1, dtype=np.int32),
        np.full(n, -1, dtype=np.int32),
        np.zeros(n, dtype=np.int64),
        np.zeros(n),
        np.zeros(n),
        np.array([n, 0, 0], dtype=np.int64),
    )


def test_counting_moves_over_what_is_covered() -> None:
    pool = pool_of([1.0], [1], [[0, 1, 2]])
    uncovered = np.array([0, 2, 5])
    assert [newly_covered(pool, 0, uncovered, widest) for widest in (1, 3, 9)] == [1, 3, 7]
    assert pool.begins.tolist() == [1]
    assert newly_covered(pool, 0, np.zeros(3, dtype=np.int64), 9) == 0
    assert pool.begins.tolist() == pool.ends.tolist()


def test_patterns_without_an_uncovered_record_are_not_pushed() -> None:
    pool = pool_of([0.0, 1.0, 3.0], [0, 0, 1], [[0], [1], [0, 1]])
    heap = heap_of(3)
    push_patterns(pool, heap, np.array([0, 2]), 0, 3, 3)
    assert heap.size[0] == 2
    assert sorted(zip(heap.keys[:2].tolist(), heap.ties[:2].tolist(), strict=True)) == [
        (0.5, (1 << 32) + 1),
        (1.5, (1 << 32) + 2),
    ]


def test_a_class_takes_the_next_uncovered_records() -> None:
    cover = cover_of([2, 1, 3])
    pool = pool_of([1.5, 0.0], [1, 0], [[0, 1, 2], [2]])
    take_records(pool, 0, 2, cover)
    take_records(pool, 1, 1, cover)
    assert cover.labels.tolist() == cover.turns.tolist() == [0, 0, -1, 1, -1, -1]
    assert cover.uncovered.tolist() == [0, 1, 2]
    assert cover.totals.tolist() == [3, 2, 2]
    assert cover.sizes[:2].tolist() == [2, 1]
    assert cover.ratios[:2].tolist() == [0.75, 0.0]


def labelled(counts: list[int], labels: list[int], prices: list[float]) -> CoverState:
    """Return a cover with these classes; the records labelled -1 are not covered."""
    cover = cover_of(counts)
    cover.labels[:] = labels
    for i in range(len(counts)):
        cover.uncovered[i] = sum(label < 0 for label in labels[cover.starts[i] : cover.starts[i + 1]])
    cover.sizes[: len(prices)] = [labels.count(label) for label in range(len(prices))]
    cover.prices[: len(prices)] = prices
    return cover


def test_spare_records_are_in_classes_of_more_than_k() -> None:
    grid = grid_of("abc", [3, 3, 2])
    cover = labelled([3, 3, 2], [0, 0, 0, 1, 1, 2, 2, -1], [0.0, 0.5, 0.25])
    found, cheapest = spare_records(grid, VECTORS[1], 0, cover, 2)
    assert found.tolist() == [0, 1, 2]
    assert cheapest == 2
    found, cheapest = spare_records(grid, VECTORS[0], 2, cover, 2)
    assert found.tolist() == []
    assert cheapest == 2
    assert spare_records(grid, VECTORS[0], 0, cover, 2)[1] == -1


def test_a_class_is_filled_from_the_dearest_that_can_spare() -> None:
    grid = grid_of("abc", [3, 4, 1])
    cover = labelled([3, 4, 1], [0, 0, 0, 1, 1, 1, 1, 2], [0.25, 0.5, 1.0])
    assert fill_class(grid, VECTORS[1], 2, cover, 2, 2) == 2
    assert cover.labels.tolist() == [0, 0, 0, 2, 1, 1, 1, 2]
    assert cover.sizes[:3].tolist() == [3, 3, 2]
    # for k = 3 one may leave; then both have 3, and the new class joins the cheaper one
    cover = labelled([3, 4, 1], [0, 0, 0, 1, 1, 1, 1, 2], [0.25, 0.5, 1.0])
    assert fill_class(grid, VECTORS[1], 2, cover, 2, 3) == 0
    assert cover.labels.tolist() == [0, 0, 0, 0, 1, 1, 1, 0]
    assert cover.sizes[:3].tolist() == [5, 3, 0]
    assert fill_class(grid_of("ab", [2, 1]), VECTORS[1], 1, short := labelled([2, 1], [0, 0, 1], [0.0, 1.0]), 1, 2) == 0
    assert short.labels.tolist() == [0, 0, 0]
    assert short.sizes[:2].tolist() == [3, 0]


def test_steps_stop_where_an_unknown_pattern_may_be_better() -> None:
    """Two a and one b, k = 2: the a cost nothing; the b needs the star, at 1."""
    grid, cover, heap = grid_of("ab", [2, 1]), cover_of([2, 1]), heap_of(2)
    pool = pool_of([0.0, 1.0], [0, 1], [[0], [0, 1]])
    push_patterns(pool, heap, cover.uncovered, 0, 2, 3)
    cover_below(grid, VECTORS, pool, heap, cover, 2, 0.0)
    assert cover.totals.tolist() == [3, 0, 0]  # a pattern at 0 may tie
    cover_below(grid, VECTORS, pool, heap, cover, 2, 0.9)
    assert cover.totals.tolist() == [1, 1, 1]
    cover_below(grid, VECTORS, pool, heap, cover, 2, 1.0)
    assert cover.totals.tolist() == [1, 1, 1]  # one record is left, so that the unknown costs 1 for it at least
    cover_below(grid, VECTORS, pool, heap, cover, 2, np.inf)
    assert cover.totals.tolist() == [0, 1, 2]
    assert cover.labels.tolist() == [0, 0, 0]
    assert cover.ratios[:2].tolist() == [0.0, 1.0]
