"""Compiled loops: arrays in, arrays out; numpy and numba only.

Each kernel has a twin of a few lines in plain NumPy in `tests/kernels/`. Numba is loaded when a kernel is first
called, and what it compiled is kept: see `kernels.cache`.
"""

from collections.abc import Callable
from functools import update_wrapper
from pathlib import Path
from threading import RLock
from typing import Any, TypeVar, cast

from shoal.kernels.stamp import stamp

F = TypeVar("F", bound=Callable[..., object])

KERNELS: dict[str, "Kernel"] = {}
"""All kernels of the modules that are loaded, by name: `clusters.metrics.apart`."""

STAMP = stamp(Path(__file__).parent)
"""What stands for the source of all kernels, as it was when they were loaded."""

_BUILDING = RLock()


def kernel(function: F) -> F:
    """Compile `function` once per machine, without fastmath, releasing the interpreter's lock."""
    return cast(F, Kernel(function, counting=True))


def inner_kernel(function: F) -> F:
    """Compile a function that makes no arrays, as `kernel` does, but let it not count who refers to those it is given.

    A search that calls small functions millions of times, on both cores, else spends half of its time on these counts.
    """
    return cast(F, Kernel(function, counting=False))


class Kernel:
    """A function that Numba compiles for the types it is called with, or has compiled before.

    Numba takes half a second to load, so that it is loaded with the first call of a kernel, and not with its module.
    Within another kernel it stands for what Numba makes of it, by `_numba_type_`.
    """

    def __init__(self, function: Callable[..., Any], *, counting: bool) -> None:
        update_wrapper(self, function)
        self.py_func = function
        self.counting = counting
        self.name = f"{function.__module__.removeprefix(f'{__name__}.')}.{function.__name__}"
        self._dispatcher: Any = None
        KERNELS[self.name] = self

    def __call__(self, *given: Any, **named: Any) -> Any:
        """Run it."""
        return (self._dispatcher or self.dispatcher)(*given, **named)

    @property
    def dispatcher(self) -> Any:
        """Numba's own object, which finds the compiled code for the types of a call."""
        with _BUILDING:
            if self._dispatcher is None:
                from shoal.kernels.clock import STOPWATCH

                with STOPWATCH:
                    from shoal.kernels.compiling import dispatcher_of

                    self._dispatcher = dispatcher_of(self)
        return self._dispatcher

    @property
    def _numba_type_(self) -> Any:
        return self.dispatcher._numba_type_
