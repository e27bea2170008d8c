"""A trial in a fork: how it ended, in which test, and the seconds of CPU it took."""

import importlib
import os
import resource
import signal
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_HEAVY = ("hypothesis", "numba", "numpy", "polars", "pydantic", "pytest", "rich.console", "scipy.optimize", "typer")
_MEMORY = 12 * 2**30
_BROKEN = 70  # the exit code of a fork whose trial raised something: no code of pytest
_EARLY = "ignore::pytest.PytestAssertRewriteWarning"  # hypothesis is there before pytest looks for it
QUIETLY = ("-q", "--assert=plain", "-p", "no:xdist", "-p", "no:cacheprovider", "-W", _EARLY)
PROFILE = "mutants"  # of hypothesis: how many examples are drawn


@dataclass(frozen=True, slots=True)
class Kept:
    """Where the output of trials goes, and what lies beside it."""

    log: str

    @property
    def order(self) -> Path:
        """What is known of the tests."""
        return Path(f"{self.log}.order")

    @property
    def running(self) -> Path:
        """Which test runs."""
        return Path(f"{self.log}.running")


def imported_once() -> None:
    """Import the packages that shoal stands on, so that a fork has them."""
    for name in _HEAVY:
        importlib.import_module(name)


def tried(trial: Callable[[], int], seconds: int, kept: Kept) -> dict[str, Any]:
    """Make a trial in a fork; return its code, 0 if all tests passed, the seconds of CPU, and the test that ran last.

    A fork that used up its seconds of CPU, or ten times as many on the clock, ends with a code below 0. What goes wrong
    outside of all tests tells nothing about a change: that raises a RuntimeError.

    Args:
        trial: What runs the tests and returns the code.
        seconds: How much CPU it may take.
        kept: Where its output goes.
    """
    started = time.monotonic()
    kept.running.write_text("", encoding="utf-8")
    child = os.fork()
    if child == 0:
        _run(trial, seconds, kept.log)
    while True:
        ended, status, used = os.wait4(child, os.WNOHANG)
        if ended:
            test = kept.running.read_text(encoding="utf-8")
            if os.waitstatus_to_exitcode(status) == _BROKEN:
                raise RuntimeError(f"A trial went wrong outside of all tests: see {kept.log}")
            return {"code": os.waitstatus_to_exitcode(status), "seconds": used.ru_utime + used.ru_stime, "test": test}
        if time.monotonic() - started > 10 * seconds:
            os.killpg(child, signal.SIGKILL)
        time.sleep(0.02)


def _run(trial: Callable[[], int], seconds: int, log: str) -> None:
    os.setsid()
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    for stream in (1, 2):
        os.dup2(output, stream)
    code = _BROKEN
    try:
        code = trial()
    except BaseException:
        traceback.print_exc()
        raise
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
