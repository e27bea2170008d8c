"""Each kernel of pricing against its twin in plain NumPy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.kernels.prices import price_rows, unpack
from shoal.spaces.cells import Layout

quick = settings(deadline=None, max_examples=40)


@given(st.lists(st.sampled_from([1, 2, 5, 2**16, 2**31 - 1]), min_size=1, max_size=9), st.integers(0, 2**32))
@quick
def test_codes_come_back_out_of_their_keys(sizes: list[int], seed: int) -> None:
    rng = np.random.default_rng(seed)
    codes = np.stack([rng.integers(0, size, 20) for size in sizes], axis=1).astype(np.int32)
    codes[0] = np.array(sizes) - 1
    layout = Layout.of(sizes)
    assert unpack(layout.pack(codes), layout.words, layout.shifts, layout.masks).tolist() == codes.tolist()


def test_a_layout_fills_one_word_after_another() -> None:
    layout = Layout.of([2**31, 2**31, 4, 2, 2])
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
