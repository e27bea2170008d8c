import os
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from signal import SIGALRM, SIGINT, SIGTERM, getsignal, raise_signal, signal
from time import sleep

import pytest

from shoal.foundation.systems import interrupts


@pytest.fixture(autouse=True)
def watched() -> Iterator[None]:
    """Signals are handled as in a command, and as before afterwards."""
    before = {number: getsignal(number) for number in (SIGINT, SIGTERM, SIGALRM)}
    interrupts.watch()
    yield
    for number, handler in before.items():
        signal(number, handler)


class Lock:
    """A lock as the compiler of the kernels has one; a signal comes when it is taken, or given back."""

    def __init__(self, signal_in: str) -> None:
        self.inner = threading.RLock()
        self._signal_in = signal_in

    def __enter__(self) -> None:
        self.inner.acquire()
        if self._signal_in == "enter":
            raise_signal(SIGTERM)

    def __exit__(self, *_: object) -> None:
        if self._signal_in == "exit":
            raise_signal(SIGTERM)
        self.inner.release()


@pytest.mark.parametrize("moment", ["enter", "exit"])
def test_no_lock_stays_taken(moment: str) -> None:
    lock = Lock(moment)

    def work() -> None:
        with lock:
            if moment == "enter":
                sleep(10)
        sleep(10)

    with pytest.raises(KeyboardInterrupt) as stopped:
        work()
    assert stopped.value.args == (SIGTERM,)
    with ThreadPoolExecutor(1) as other:
        assert other.submit(lock.inner.acquire, timeout=1).result()


def test_an_interrupt_in_a_finalizer_is_not_lost() -> None:
    class Taken:
        def __del__(self) -> None:
            raise_signal(SIGINT)

    def drop() -> None:
        Taken()
        sleep(10)

    with pytest.raises(KeyboardInterrupt):
        drop()


@pytest.mark.parametrize("number", [SIGINT, SIGTERM])
def test_elsewhere_it_comes_at_once(number: int) -> None:
    with pytest.raises(KeyboardInterrupt) as stopped:
        raise_signal(number)
    assert stopped.value.args == (number,)


def test_to_wait_for_a_pool_is_interrupted() -> None:
    ended = threading.Event()

    def work() -> None:
        try:
            with ThreadPoolExecutor(1) as pool:
                pool.submit(ended.wait, 10)
                threading.Timer(0.05, os.kill, (os.getpid(), SIGINT)).start()
        finally:
            ended.set()

    with pytest.raises(KeyboardInterrupt):
        work()


def test_without_timers_an_interrupt_comes_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interrupts, "_AGAIN", None)
    interrupts.watch()
    lock = Lock("enter")
    with pytest.raises(KeyboardInterrupt) as interrupted, lock:
        sleep(10)
    assert interrupted.value.args == (SIGTERM,)
    assert interrupts.reader_gone() == 141
