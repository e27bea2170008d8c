"""Change what is trusted, one place at a time, and tell which changes no test notices.

    python -m tests.mutants.run [--list] [--processes 2] [file or folder of src ...]

Each change is tried against the tests of its file; what they do not notice is tried once more, in a copy. Verdicts are
kept in `build/mutants/`, so that a run goes on where it was stopped; they hold while file and tests are the same.
Ends with 0 only if every change was noticed, or is listed in `equivalent/` with a reason, and every listed one is made.
"""

import argparse
import hashlib
import json
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Queue

from tests.mutants.changes import Change, changes
from tests.mutants.equivalents import listed, matched
from tests.mutants.trials import Trials
from tests.mutants.trusted import files, guards

ROOT = Path(__file__).parents[2]
KEPT = ROOT / "build" / "mutants"


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


def show(file: str, change: Change) -> None:
    """Print a change that nobody noticed, at once, as it would stand in the list of equivalents."""
    told = {"file": file, "function": change.function, "line": change.line, "change": change.change, "reason": ""}
    entry = [f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in told.items()]
    print("\n".join([f"\n{file}:{change.number}", "[[equivalent]]", *entry]), flush=True)


def survivors(file: str, asked: list[Change], crew: list[Trials], verdicts: Verdicts) -> list[Change]:
    """Return the changes of a file that its tests do not notice."""
    tests = guards(ROOT, file)
    open_ones = [change for change in asked if not verdicts.noticed(change, tests)]
    if not open_ones:
        return []
    free: Queue[Trials] = Queue()

    def noticed(change: Change) -> bool:
        trials = free.get()
        try:
            found = trials.noticed(change)
        finally:
            free.put(trials)
        if found:
            verdicts.add(change, tests, file)
        else:
            show(file, change)
        return found

    with ThreadPoolExecutor(len(crew)) as pool:
        list(pool.map(lambda trials: trials.begin(file, tests), crew))
        for trials in crew:
            free.put(trials)
        told = list(pool.map(noticed, open_ones))
    return [change for change, seen in zip(open_ones, told, strict=True) if not seen]


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
    crew = [] if arguments.list else [Trials(ROOT, KEPT, number) for number in range(arguments.processes)]
    wrong = 0
    for file in files(ROOT, arguments.wanted):
        made = changes((ROOT / file).read_text(encoding="utf-8"))
        equal, stale = matched(made, [entry for entry in entries if entry.file == file])
        asked = [change for change in made if change not in equal]
        if arguments.list:
            for change in asked:
                print(f"{file}:{change.number}: {change.change}")
            continue
        left = survivors(file, asked, crew, verdicts)
        wrong += len(left) + len(stale)
        told = f"{len(asked) - len(left)} noticed, {len(equal)} equivalent, {len(left)} not noticed"
        print(f"{file}: {len(made)} changes, {told}", flush=True)
        for entry in stale:
            print(f"  listed as equivalent, but no such change is made: {entry.change} in {entry.function}")
    for trials in crew:
        trials.close()
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
