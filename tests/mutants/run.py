"""Change what is trusted, one place at a time, and tell which changes no test notices.

    python -m tests.mutants.run [--list] [--processes 2] [file or folder of src ...]

Each change is tried against the tests of its file, those first that come by its statement; what they do not notice is
tried once more, in a copy. Verdicts are kept in the user's cache directory, so that a run goes on where it was stopped,
in another clone as well; they hold while the file is the same, and the test that noticed the change.
Ends with 0 only if every change was noticed, or is listed in `equivalent/` with a reason, and every listed one is made.
"""

import argparse
import json
import sys
from concurrent.futures import ThreadPoolExecutor
from math import inf
from pathlib import Path
from queue import Queue

from shoal.kernels.cache import own_places
from tests.mutants.changes import Change, changes
from tests.mutants.equivalents import listed, matched
from tests.mutants.since import newer
from tests.mutants.trials import Trials, UntestedError
from tests.mutants.trusted import files, guards, together
from tests.mutants.verdicts import Verdicts

ROOT = Path(__file__).parents[2]
KEPT = ROOT / "build" / "mutants"


def show(file: str, change: Change) -> None:
    """Print a change that nobody noticed, at once, as it would stand in the list of equivalents."""
    told = {"file": file, "function": change.function, "line": change.line, "change": change.change, "reason": ""}
    entry = [f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in told.items()]
    print("\n".join([f"\n{file}:{change.number}", "[[equivalent]]", *entry]), flush=True)


def survivors(
    file: str, asked: list[Change], crew: list[Trials], verdicts: Verdicts, only: list[str], wanted: list[str]
) -> list[Change]:
    """Return the changes of a file that its tests do not notice, or only some of them."""
    tests, measured = (only, [file, *wanted]) if only else (guards(ROOT, file), together(ROOT, file))
    open_ones = [change for change in asked if not verdicts.noticed(change)]
    if not open_ones:
        return []
    free: Queue[Trials] = Queue()

    def noticed(change: Change) -> bool:
        trials = free.get()
        try:
            test = trials.noticed_by(file, change)
        finally:
            free.put(trials)
        if test is None:
            show(file, change)
        else:
            verdicts.add(change, file, test)
        return test is not None

    with ThreadPoolExecutor(len(crew)) as pool:
        list(pool.map(lambda trials: trials.begin(measured, tests), crew))
        for trials in crew:
            free.put(trials)
        told = list(pool.map(noticed, open_ones))
    return [change for change, seen in zip(open_ones, told, strict=True) if not seen]


def main() -> int:
    """Try the changes of the wanted files, or of all that is trusted."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wanted", nargs="*", help="files or folders of src; all that is trusted if none is given")
    parser.add_argument("--tests", nargs="+", default=[], help="ask these tests alone, as after a new one was written")
    parser.add_argument("--since", default="", help="only the functions in which a line came since this commit")
    parser.add_argument("--quick", action="store_true", help="few examples and no copy: more may be left, in less time")
    parser.add_argument("--first", type=float, default=inf, help="ask tests of so many seconds alone, the likeliest")
    parser.add_argument("--anew", action="store_true", help="believe no verdict of an earlier run")
    parser.add_argument("--list", action="store_true", help="print the changes and try none")
    parser.add_argument("--processes", type=int, default=2, help="how many changes are tried at a time")
    arguments = parser.parse_args()
    KEPT.mkdir(parents=True, exist_ok=True)
    entries = listed(Path(__file__).with_name("equivalent"))
    verdicts = Verdicts(ROOT, own_places()[0] / "mutants" / "noticed.txt", anew=arguments.anew)
    workers = 0 if arguments.list else arguments.processes
    crew = [Trials(ROOT, KEPT, number, quick=arguments.quick, first=arguments.first) for number in range(workers)]
    wrong = 0
    wanted = files(ROOT, arguments.wanted)
    for file in wanted:
        made = changes((ROOT / file).read_text(encoding="utf-8"))
        equal, stale = matched(made, [entry for entry in entries if entry.file == file])
        asked = [change for change in newer(ROOT, file, made, arguments.since) if change not in equal]
        if arguments.list:
            for change in asked:
                print(f"{file}:{change.number}: {change.change}")
            continue
        before = sum(trials.seconds for trials in crew)
        try:
            left = survivors(file, asked, crew, verdicts, arguments.tests, wanted)
        except UntestedError as error:
            print(error, flush=True)
            wrong += 1
            continue
        wrong += len(left) + len(stale)
        told = f"{len(asked) - len(left)} noticed, {len(equal)} equivalent, {len(left)} not noticed"
        used = sum(trials.seconds for trials in crew) - before
        print(f"{file}: {len(made)} changes, {told}; {used:.0f} s of CPU", flush=True)
        for entry in stale:
            print(f"  listed as equivalent, but no such change is made: {entry.change} in {entry.function}")
    for trials in crew:
        trials.close()
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
