"""Trials of changes: in a process that has everything loaded, and, where that cannot tell, in a copy of the house."""

import json
import os
import shutil
import subprocess
import sys
from math import inf
from pathlib import Path
from typing import Any

from tests.mutants.changes import Change
from tests.mutants.forks import PROFILE, Kept
from tests.mutants.statements import statement_of
from tests.mutants.trusted import widest

_PAGES = (
    "README.md",
    "CHANGELOG.md",
    "CODE_OF_CONDUCT.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "LICENSE",
    "CITATION.cff",
    "ROADMAP.md",
    "action.yml",
    ".pre-commit-hooks.yaml",
)
_COPIED = ("src", "tests", "docs", "benchmarks", "examples", "packages", "paper", "pyproject.toml", *_PAGES)
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
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"The process of the trials has ended, with the code {self._process.wait()}")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def close(self) -> None:
        if self._process.stdin is not None:
            self._process.stdin.close()
        self._process.wait()


class UntestedError(Exception):
    """The tests of a file fail without a change, or there are none."""


class Trials:
    """Trials one after the other, in processes of their own.

    Args:
        root: The house.
        kept: A folder for the copy and the logs.
        number: Which of those that work side by side.
        quick: Whether tests draw few examples, and what a loaded process does not notice is not tried in a copy.
        first: How many seconds of tests a loaded process asks, the likeliest to notice a change.
    """

    def __init__(self, root: Path, kept: Path, number: int, *, quick: bool = False, first: float = inf) -> None:
        self._quick, self._first = quick, first
        self._root = root
        self._tree, self._kept = kept / f"tree{number}", Kept(str(kept / f"log{number}"))
        self._copy: _Answering | None = None
        self._loaded: _Answering | None = None
        self._tests: list[str] = []
        self._measured: list[str] = []
        self._limit = 1000
        self._noticed: list[str] = []  # tests that noticed a change in the copy
        self._passing = set[str]()  # those that pass there without one
        self.seconds = 0.0  # of CPU for all trials

    def begin(self, files: list[str], tests: list[str]) -> None:
        """Load the tests of some files, and measure them without a change; those that are loaded stay."""
        known = widest(tests) == widest(self._tests) and files[0] in self._measured
        self._tests, self._noticed = tests, []
        if known:
            return
        self._measured = files
        self._end_loaded()
        profile = "quick" if self._quick else PROFILE
        self._loaded = _Answering(self._root, "tests.mutants.loaded", self._kept.log, profile, *tests)
        answer = self._counted(self._loaded, {"measured": files})
        if answer["code"] != 0:
            self._tests = []
            test = answer["test"] or "there are none"
            raise UntestedError(f"The tests of {files[0]} fail without a change: {test}. See {self._kept.log}")
        self._limit = _SECONDS + int(4 * answer["seconds"])

    def noticed_by(self, file: str, change: Change) -> str | None:
        """Return the test that notices a change, if one does.

        What a loaded process does not notice is tried in a copy: by the same tests and those that start processes, or,
        if no test comes by the change, by all. There the tests may fail before one of them begins: then the first of
        them has noticed it.
        """
        assert self._loaded is not None
        told = {"file": file, "text": change.text, "seconds": self._limit}
        statement = statement_of((self._root / file).read_text(encoding="utf-8"), change.number)
        place = "" if statement is None else f"{file}:{statement}"
        asked = {**told, "function": change.function, "place": place, "nearest": self._tests[0]}
        answer = self._counted(self._loaded, {**asked, "first": self._first})
        if not answer["code"] and not self._quick:
            answer = self._tried_in_copy({**told, "place": "" if answer["code"] is None else place})
        return answer["test"] or self._tests[0] if answer["code"] else None

    def _tried_in_copy(self, told: dict[str, Any]) -> dict[str, Any]:
        if self._copy is None:
            self._make_copy()
            self._copy = _Answering(self._tree, "tests.mutants.worker")
        asked = {**told, "tests": self._tests, "log": self._kept.log, "noticed": self._noticed}
        answer = self._counted(self._copy, asked)
        if answer["code"] in (4, 5):
            raise UntestedError(f"pytest found no tests for {told['file']}: see {self._kept.log}")
        if answer["code"]:
            self._noticed.append(answer["test"])
            self._check_in_copy(answer["test"] or self._tests[0], asked)
        return answer

    def _check_in_copy(self, test: str, asked: dict[str, Any]) -> None:
        """Refuse a verdict of a test that fails in the copy without a change as well."""
        if test in self._passing:
            return
        assert self._copy is not None
        unchanged = {**asked, "text": "", "tests": [test], "noticed": [], "place": ""}
        if self._counted(self._copy, unchanged)["code"] != 0:
            raise UntestedError(f"{test} fails in a copy without a change. See {self._kept.log}")
        self._passing.add(test)

    def _counted(self, process: _Answering, asked: dict[str, Any]) -> dict[str, Any]:
        answer = process.ask(asked)
        self.seconds += answer["seconds"]
        return answer

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
