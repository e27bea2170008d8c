"""The clock of searches."""

import sys
from threading import Thread
from time import monotonic, sleep

from numba import njit

from shoal.kernels import clock as module
from shoal.kernels import compiling
from shoal.kernels.clock import Stopwatch, announce_compilation, clock


def test_it_goes_like_any_other_where_nothing_is_compiled() -> None:
    before, begun, known = monotonic(), clock(), monotonic()
    sleep(0.02)
    until, ended, after = monotonic(), clock(), monotonic()
    assert until - known - 1e-6 <= ended - begun <= after - before + 1e-6  # however long this process had to wait


def test_it_stands_still_while_a_kernel_is_compiled() -> None:
    assert compiling.__name__ in sys.modules  # what stops it
    within = njit(lambda x: x + 1)
    around = njit(lambda x: within(x) * 2)
    begun, known = clock(), monotonic()
    assert around(1) == 4
    passed, spent = clock() - begun, monotonic() - known
    assert 0 <= passed < spent / 2  # all but the looking up


def test_it_stands_still_in_the_midst_of_it() -> None:
    with module.STOPWATCH:
        begun = clock()
        sleep(0.02)
        assert clock() - begun < 0.01


def test_what_is_within_another_or_beside_it_counts_once() -> None:
    watch = Stopwatch()

    def beside() -> None:
        with watch:
            sleep(0.02)

    thread = Thread(target=beside)
    with watch:
        thread.start()
        with watch:
            sleep(0.01)
        assert watch.seconds == 0
        thread.join()
    assert 0.02 <= watch.seconds < 1
    assert watch.read() == watch.seconds


def test_who_asked_is_told_once() -> None:
    told: list[bool] = []
    announce_compilation(told.append)
    for x in (1, 1.5):
        assert njit(lambda x: x + 2)(x) == x + 2
    assert told == [True]
