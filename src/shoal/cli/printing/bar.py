"""The bar that tells on a terminal how far a command is, and how long it will take."""

from datetime import timedelta
from threading import Lock, Timer
from time import monotonic
from types import TracebackType
from typing import Self

from rich.progress import BarColumn, Progress, ProgressColumn, SpinnerColumn, Task, TaskID, TextColumn
from rich.text import Text

from shoal.cli.show import plain_console

_PATIENCE = 1.0  # seconds before a bar is shown


def left(share: float | None, seconds: float) -> float | None:
    """Return the seconds that a step will still take, if a share of it took so many."""
    return None if not share else seconds * (1 - min(share, 1.0)) / share


class Bar:
    """Shows the step, and what is known of the time that it will take, once a command takes longer than a moment.

    A clock opens the bar, and not the next word of the command: a step may be long and tell nothing.
    """

    def __init__(self) -> None:
        self._started = self._since = monotonic()
        self._step = ""
        self._share: float | None = None
        self._bar: Progress | None = None
        self._task: TaskID | None = None
        self._closed = False
        self._lock = Lock()
        self._clock = Timer(_PATIENCE, self._open)
        self._clock.daemon = True

    def __enter__(self) -> Self:
        self._clock.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Take the bar away."""
        self._clock.cancel()
        with self._lock:
            self._closed = True
            if self._bar is not None:
                self._bar.stop()

    def __call__(self, step: str, share: float | None = None) -> None:
        """Show how far a step is."""
        if step != self._step:
            self._since = monotonic()
        self._step, self._share = step, share
        if self._bar is not None and self._task is not None:
            total = None if share is None else 1.0
            self._bar.update(self._task, description=step, completed=share or 0.0, total=total)

    def say(self, words: str) -> None:
        """Print a line above the bar."""
        (plain_console(stderr=True) if self._bar is None else self._bar.console).print(words)

    def _open(self) -> None:
        with self._lock:
            if self._closed:
                return
            bar = Progress(
                SpinnerColumn(),
                TextColumn("{task.description}", markup=False),
                BarColumn(),
                _Times(self),
                console=plain_console(stderr=True),
                transient=True,
            )
            total = None if self._share is None else 1.0
            self._task = bar.add_task(self._step, total=total)
            self._bar = bar
            bar.start()

    def times(self) -> str:
        """Return how long the command has taken, and how long the step will still take, if that is known."""
        now = monotonic()
        rest = left(self._share, now - self._since)
        taken = _clock(now - self._started)
        return taken if rest is None else f"{taken}, {_clock(rest)} left"


class _Times(ProgressColumn):
    """The times of a bar."""

    def __init__(self, bar: Bar) -> None:
        super().__init__()
        self._times = bar.times

    def render(self, task: Task) -> Text:
        """Show them as they are now."""
        return Text(self._times())


def _clock(seconds: float) -> str:
    return str(timedelta(seconds=round(seconds)))
