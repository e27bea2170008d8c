from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from shoal.kernels.orders import first_at_least, sort_indices, sort_values


@given(st.lists(st.integers(-(10**6), 10**6), max_size=200), st.integers(0, 5))
def test_values_are_sorted_up_to_where_they_end(values: list[int], more: int) -> None:
    made = np.array([*values, *range(more)], dtype=np.int32)
    sort_values(made, len(values))
    assert made.tolist() == [*sorted(values), *range(more)]


@pytest.mark.parametrize("kind", [np.float64, np.float32, np.int64, np.int32])
@given(st.integers(0, 200), st.integers(1, 300), st.integers(0, 2**32))
def test_places_are_in_the_order_of_their_keys_and_else_their_own(kind: type, n: int, n_keys: int, seed: int) -> None:
    keys: NDArray[Any] = np.random.default_rng(seed).integers(-n_keys, n_keys, n + 3).astype(kind)
    order, room = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    sort_indices(keys, n, order, room)
    assert order.tolist() == np.argsort(keys[:n], kind="stable").tolist()


@given(st.lists(st.integers(-9, 9), max_size=12), st.integers(0, 12), st.integers(0, 12), st.integers(-10, 10))
def test_the_first_value_of_a_part_that_is_not_less(values: list[int], begin: int, end: int, value: int) -> None:
    begin, end = sorted((min(begin, len(values)), min(end, len(values))))
    values[begin:end] = sorted(values[begin:end])
    places = (place for place in range(begin, end) if values[place] >= value)
    assert first_at_least(np.array(values, dtype=np.int64), begin, end, value) == next(places, end)
