"""The clock of searches."""

from time import monotonic, sleep
from typing import Any

from numba import njit

from shoal.kernels.clock import _Compilation, clock


def test_it_goes_like_any_other_where_nothing_is_compiled() -> None:
    begun, known = clock(), monotonic()
    sleep(0.02)
    assert abs((clock() - begun) - (monotonic() - known)) < 0.005


def test_it_stands_still_while_a_kernel_is_compiled() -> None:
    within: Any = njit(lambda x: x + 1)
    around: Any = njit(lambda x: within(x) * 2)
    begun, known = clock(), monotonic()
    assert around(1) == 4
    passed, spent = clock() - begun, monotonic() - known
    assert 0 <= passed < spent / 2  # all but the looking up


def test_compilations_within_others_count_once() -> None:
    listener = _Compilation()
    for step in (listener.on_start, listener.on_start, listener.on_end):
        step(None)
    assert listener.seconds == 0
    sleep(0.01)
    listener.on_end(None)
    assert 0.01 <= listener.seconds < 1
