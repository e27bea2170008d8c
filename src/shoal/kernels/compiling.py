"""Where kernels meet Numba: how they are compiled, and for which types. Loaded with the first call of a kernel."""

from importlib import import_module
from pathlib import Path
from typing import Any

from numba import njit, types
from numba.core import event

from shoal.kernels import KERNELS, Kernel, cache
from shoal.kernels.clock import STOPWATCH, announced
from shoal.kernels.signatures import listed, read

_compile: Any = njit
_SHORT = {types.int8, types.int16, types.int32}


def dispatcher_of(kernel: Kernel) -> Any:
    """Let Numba compile a kernel when it is called, keep what was compiled, and let one serve for all integers.

    Numba has no way to say the last two: hence the versions in `pyproject.toml`.
    """
    options: Any = {} if kernel.counting else {"_nrt": False}
    made: Any = _compile(nogil=True, no_cfunc_wrapper=True, **options)(kernel.py_func)  # nobody calls from C
    made._cache = cache.Cache(kernel.name)  # noqa: SLF001
    fold = made._compiler.fold_argument_types  # noqa: SLF001
    made._compiler.fold_argument_types = lambda given, named: _widened(*fold(given, named))  # noqa: SLF001
    return made


def _widened(signature: Any, given: tuple[Any, ...]) -> tuple[Any, tuple[Any, ...]]:
    """Let kernels hand each other 64-bit integers: else each is compiled again for constants and for shorter ones."""
    plain = [types.unliteral(one) for one in given]  # type: ignore[no-untyped-call]
    return signature, tuple(types.int64 if one in _SHORT else one for one in plain)


class _Listener(event.Listener):
    """Stops the clock of searches while Numba compiles, and lets it be told."""

    def on_start(self, event: object) -> None:
        """Begin; Numba lets one thread compile at a time."""
        STOPWATCH.__enter__()
        announced(cache.keepable)

    def on_end(self, event: object) -> None:
        """End."""
        STOPWATCH.__exit__()


event.register("numba:compile", _Listener())  # type: ignore[no-untyped-call]


def compiled(name: str) -> tuple[list[Path], bool]:
    """Compile a kernel for all types that it is called with; return the files that keep it, and whether it was new."""
    cache.SHIPPED.clear()
    import_module(f"shoal.kernels.{name.rpartition('.')[0]}")
    made = KERNELS[name].dispatcher
    calls = [types for call in listed()[name] for types in read(call)]
    for call in calls:
        made.compile(call)
    files = [path for call in calls for path in cache.kept(name, call, made.targetctx)[:1]]
    return files, bool(made._cache_misses)  # noqa: SLF001
