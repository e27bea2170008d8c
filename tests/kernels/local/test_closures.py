"""Each kernel of closures against its twin in plain Python."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from shoal.kernels.local.closures import RANGES, SETS, Forms, meet, meet_classes, range_price, set_price
from shoal.kernels.prices import BITS, ENTROPY, LINEAR, SHARE

quick = settings(deadline=None, max_examples=60)


@st.composite
def trees(draw: st.DrawFn) -> NDArray[np.int32]:
    """Draw the parents of a tree: of higher numbers, the root its own."""
    size = draw(st.integers(1, 12))
    above = [draw(st.integers(node + 1, size - 1)) for node in range(size - 1)]
    return np.array([*above, size - 1], dtype=np.int32)


def path(parent: NDArray[np.int32], node: int) -> list[int]:
    """Return the node and all above it."""
    found = [node]
    while parent[found[-1]] != found[-1]:
        found.append(int(parent[found[-1]]))
    return found


def lowest(parent: NDArray[np.int32], nodes: list[int]) -> int:
    return min(set.intersection(*(set(path(parent, node)) for node in nodes)))


@given(trees(), st.integers(0, 5), st.data())
@quick
def test_two_nodes_meet_at_the_lowest_above_both(parent: NDArray[np.int32], start: int, data: st.DataObject) -> None:
    first, second = (data.draw(st.integers(0, len(parent) - 1)) for _ in range(2))
    shifted = np.concatenate([np.full(start, -9, dtype=np.int32), parent])
    assert meet(shifted, start, first, second) == lowest(parent, [first, second])


@given(trees(), st.data())
@quick
def test_a_class_meets_at_the_lowest_above_all_its_leaves(parent: NDArray[np.int32], data: st.DataObject) -> None:
    node = st.integers(0, len(parent) - 1)
    classes = data.draw(st.lists(st.lists(node, min_size=1, max_size=5), max_size=5))
    leaves = np.array([leaf for members in classes for leaf in members], dtype=np.int32)
    offsets = np.cumsum([0, *map(len, classes)])
    found = meet_classes(leaves, offsets, parent)
    assert found.dtype == np.int32
    assert found.tolist() == [lowest(parent, members) for members in classes]


def forms(rng: np.random.Generator, sizes: list[int], rules: list[int], missing: list[bool]) -> Forms:
    """Return columns of ranges and sets in turn, with sums that are no measure's."""
    starts = np.cumsum([0, *(size + 1 for size in sizes)])
    leaf = rng.integers(0, 5, (2, int(starts[-1]))).astype(np.float64)
    leaf[:, starts[1:] - 1] = 0
    sums = np.cumsum(leaf, axis=1)
    return Forms(
        kinds=np.array([(RANGES, SETS)[number % 2] for number in range(len(sizes))], dtype=np.int8),
        nodes=starts,
        missing=np.array([size - 1 if gap else -1 for size, gap in zip(sizes, missing, strict=True)], dtype=np.int32),
        rules=np.array(rules, dtype=np.int64),
        constants=rng.integers(1, 5, len(sizes)).astype(np.float64),
        weights=rng.random(len(sizes)),
        tops=rng.random(len(sizes)) + 50,
        full=1.0,
        parent=np.zeros(int(starts[-1]), dtype=np.int32),
        prices=rng.random(int(starts[-1])),
        lower=sums - leaf,
        upper=sums,
        adds=leaf,
    )


def plain_price(forms: Forms, column: int, leaves: list[int]) -> float:
    start, missing = int(forms.nodes[column]), int(forms.missing[column])
    if len(leaves) == 1:
        return float(forms.prices[start + leaves[0]])
    if missing in leaves:
        return float(forms.tops[column])
    a, b = (float(sum(forms.adds[number][start + leaf] for leaf in leaves)) for number in range(2))
    constant = float(forms.constants[column])
    bits = max(a * np.log2(a) - b, 0.0) if a > 0 else 0.0
    paid = {
        LINEAR: a + constant,
        ENTROPY: bits / max(a, 1.0),
        BITS: bits / constant,
        SHARE: np.log2(max(a, 1.0) / constant),
    }
    return float(forms.weights[column] * paid[int(forms.rules[column])])


COLUMNS = st.tuples(st.integers(1, 6), st.sampled_from([LINEAR, ENTROPY, BITS, SHARE]), st.booleans())


@given(st.lists(COLUMNS, min_size=1, max_size=4), st.integers(0, 2**32))
@quick
def test_ranges_and_sets_pay_by_the_sums_over_their_leaves(drawn: list[tuple[int, int, bool]], seed: int) -> None:
    rng = np.random.default_rng(seed)
    sizes, rules, missing = (list(part) for part in zip(*drawn, strict=True))
    made = forms(rng, sizes, rules, missing)
    for column, size in enumerate(sizes):
        low, high = sorted(rng.integers(0, size, 2).tolist())
        between = list(range(low, high + 1))
        assert range_price(made, column, low, high) == pytest.approx(plain_price(made, column, between))
        some = sorted(set(rng.integers(0, size, 3).tolist()))
        start = int(made.nodes[column])
        sums = [float(made.adds[number][[start + leaf for leaf in some]].sum()) for number in range(2)]
        found = set_price(made, column, len(some), sums[0], sums[1], some[-1])
        assert found == pytest.approx(plain_price(made, column, some))
