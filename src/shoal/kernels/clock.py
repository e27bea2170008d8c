"""The clock of searches: it stands still while kernels are compiled or loaded.

So a time limit is spent on the search, and a search takes as long on the first run of a machine as on any other.
"""

from collections.abc import Callable
from threading import Lock
from time import monotonic


class Stopwatch:
    """Adds up the seconds that are spent within it; where one is within another, or beside it, they count once."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._depth, self._since = 0, 0.0
        self._lock = Lock()

    def __enter__(self) -> None:
        with self._lock:
            self._since = monotonic() if self._depth == 0 else self._since
            self._depth += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._depth -= 1
            if self._depth == 0:
                self.seconds += monotonic() - self._since

    def read(self) -> float:
        """Return the seconds so far, those of now with them."""
        with self._lock:
            return self.seconds + (monotonic() - self._since if self._depth else 0.0)


STOPWATCH = Stopwatch()
"""Runs while kernels are compiled or loaded."""

_TOLD: list[Callable[[bool], None]] = []


def clock() -> float:
    """Return seconds from some moment on, without those in which kernels were compiled or loaded."""
    return monotonic() - STOPWATCH.read()


def announce_compilation(tell: Callable[[bool], None]) -> None:
    """Call `tell` when, and only when, a kernel has to be compiled on this machine, with whether it can be kept."""
    _TOLD.append(tell)


def announced(kept: Callable[[], bool]) -> None:
    """Tell those who asked for it, once, that a kernel is compiled; `kept` tells whether it can be kept."""
    while _TOLD:
        _TOLD.pop()(kept())
