"""Watching: tells how far something is that says nothing itself until it is done."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread

from shoal.foundation.progress import Progress, silent

SECONDS = 0.5  # between two looks


@contextmanager
def watched(progress: Progress, step: str, share: Callable[[], float | None]) -> Iterator[None]:
    """Look again and again how far a step is, and tell it, while it runs; if nobody listens, nobody looks.

    Args:
        progress: Who is told, from another thread.
        step: The name of the step.
        share: Returns the share of it that is done, if that is known.
    """
    if progress is silent:
        yield
        return
    progress(step)
    done = Event()

    def look() -> None:
        while not done.wait(SECONDS):
            progress(step, share())

    thread = Thread(target=look, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
