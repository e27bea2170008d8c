"""Try changes in a copied tree, one after the other: a line of JSON in, a line of JSON out.

The packages that shoal stands on are imported once; each trial is a fork that imports shoal with the change in place
and runs the tests that it is given. Nothing of shoal, nor of its tests, may be imported here.
"""

import importlib
import json
import os
import resource
import signal
import sys
import time
import traceback
from pathlib import Path

_HEAVY = ("hypothesis", "numba", "numpy", "polars", "pydantic", "pytest", "rich.console", "scipy.optimize", "typer")
_MEMORY = 12 * 2**30
_EARLY = "ignore::pytest.PytestAssertRewriteWarning"  # hypothesis is there before pytest looks for it


def main() -> None:
    """Answer every line of the input."""
    for name in _HEAVY:
        importlib.import_module(name)
    for number, line in enumerate(sys.stdin):
        asked = json.loads(line)
        path = Path(asked["file"])
        original = path.read_text(encoding="utf-8")
        _write(path, asked["text"] or original, 2 * number)
        try:
            answer = _tried(asked["tests"], asked["seconds"], asked["log"])
        finally:
            _write(path, original, 2 * number + 1)
        print(json.dumps(answer), flush=True)


def _write(path: Path, text: str, second: int) -> None:
    """Write a source with a time that no other version of it has: by that Python knows which bytecode is stale."""
    path.write_text(text, encoding="utf-8")
    os.utime(path, (second, second))


def _tried(tests: list[str], seconds: int, log: str) -> dict[str, float | int]:
    """Run tests in a fork; return the exit code of pytest, 0 if all passed, and the seconds of CPU.

    A fork that used up its seconds of CPU, or ten times as many on the clock, ends with a code below 0.
    """
    started = time.monotonic()
    child = os.fork()
    if child == 0:
        _run(tests, seconds, log)
    while True:
        ended, status, used = os.wait4(child, os.WNOHANG)
        if ended:
            return {"code": os.waitstatus_to_exitcode(status), "seconds": used.ru_utime + used.ru_stime}
        if time.monotonic() - started > 10 * seconds:
            os.killpg(child, signal.SIGKILL)
        time.sleep(0.02)


def _run(tests: list[str], seconds: int, log: str) -> None:
    os.setsid()
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    for stream in (1, 2):
        os.dup2(output, stream)
    code = 3
    try:
        import pytest

        code = int(pytest.main(["-x", "-q", "-p", "no:xdist", "-W", _EARLY, *tests]))
    except BaseException:
        traceback.print_exc()
        raise
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    main()
