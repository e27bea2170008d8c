"""Trials of changes: in a process that has everything loaded, and, where that cannot tell, in a copy of the house."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.mutants.changes import Change
from tests.mutants.forks import kept_order

_COPIED = ("src", "tests", "docs", "examples", "pyproject.toml", "README.md")
_SECONDS = 20  # of CPU that a trial may take, and four times what its tests take without a change
_ALIKE = {"CI": "1", "OPENBLAS_NUM_THREADS": "1", "POLARS_MAX_THREADS": "1"}


class _Answering:
    """A process that answers a line of JSON with another."""

    def __init__(self, tree: Path, *command: str) -> None:
        paths = f"{tree / 'src'}{os.pathsep}{tree}"
        self._process = subprocess.Popen(
            [sys.executable, "-m", *command],
            cwd=tree,
            env={**os.environ, **_ALIKE, "PYTHONPATH": paths},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def ask(self, asked: dict[str, Any]) -> dict[str, Any]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(json.dumps(asked), file=self._process.stdin, flush=True)
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        return answer

    def close(self) -> None:
        if self._process.stdin is not None:
            self._process.stdin.close()
        self._process.wait()


def _widest(tests: list[str]) -> set[str]:
    """Return the tests without those that are in a folder among them."""
    return {one for one in tests if not any(one.startswith(f"{other}/") for other in tests)}


class Trials:
    """Trials one after the other, in processes of their own.

    Args:
        root: The house.
        kept: A folder for the copy and the logs.
        number: Which of those that work side by side.
    """

    def __init__(self, root: Path, kept: Path, number: int) -> None:
        self._root = root
        self._tree, self._log = kept / f"tree{number}", str(kept / f"log{number}")
        self._copy: _Answering | None = None
        self._loaded: _Answering | None = None
        self._file = ""
        self._tests: list[str] = []
        self._seconds = 1000

    def begin(self, file: str, tests: list[str]) -> None:
        """Load a file and its tests, and try them without a change."""
        known = _widest(tests) == _widest(self._tests)  # as for the file before, of the same folder
        self._file, self._tests = file, tests
        self._end_loaded()
        self._loaded = _Answering(self._root, "tests.mutants.loaded", file, self._log, *tests)
        if not known:
            kept_order(self._log).unlink(missing_ok=True)
            self._seconds = _SECONDS + int(4 * self._unchanged(0))
        self._unchanged(1)

    def _unchanged(self, first: int) -> float:
        """Return how long the tests take without a change, all or the first ones."""
        assert self._loaded is not None
        found = self._loaded.ask({"function": "", "text": None, "seconds": 1000, "first": first})
        if found["code"] != 0:
            raise RuntimeError(f"The tests of {self._file} fail without a change, or there are none: see {self._log}")
        return float(found["seconds"])

    def noticed(self, change: Change) -> bool:
        """Return whether the tests notice a change; what a loaded process does not notice is tried in a copy.

        Most changes are noticed by the nearest tests, which are asked alone first.
        """
        assert self._loaded is not None
        asked = {"function": change.function, "text": change.text, "seconds": self._seconds}
        return any(self._loaded.ask({**asked, "first": n})["code"] for n in (1, 0)) or self._noticed_in_copy(change)

    def _noticed_in_copy(self, change: Change) -> bool:
        if self._copy is None:
            self._make_copy()
            self._copy = _Answering(self._tree, "tests.mutants.worker")
        trial = {"file": self._file, "tests": self._tests, "seconds": self._seconds, "log": self._log}
        answer = self._copy.ask({**trial, "text": change.text})
        if answer["code"] in (4, 5):
            raise RuntimeError(f"pytest found no tests for {self._file}: see {self._log}")
        return bool(answer["code"])

    def _make_copy(self) -> None:
        shutil.rmtree(self._tree, ignore_errors=True)
        self._tree.mkdir(parents=True)
        for name in _COPIED:
            if (self._root / name).is_dir():
                shutil.copytree(self._root / name, self._tree / name, ignore=shutil.ignore_patterns("release"))
            else:
                shutil.copy2(self._root / name, self._tree / name)

    def _end_loaded(self) -> None:
        if self._loaded is not None:
            self._loaded.close()
        self._loaded = None

    def close(self) -> None:
        """End the processes and take the copy away."""
        self._end_loaded()
        if self._copy is not None:
            self._copy.close()
        shutil.rmtree(self._tree, ignore_errors=True)
