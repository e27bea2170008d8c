"""Interrupts: Ctrl-C and SIGTERM end a command as an exception does, at a moment when no lock is changing hands.

Windows has neither SIGALRM nor timers: there an interrupt comes at once, even between a lock and its owner.
"""

import signal
from types import FrameType

_SOON = 0.01  # seconds
_AGAIN = getattr(signal, "SIGALRM", None)
_READER_GONE = 13  # the number of SIGPIPE, which shells add to 128, where the system does not name it
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
        self._number = int(signal.SIGINT)

    def handle(self, number: int, frame: FrameType | None) -> None:
        """Interrupt, or try again soon."""
        if number != _AGAIN:
            self._number = number
        if _AGAIN is not None and _between(frame):
            signal.setitimer(signal.ITIMER_REAL, _SOON)
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
    for number in (signal.SIGINT, signal.SIGTERM, _AGAIN):
        if number is not None:
            signal.signal(number, handler)


def reach_questions() -> None:
    """Let Ctrl-C end a question that waits for an answer; polars, once it has read a table, lets it wait on."""
    if hasattr(signal, "siginterrupt"):
        signal.siginterrupt(signal.SIGINT, True)


def reader_gone() -> int:
    """Return the exit code of a command whose output nobody reads any more."""
    return 128 + int(getattr(signal, "SIGPIPE", _READER_GONE))
