"""Each kernel of pricing against its twin in plain NumPy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.kernels.prices import BITS, ENTROPY, LINEAR, SHARE, price_rows, price_subset, price_subsets, unpack
from shoal.search.lattice.cells import KeyLayout

quick = settings(deadline=None, max_examples=40)


@given(st.lists(st.sampled_from([1, 2, 5, 2**16, 2**31 - 1]), min_size=1, max_size=9), st.integers(0, 2**32))
@quick
def test_codes_come_back_out_of_their_keys(sizes: list[int], seed: int) -> None:
    rng = np.random.default_rng(seed)
    codes = np.stack([rng.integers(0, size, 20) for size in sizes], axis=1).astype(np.int32)
    codes[0] = np.array(sizes) - 1
    layout = KeyLayout.of(sizes)
    assert unpack(layout.pack(codes), layout.words, layout.shifts, layout.masks).tolist() == codes.tolist()


def test_a_layout_fills_one_word_after_another() -> None:
    layout = KeyLayout.of([2**31, 2**31, 4, 2, 2])
    assert layout.words.tolist() == [0, 0, 0, 1, 1]
    assert layout.shifts.tolist() == [0, 31, 62, 0, 1]


@given(st.lists(st.integers(1, 6), max_size=5), st.integers(0, 8), st.integers(0, 2**32))
@quick
def test_a_row_pays_for_all_its_columns(sizes: list[int], n_rows: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    by_column = [rng.normal(size=size) for size in sizes]
    codes = np.array([[rng.integers(size) for size in sizes] for _ in range(n_rows)], dtype=np.int32)
    codes = codes.reshape(n_rows, len(sizes))
    starts = np.cumsum([0, *sizes[:-1]])[: len(sizes)].astype(np.int64)
    paid = price_rows(codes, np.concatenate([np.zeros(0), *by_column]), starts)
    expected = [sum(prices[code] for prices, code in zip(by_column, row, strict=True)) for row in codes]
    assert paid == pytest.approx(expected)


def plain_price(rule: int, first: float, second: float, constant: float) -> float:
    if rule == LINEAR:
        return first + constant
    if rule == SHARE:
        return float(np.log2(max(first, 1.0) / constant))
    bits = max(first * np.log2(first) - second, 0.0) if first > 0 else 0.0
    return float(bits / (constant if rule == BITS else max(first, 1e-300)))


@given(st.lists(st.tuples(st.integers(0, 10**6), st.floats(0, 10**6)), max_size=8), st.integers(1, 10**6))
@quick
def test_subsets_are_priced_by_their_two_sums(sums: list[tuple[int, float]], constant: int) -> None:
    firsts, seconds = (np.array([pair[side] for pair in sums], dtype=np.float64) for side in range(2))
    for rule in (LINEAR, ENTROPY, BITS, SHARE):
        expected = [plain_price(rule, *pair, constant) for pair in sums]
        assert price_subsets(rule, firsts, seconds, float(constant)) == pytest.approx(expected)
        assert [price_subset(rule, first, second, float(constant)) for first, second in sums] == pytest.approx(expected)


def test_what_has_no_records_or_one_value_lacks_no_bits() -> None:
    for rule in (ENTROPY, BITS):
        assert price_subset(rule, 0.0, 0.0, 7.0) == 0
        assert price_subset(rule, 5.0, 5.0 * np.log2(5.0), 7.0) == 0
        assert price_subset(rule, 3.0, 3.0 * np.log2(3.0) + 1e-12, 7.0) == 0
    assert price_subset(SHARE, 0.0, 0.0, 4.0) == -2
