import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.tables import distinct_rows as module
from shoal.tables.distinct_rows import distinct_rows

quick = settings(deadline=None, max_examples=60)


@given(st.lists(st.integers(1, 4), max_size=5), st.integers(0, 20), st.integers(0, 2**32))
@quick
def test_distinct_rows_are_numbered_in_the_order_of_their_codes(sizes: list[int], n_rows: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    columns = [rng.integers(0, size, n_rows).astype(np.int32) for size in sizes]
    numbers, rows = distinct_rows(columns, sizes, n_rows)
    table = np.stack([*columns, np.zeros(n_rows, dtype=np.int32)], axis=1)
    expected, inverse = np.unique(table, axis=0, return_inverse=True)
    assert rows.tolist() == expected[:, :-1].tolist()
    assert numbers.tolist() == inverse.reshape(-1).tolist()
    assert rows.dtype == numbers.dtype == np.dtype(np.int32)


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.int32])
@pytest.mark.parametrize("n_columns", [2, 9, 40])
def test_rows_may_take_more_than_64_bits(n_columns: int, dtype: type[np.integer]) -> None:
    rng = np.random.default_rng(n_columns)
    few = rng.integers(0, 250, (50, n_columns))
    table = few[rng.integers(0, 50, 400)]
    numbers, rows = distinct_rows(list(table.T.astype(dtype)), [2**31] * n_columns, 400)
    expected, inverse = np.unique(table, axis=0, return_inverse=True)
    assert rows.tolist() == expected.tolist()
    assert numbers.tolist() == inverse.reshape(-1).tolist()


@pytest.mark.parametrize("n_values", [1, 50, 1000, 10**9])
def test_rows_are_numbered_alike_by_hashing_and_by_sorting(n_values: int, monkeypatch: pytest.MonkeyPatch) -> None:
    columns = [np.random.default_rng(seed).integers(0, n_values, 2000) for seed in range(2)]
    hashed = distinct_rows(columns, [n_values, n_values], 2000)
    monkeypatch.setattr(module, "few_repeat", lambda _: True)
    for found, expected in zip(distinct_rows(columns, [n_values, n_values], 2000), hashed, strict=True):
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(("n_values", "few"), [(10, False), (20_000, False), (10**9, True)])
def test_few_keys_repeat(n_values: int, few: bool) -> None:
    keys = np.random.default_rng(1).integers(0, n_values, 200_000).astype(np.uint64)
    assert module.few_repeat(keys) is few


def test_without_columns_all_rows_are_one() -> None:
    numbers, rows = distinct_rows([], [], 3)
    assert numbers.tolist() == [0, 0, 0]
    assert rows.shape == (1, 0)
