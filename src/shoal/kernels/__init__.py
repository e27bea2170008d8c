"""Compiled loops: arrays in, arrays out; numpy and numba only.

Each kernel has a twin of a few lines in plain NumPy in `tests/kernels/`. Compiled code is kept
beside the source, or in the user's cache directory where that is not writable (Numba's rule).
"""

from collections.abc import Callable
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

from numba import njit, types
from numba.core import event

F = TypeVar("F", bound=Callable[..., object])


def _digest() -> str:
    """Return what stands for the text of all kernels: a file that was only touched or copied is the same."""
    room, digest = Path(__file__).parent, sha256()
    for path in sorted(room.rglob("*.py")):
        digest.update(path.relative_to(room).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


_SOURCES = _digest()

_compile: Any = partial(njit, cache=True, nogil=True, no_cfunc_wrapper=True)  # nobody calls from C
_SHORT = {types.int8, types.int16, types.int32}


def kernel(function: F) -> F:
    """Compile `function` once per machine, without fastmath, releasing the interpreter's lock."""
    return _kept(_compile()(function))


def inner_kernel(function: F) -> F:
    """Compile a function that makes no arrays, as `kernel` does, but let it not count who refers to those it is given.

    A search that calls small functions millions of times, on both cores, else spends half of its time on these counts.
    """
    return _kept(_compile(_nrt=False)(function))


def _kept(compiled: Any) -> Any:
    """Let compiled code be kept until any kernel changes, and let one serve for all integers.

    Numba looks only at the file of the function itself, and has no way to say either: hence the versions in
    `pyproject.toml`.
    """
    compiled._cache._cache_file._source_stamp = _SOURCES  # noqa: SLF001
    fold = compiled._compiler.fold_argument_types  # noqa: SLF001
    compiled._compiler.fold_argument_types = lambda given, named: _widened(*fold(given, named))  # noqa: SLF001
    return compiled


def _widened(signature: Any, given: tuple[Any, ...]) -> tuple[Any, tuple[Any, ...]]:
    """Let kernels hand each other 64-bit integers: else each is compiled again for constants and for shorter ones."""
    plain = [types.unliteral(one) for one in given]  # type: ignore[no-untyped-call]
    return signature, tuple(types.int64 if one in _SHORT else one for one in plain)


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
