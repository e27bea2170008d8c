"""Compiled loops: arrays in, arrays out; numpy and numba only.

Each kernel has a twin of a few lines in plain NumPy in `tests/kernels/`. Compiled code is kept
beside the source, or in the user's cache directory where that is not writable (Numba's rule).
"""

from collections.abc import Callable
from typing import TypeVar, cast

from numba import njit
from numba.core import event

F = TypeVar("F", bound=Callable[..., object])


def kernel(function: F) -> F:
    """Compile `function` once per machine, without fastmath, releasing the interpreter's lock."""
    return cast(F, njit(cache=True, nogil=True)(function))


class _Announcer(event.Listener):
    def __init__(self, tell: Callable[[], None]) -> None:
        self._tell: Callable[[], None] | None = tell

    def on_start(self, event: object) -> None:
        """Tell once, on the first kernel that was not in the cache."""
        if self._tell is not None:
            tell, self._tell = self._tell, None
            tell()

    def on_end(self, event: object) -> None:
        """Nothing to tell."""


def announce_compilation(tell: Callable[[], None]) -> None:
    """Call `tell` when, and only when, a kernel has to be compiled on this machine."""
    event.register("numba:compile", _Announcer(tell))  # type: ignore[no-untyped-call]
