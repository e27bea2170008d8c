"""Change what is trusted, one place at a time, and tell which changes no test notices.

    python -m tests.mutants.run [--list] [--processes 2] [file or folder of src ...]

Each change is made in a copy of the house and tried against the tests of its file. Verdicts are kept in
`build/mutants/`, so that a run goes on where it was stopped; they hold while the file and its tests are the same.
Ends with 0 only if every change was noticed, or is listed in `equivalent/` with a reason, and every listed one is made.
"""

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Queue
from typing import Any

from tests.mutants.changes import Change, changes
from tests.mutants.equivalents import listed, matched
from tests.mutants.trusted import files, guards

ROOT = Path(__file__).parents[2]
KEPT = ROOT / "build" / "mutants"
_COPIED = ("src", "tests", "docs", "examples", "pyproject.toml", "README.md")
_SECONDS = 20  # of CPU that a trial may take, and four times what its tests take without a change


class Worker:
    """A process with a copy of the house of its own."""

    def __init__(self, number: int) -> None:
        self._tree = KEPT / f"tree{number}"
        shutil.rmtree(self._tree, ignore_errors=True)
        self._tree.mkdir(parents=True)
        for name in _COPIED:
            if (ROOT / name).is_dir():
                shutil.copytree(ROOT / name, self._tree / name, ignore=shutil.ignore_patterns("release"))
            else:
                shutil.copy2(ROOT / name, self._tree / name)
        paths = f"{self._tree / 'src'}{os.pathsep}{self._tree}"
        alike = {"CI": "1", "OPENBLAS_NUM_THREADS": "1", "POLARS_MAX_THREADS": "1"}
        self._process = subprocess.Popen(
            [sys.executable, Path(__file__).with_name("worker.py")],
            cwd=self._tree,
            env={**os.environ, **alike, "PYTHONPATH": paths},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def tried(self, file: str, text: str | None, tests: list[str], seconds: int) -> dict[str, Any]:
        """Return the exit code of the tests with this text in the place of the file, and the seconds of CPU."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        asked = {"file": file, "text": text, "tests": tests, "seconds": seconds, "log": f"{self._tree}.log"}
        print(json.dumps(asked), file=self._process.stdin, flush=True)
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        if answer["code"] in (4, 5):
            raise RuntimeError(f"pytest found no tests for {file}: see {self._tree}.log")
        return answer

    def close(self) -> None:
        """End the process and take the copy away."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        self._process.wait()
        shutil.rmtree(self._tree)


class Verdicts:
    """What became of changes in earlier runs, by the changed file and its tests; the last line of the file counts."""

    def __init__(self, path: Path) -> None:
        self._path = path
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        self._noticed = {line.split()[0] for line in lines}

    @staticmethod
    def _key(change: Change, tests: list[str]) -> str:
        found = [
            path for name in tests for path in sorted([ROOT / name, *(ROOT / name).rglob("*.py")]) if path.is_file()
        ]
        return hashlib.sha256(b"\0".join([change.text.encode(), *(path.read_bytes() for path in found)])).hexdigest()

    def noticed(self, change: Change, tests: list[str]) -> bool:
        """Tell whether tests are known to notice a change; one that was not noticed is tried again."""
        return self._key(change, tests) in self._noticed

    def add(self, change: Change, tests: list[str], file: str) -> None:
        """Remember that tests notice a change."""
        with self._path.open("a", encoding="utf-8") as kept:
            kept.write(f"{self._key(change, tests)} {file}:{change.number}\n")


def survivors(file: str, asked: list[Change], workers: Queue[Worker], verdicts: Verdicts) -> list[Change]:
    """Return the changes of a file that its tests do not notice."""
    tests = guards(ROOT, file)
    open_ones = [change for change in asked if not verdicts.noticed(change, tests)]
    if not open_ones:
        return []
    plain = workers.get()
    unchanged = plain.tried(file, None, tests, 1000)
    workers.put(plain)
    if unchanged["code"] != 0:
        raise RuntimeError(f"The tests of {file} fail without a change: {' '.join(tests)}")
    seconds = _SECONDS + int(4 * unchanged["seconds"])

    def noticed(change: Change) -> bool:
        worker = workers.get()
        try:
            found: bool = worker.tried(file, change.text, tests, seconds)["code"] != 0
        finally:
            workers.put(worker)
        if found:
            verdicts.add(change, tests, file)
        return found

    with ThreadPoolExecutor(workers.qsize()) as pool:
        told = list(pool.map(noticed, open_ones))
    return [change for change, seen in zip(open_ones, told, strict=True) if not seen]


def show(file: str, change: Change) -> None:
    """Print a change that nobody noticed, as it would stand in the list of equivalents."""
    print(f"\n{file}:{change.number}")
    print("[[equivalent]]")
    for name, value in (
        ("file", file),
        ("function", change.function),
        ("line", change.line),
        ("change", change.change),
    ):
        print(f"{name} = {json.dumps(value, ensure_ascii=False)}")
    print('reason = ""', flush=True)


def main() -> int:
    """Try the changes of the wanted files, or of all that is trusted."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wanted", nargs="*", help="files or folders of src; all that is trusted if none is given")
    parser.add_argument("--list", action="store_true", help="print the changes and try none")
    parser.add_argument("--processes", type=int, default=2, help="how many changes are tried at a time")
    arguments = parser.parse_args()
    KEPT.mkdir(parents=True, exist_ok=True)
    entries = listed(Path(__file__).with_name("equivalent"))
    verdicts = Verdicts(KEPT / "noticed.txt")
    workers: Queue[Worker] = Queue()
    crew = [] if arguments.list else [Worker(number) for number in range(arguments.processes)]
    for worker in crew:
        workers.put(worker)
    wrong = 0
    for file in files(ROOT, arguments.wanted):
        made = changes((ROOT / file).read_text(encoding="utf-8"))
        equal, stale = matched(made, [entry for entry in entries if entry.file == file])
        asked = [change for change in made if change not in equal]
        if arguments.list:
            for change in asked:
                print(f"{file}:{change.number}: {change.change}")
            continue
        left = survivors(file, asked, workers, verdicts)
        wrong += len(left) + len(stale)
        told = f"{len(asked) - len(left)} noticed, {len(equal)} equivalent, {len(left)} not noticed"
        print(f"{file}: {len(made)} changes, {told}", flush=True)
        for change in left:
            show(file, change)
        for entry in stale:
            print(f"  listed as equivalent, but no such change is made: {entry.change} in {entry.function}")
    for worker in crew:
        worker.close()
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
