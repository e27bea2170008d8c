from math import log2
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from shoal.tables.hierarchies import Hierarchy, Intervals, Taxonomy
from shoal.tables.hierarchies.coarsening import TOLERANCE, coarsened

EXAMPLE = Hierarchy.of_rows([("1", "12", "*"), ("2", "12", "*"), ("3", "34", "*"), ("4", "34", "*")], "hierarchy")


def counts(*numbers: int) -> NDArray[np.int64]:
    return np.array(numbers, dtype=np.int64)


def entropy(numbers: list[int]) -> float:
    total = sum(numbers)
    return -sum(number / total * log2(number / total) for number in numbers if number)


def falls(hierarchy: Hierarchy, leaf_counts: NDArray[np.int64]) -> bool:
    """Look at every node and at all that lie above it."""
    for low in range(hierarchy.height):
        for leaf in range(hierarchy.n_leaves):
            below, above = (leaf_counts[at == at[leaf]].tolist() for at in hierarchy.codes[low : low + 2])
            if entropy(above) < entropy(below) - 2 * TOLERANCE:
                return True
    return False


def test_example_4_7() -> None:
    """The rare pair costs 1 bit and the star almost none, so that only the star is left."""
    assert falls(EXAMPLE, counts(97, 1, 1, 1))
    coarse = coarsened(EXAMPLE, counts(97, 1, 1, 1))
    assert coarse.labels == (("1", "2", "3", "4"), ("*",))
    assert not falls(coarse, counts(97, 1, 1, 1))


def test_a_monotone_hierarchy_is_returned_as_it_is() -> None:
    assert coarsened(EXAMPLE, counts(1, 1, 1, 1)) is EXAMPLE
    assert coarsened(EXAMPLE, counts(0, 0, 0, 0)) is EXAMPLE
    assert coarsened(EXAMPLE, counts(5, 5, 0, 0)) is EXAMPLE  # a tie is no fall


def test_one_of_several_siblings_is_unified_with_the_next() -> None:
    tree = {"Any": {"A": ["a", "b"], "B": ["c", "d"], "C": ["e", "f", "g", "h"]}}
    hierarchy = Taxonomy(tree=tree).build((), "column", Path())
    weights = counts(1, 1, 60, 1, 1, 0, 0, 0)
    coarse = coarsened(hierarchy, weights)
    assert coarse.labels[1:] == (("A | B", "C"), ("Any",))
    assert not falls(coarse, weights)


def test_widths_add_up() -> None:
    hierarchy = Intervals(widths=(10, 40)).build(["1", "2", "11", "21", "31"], "age", Path())
    coarse = coarsened(hierarchy, counts(5, 5, 900, 1, 1))
    assert coarse.spans is not None
    assert coarse.labels[1:] == (("0-9 | 11", "21", "31"), ("*",))
    assert [span.tolist() for span in coarse.spans] == [[0] * 5, [9, 0, 0], [30]]


def test_the_missing_value_stays_apart() -> None:
    hierarchy = EXAMPLE.with_missing()
    coarse = coarsened(hierarchy, counts(97, 1, 1, 1, 5))
    assert coarse.labels == (("1", "2", "3", "4", None), ("*",))


def test_labels_stay_apart() -> None:
    rows = [("a", "X", "*"), ("b", "X", "*"), ("c", "Y", "*"), ("d", "Z", "*"), ("X | c", "Z", "*")]
    coarse = coarsened(Hierarchy.of_rows(rows, "hierarchy"), counts(1, 1, 500, 1, 0))
    assert coarse.labels[1] == ("X | c (2)", "Z")


@st.composite
def weighted(draw: st.DrawFn) -> tuple[Hierarchy, NDArray[np.int64]]:
    n = draw(st.integers(1, 10))
    fine = draw(st.lists(st.integers(0, 4), min_size=n, max_size=n))
    joined = draw(st.lists(st.integers(0, 2), min_size=5, max_size=5))
    rows = [(str(i), f"x{node}", f"y{joined[node]}", "*") for i, node in enumerate(fine)]
    hierarchy = Hierarchy.of_rows(rows, "hierarchy")
    if draw(st.booleans()):
        hierarchy = hierarchy.with_missing()
    weight = st.one_of(st.integers(0, 3), st.integers(0, 1000))
    return hierarchy, counts(*draw(st.lists(weight, min_size=hierarchy.n_leaves, max_size=hierarchy.n_leaves)))


@settings(deadline=None)
@given(weighted())
def test_the_entropy_never_falls_and_the_leaves_stay(case: tuple[Hierarchy, NDArray[np.int64]]) -> None:
    hierarchy, weights = case
    if not weights.any():
        return
    coarse = coarsened(hierarchy, weights)
    assert not falls(coarse, weights)
    assert coarse.values == hierarchy.values
    assert coarse.labels[-1] == hierarchy.labels[-1]
    assert coarse.size(coarse.height) == 1
    for low, high in zip(coarse.codes, coarse.codes[1:], strict=False):
        assert len(set(zip(low.tolist(), high.tolist(), strict=True))) == len(set(low.tolist()))
    if falls(hierarchy, weights):
        before, after = hierarchy.tree(), coarse.tree()  # unified with a leaf, a node stays and the leaf sinks
        assert (len(after.parent), -after.depth.sum()) < (len(before.parent), -before.depth.sum())
    if None in coarse.values and coarse.n_leaves > 1:
        tree = coarse.tree()
        assert tree.parent[coarse.n_leaves - 1] == len(tree.parent) - 1
    again = coarsened(hierarchy, weights)
    assert again.labels == coarse.labels
    assert np.array_equal(again.codes, coarse.codes)


@pytest.mark.parametrize("n", [1, 2])
def test_few_values(n: int) -> None:
    hierarchy = Hierarchy.of_rows([(str(i), "*") for i in range(n)], "hierarchy")
    assert coarsened(hierarchy, counts(*range(1, n + 1))) is hierarchy
