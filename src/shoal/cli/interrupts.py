"""Interrupts: Ctrl-C and SIGTERM end a command as an exception does, at a moment when no lock is changing hands."""

from signal import ITIMER_REAL, SIGALRM, SIGINT, SIGTERM, setitimer, signal
from types import FrameType

_SOON = 0.01  # seconds
_POOL = "Executor.__exit__"  # by its name, since to import it takes time
_BETWEEN = {"__enter__", "__exit__", "__del__"}


class _Interrupts:
    """Raises a KeyboardInterrupt with the number of the signal, so that what was half written is taken away.

    Python runs a handler between any two instructions of the main thread, so an exception may come just after a lock
    was taken, when nothing is there yet to give it back. The compiler of the kernels and the pools of threads have such
    locks: another thread then waits for one for ever, and the command for that thread. An exception in a finalizer is
    lost. So where a context is entered or left, or an object is taken apart, the interrupt comes a moment later. To
    wait for the threads of a pool takes longer, and is interrupted at once.
    """

    def __init__(self) -> None:
        self._number = int(SIGINT)

    def handle(self, number: int, frame: FrameType | None) -> None:
        """Interrupt, or try again soon."""
        if number != SIGALRM:
            self._number = number
        if _between(frame):
            setitimer(ITIMER_REAL, _SOON)
        else:
            raise KeyboardInterrupt(self._number)


def _between(frame: FrameType | None) -> bool:
    """Tell whether a context is being entered or left, or an object taken apart."""
    while frame is not None:
        if frame.f_code.co_name in _BETWEEN and frame.f_code.co_qualname != _POOL:
            return True
        frame = frame.f_back
    return False


def watch() -> None:
    """Let signals that end a command interrupt it."""
    handler = _Interrupts().handle
    for number in (SIGINT, SIGTERM, SIGALRM):
        signal(number, handler)
