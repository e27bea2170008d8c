"""Compiled loops: arrays in, arrays out; numpy and numba only.

Each kernel has a twin of a few lines in plain NumPy in `tests/kernels/`. Compiled code is kept
beside the source, or in the user's cache directory where that is not writable (Numba's rule).
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from numba import njit
from numba.core import event

F = TypeVar("F", bound=Callable[..., object])

_SOURCES = sorted(
    (path.name, path.stat().st_mtime_ns, path.stat().st_size) for path in Path(__file__).parent.glob("*.py")
)


def kernel(function: F) -> F:
    """Compile `function` once per machine, without fastmath, releasing the interpreter's lock."""
    return _kept(njit(cache=True, nogil=True)(function))


def inner_kernel(function: F) -> F:
    """Compile a function that makes no arrays, as `kernel` does, but let it not count who refers to those it is given.

    A search that calls small functions millions of times, on both cores, else spends half of its time on these counts.
    Nor is code made for calls from C, which nobody makes: that would take an eighth of the time to compile.
    """
    return _kept(njit(cache=True, nogil=True, _nrt=False, no_cfunc_wrapper=True)(function))  # type: ignore[call-overload]


def _kept(compiled: Any) -> Any:
    """Let compiled code be kept until any kernel changes: Numba looks only at the file of the function itself."""
    compiled._cache._cache_file._source_stamp = _SOURCES  # noqa: SLF001  (there is no other way to say so)
    return compiled


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
