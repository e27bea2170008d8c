"""A trial in a fork: how it ended, and the seconds of CPU it took."""

import importlib
import os
import resource
import signal
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path

_HEAVY = ("hypothesis", "numba", "numpy", "polars", "pydantic", "pytest", "rich.console", "scipy.optimize", "typer")
_MEMORY = 12 * 2**30
_EARLY = "ignore::pytest.PytestAssertRewriteWarning"  # hypothesis is there before pytest looks for it
QUIETLY = ("-q", "-p", "no:xdist", "-p", "no:cacheprovider", "--hypothesis-profile=mutants", "-W", _EARLY)


def kept_order(log: str) -> Path:
    """Return where the order of the tests is kept, beside the log of their trials."""
    return Path(f"{log}.order")


def imported_once() -> None:
    """Import the packages that shoal stands on, so that a fork has them."""
    for name in _HEAVY:
        importlib.import_module(name)


def tried(trial: Callable[[], int], seconds: int, log: str) -> dict[str, float | int]:
    """Make a trial in a fork; return its code, 0 if all tests passed, and the seconds of CPU.

    A fork that used up its seconds of CPU, or ten times as many on the clock, ends with a code below 0.

    Args:
        trial: What runs the tests and returns the code.
        seconds: How much CPU it may take.
        log: Where its output goes.
    """
    started = time.monotonic()
    child = os.fork()
    if child == 0:
        _run(trial, seconds, log)
    while True:
        ended, status, used = os.wait4(child, os.WNOHANG)
        if ended:
            return {"code": os.waitstatus_to_exitcode(status), "seconds": used.ru_utime + used.ru_stime}
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
    code = 3
    try:
        code = trial()
    except BaseException:
        traceback.print_exc()
        raise
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
