"""The clock of searches: it stands still while kernels are compiled, so that a time limit is spent on the search."""

from time import monotonic

from numba.core import event


class _Compilation(event.Listener):
    """Adds up the seconds in which kernels are compiled; one compilation calls for others, which count once."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._depth, self._since = 0, 0.0

    def on_start(self, event: object) -> None:
        """Begin to count, unless it has begun; Numba lets one thread compile at a time."""
        self._since = monotonic() if self._depth == 0 else self._since
        self._depth += 1

    def on_end(self, event: object) -> None:
        """End with the outermost."""
        self._depth -= 1
        if self._depth == 0:
            self.seconds += monotonic() - self._since


_compilation = _Compilation()
event.register("numba:compile", _compilation)  # type: ignore[no-untyped-call]


def clock() -> float:
    """Return seconds from some moment on, without those in which kernels were compiled."""
    return monotonic() - _compilation.seconds
