"""Runs the soak test: so many releases, on all workers, with figures as it goes; ends with 1 if something is wrong.

python -m tests.soak.run --releases 1000 --seed 1      # draw, release, judge
python -m tests.soak.run --seed 1 --only 17 --keep x   # one case again, its files kept in the folder x
"""

import argparse
import json
import os
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import count
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from types import FrameType

from tests.soak.trial import Outcome, trial

_SECONDS = 300  # that a case may take
_PROCESSES = get_context("spawn")
_WAYS = ("Python, ", "command line, ", "format ")


def tried(seed: int, number: int, keep: Path | None = None) -> tuple[int, Outcome, float]:
    """Try one case in a folder of its own; return its number, what came of it, and the seconds of the processor."""
    started = time.process_time()
    place = Path("/dev/shm")  # noqa: S108  (memory, where there is such a thing: nothing here need last)
    folder = Path(tempfile.mkdtemp(prefix="soak", dir=place if os.access(place, os.W_OK) else None))
    signal.signal(signal.SIGALRM, _too_long)
    signal.alarm(_SECONDS)
    try:
        outcome = trial(seed, number, folder)
    except Exception as error:
        outcome = Outcome(wrong=[f"the soak test failed: {type(error).__name__}: {str(error)[:200]}"])
    finally:
        signal.alarm(0)
        if keep is not None:
            shutil.copytree(folder, keep, dirs_exist_ok=True)
        shutil.rmtree(folder)
    return number, outcome, time.process_time() - started


def _too_long(number: int, frame: FrameType | None) -> None:
    raise TimeoutError(f"a case took more than {_SECONDS} s")


def releases(outcome: Outcome) -> int:
    """Return how many releases were asked for, by either way, whatever came of them."""
    return sum(number for kind, number in outcome.tried.items() if kind.startswith(_WAYS))


def soak(seed: int, wanted: int, workers: int, first: int = 0) -> Iterator[tuple[int, Outcome, float]]:
    """Yield what came of each case, until as many releases as wanted were tried; a worker that dies is a finding."""
    busy: dict[Connection, tuple[BaseProcess, int]] = {}
    numbers, done = count(first), 0
    for _ in range(workers):
        busy |= _started(seed, next(numbers))
    while busy:
        for link in wait(list(busy)):
            assert isinstance(link, Connection)
            process, number = busy.pop(link)
            try:
                outcome, seconds = link.recv()
            except EOFError:
                process.join()
                outcome, seconds = Outcome(wrong=[f"the process died with exit code {process.exitcode}"]), 0.0
            done += releases(outcome)
            following = next(numbers) if done < wanted else None
            if process.exitcode is not None:
                busy |= {} if following is None else _started(seed, following)
            else:
                link.send(following)
                busy |= {} if following is None else {link: (process, following)}
            yield number, outcome, seconds


def _started(seed: int, number: int) -> dict[Connection, tuple[BaseProcess, int]]:
    """Start a worker with its first case."""
    ours, theirs = _PROCESSES.Pipe()
    process = _PROCESSES.Process(target=_work, args=(seed, theirs), daemon=True)
    process.start()
    theirs.close()
    ours.send(number)
    return {ours: (process, number)}


def _work(seed: int, link: Connection) -> None:
    """Try the cases that are asked for, one after the other."""
    while (number := link.recv()) is not None:
        _, outcome, seconds = tried(seed, number)
        link.send((outcome, seconds))


def figures(outcome: Outcome, cases: int, seconds: float) -> str:
    """Return the figures as lines of text."""
    per_second = releases(outcome) / max(seconds, 1e-9)
    lines = [
        f"{releases(outcome)} releases of {cases} cases, {seconds:.0f} s of processor time, {per_second:.1f} a second",
        f"{sum(outcome.judged.values())} answers, {len(outcome.wrong)} wrong",
    ]
    for title, counts in (("tried", outcome.tried), ("judged", outcome.judged), ("not judged", outcome.not_judged)):
        lines += [f"  {title}: {kind}: {number}" for kind, number in sorted(counts.items())]
    return "\n".join(lines)


def main() -> int:
    """Read the arguments, run, print; keep seed and number of what is wrong."""
    reading = argparse.ArgumentParser(description=__doc__)
    reading.add_argument("--releases", type=int, default=1000)
    reading.add_argument("--seed", type=int, default=int(time.time()))
    reading.add_argument(
        "--first", type=int, default=0, help="the number of the first case, to go on where a run ended"
    )
    reading.add_argument("--workers", type=int, default=2)
    reading.add_argument("--only", type=int, help="one case, by its number")
    reading.add_argument("--keep", type=Path, help="keep the files of that case in this folder")
    reading.add_argument("--out", type=Path, default=Path("build/soak"), help="folder for findings and figures")
    asked = reading.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    print(f"seed {asked.seed}", flush=True)
    if asked.only is not None:
        found = iter([tried(asked.seed, asked.only, asked.keep)])
    else:
        found = soak(asked.seed, asked.releases, asked.workers, asked.first)
    return int(bool(_told(found, asked.seed, asked.out)))


def _told(found: Iterator[tuple[int, Outcome, float]], seed: int, out: Path) -> int:
    """Print what is wrong, and every half minute how far it is; return how much is wrong.

    The figures so far are written whenever they are printed, so that a run may be stopped at any time.
    """
    whole, cases, seconds, told, largest = Outcome(), 0, 0.0, time.monotonic(), 0
    with (out / "findings.jsonl").open("a", encoding="utf-8") as file:
        for number, outcome, spent in found:
            whole.add(outcome)
            cases, seconds, largest = cases + 1, seconds + spent, max(largest, number)
            for wrong in outcome.wrong:
                print(f"case {number}: {wrong}", flush=True)
                file.write(json.dumps({"seed": seed, "case": number, "wrong": wrong}) + "\n")
                file.flush()
            if time.monotonic() - told > 30:
                told = time.monotonic()
                (out / "figures.txt").write_text(figures(whole, cases, seconds) + "\n", encoding="utf-8")
                print(figures(whole, cases, seconds).splitlines()[0], f"{len(whole.wrong)} wrong", flush=True)
    text = figures(whole, cases, seconds)
    (out / "figures.txt").write_text(text + "\n", encoding="utf-8")
    print(text, f"Go on with --seed {seed} --first {largest + 1}.", sep="\n")
    return len(whole.wrong)


if __name__ == "__main__":
    sys.exit(main())
