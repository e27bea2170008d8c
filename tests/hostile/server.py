"""Runs commands in children of its own: it has imported what they need, so that each takes no time to start.

A line of its input is a command as JSON, a line of its output how it ended. A child's memory counts from that of this
process on, which so holds nothing else.
"""

import json
import os
import signal
import sys
from contextlib import suppress
from resource import RLIMIT_CORE, setrlimit
from typing import Any, NoReturn


def serve() -> None:
    """Run one command after the other until there are no more."""
    for line in sys.stdin:
        print(json.dumps(_run(json.loads(line))), flush=True)


def _run(asked: dict[str, Any]) -> dict[str, float]:
    child = os.fork()
    if child == 0:
        _become(asked)

    def kill(*_: object) -> None:
        with suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)

    signal.signal(signal.SIGALRM, kill)
    signal.alarm(asked["seconds"])
    _, status, usage = os.wait4(child, 0)
    signal.alarm(0)
    return {
        "code": os.waitstatus_to_exitcode(status),
        "seconds": usage.ru_utime + usage.ru_stime,
        "megabytes": usage.ru_maxrss / 1024,
    }


def _become(asked: dict[str, Any]) -> NoReturn:
    from shoal.cli import start

    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    setrlimit(RLIMIT_CORE, (0, 0))
    os.chdir(asked["folder"])
    output = os.open(asked["said"], os.O_WRONLY | os.O_CREAT)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(output, 1)
    os.dup2(output, 2)
    sys.argv = ["shoal", *asked["argv"]]
    start()


def _warm() -> None:
    """Import what commands need, and load no thread that a child would lack."""
    import polars  # noqa: F401, ICN001
    import pyreadstat  # noqa: F401
    import python_calamine  # noqa: F401

    import shoal.actions.anonymize
    import shoal.actions.apply
    import shoal.actions.check
    import shoal.actions.risk
    import shoal.actions.verify
    import shoal.cli  # noqa: F401


if __name__ == "__main__":
    _warm()
    serve()
