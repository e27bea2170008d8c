"""Let each file operation of writing a release fail once, and tell what was left: run as a process of its own.

    python -m tests.foundation.faults FOLDER [step]

Python tells of its file operations (`sys.addaudithook`), and an operation that is told of may be made to fail. Renames
with flags and waiting for the disk are counted as well. What is written by compiled code is not.
"""

import errno
import json
import os
import shutil
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl

import shoal
from shoal.foundation.errors import ShoalError
from shoal.foundation.systems import renames

TOLD = ("open", "os.rename", "os.mkdir", "os.rmdir", "os.remove", "os.link", "os.chmod", "os.listdir", "os.scandir")
FAULTS: dict[str, Callable[[], BaseException]] = {
    "full disk": lambda: OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)),
    "permission": lambda: PermissionError(errno.EACCES, os.strerror(errno.EACCES)),
    "interrupt": KeyboardInterrupt,
}


class Plan:
    """Counts the operations below a folder, and lets one of them fail."""

    def __init__(self, folder: Path) -> None:
        self.folder = str(folder)
        self.count, self.at, self.fault = 0, -1, ""
        self.failed = ""

    def begin(self, at: int, fault: str) -> None:
        self.count, self.at, self.fault, self.failed = 0, at, fault, ""

    def seen(self, event: str, arguments: tuple[Any, ...]) -> None:
        if self.fault and event in TOLD and any(self.folder in str(one) for one in arguments):
            self.step(event)

    def step(self, event: str) -> None:
        self.count += 1
        if self.count - 1 == self.at:
            self.failed = event
            raise FAULTS[self.fault]()


def watch(plan: Plan) -> None:
    sys.addaudithook(plan.seen)
    fsync, renamed = os.fsync, renames._renamed  # noqa: SLF001  (no event tells of it)

    def synced(handle: int) -> None:
        if plan.fault:
            plan.step("fsync")
        fsync(handle)

    def moved(source: Path, target: Path, flag: int) -> bool:
        if plan.fault:
            plan.step("rename with a flag")
        return renamed(source, target, flag)

    os.fsync = synced  # type: ignore[assignment]
    renames._renamed = moved  # noqa: SLF001


def stands(folder: Path, known: dict[str, Path]) -> str:
    """Return which of the known releases stands whole in a folder; `none` if there is none."""
    if not folder.exists():
        return "none"
    for name, path in known.items():
        names = [{one.relative_to(place) for one in place.rglob("*")} for place in (folder, path)]
        data = [place / "public/data.csv" for place in (folder, path)]
        same = [one.is_file() and one.read_bytes() for one in data]
        kept = folder / "private"
        private = all(one.stat().st_mode & 0o077 == 0 for one in (kept, *kept.rglob("*")) if one.exists())
        if names[0] == names[1] and same[0] == same[1] and private and _verified(folder):
            return name
    return "half"


def _verified(folder: Path) -> bool:
    try:
        shoal.verify(folder)
    except ShoalError:
        return False
    return True


def main(folder: Path, step: int) -> None:
    """Try all operations, or every few of them; print what was wrong."""
    table = pl.DataFrame({"q": list("aabbccdd"), "s": list("xyxyxyxy")})
    release = shoal.anonymize(table, quasi=["q"], sensitive=["s"], k=2, seed=1)
    other = shoal.anonymize(table, quasi=["q"], sensitive=["s"], k=4, seed=1)
    old, new = folder / "old", folder / "new"
    other.write(old)
    release.write(new)
    known = {"old": old, "new": new}
    place = folder / "place"
    plan, wrong = Plan(place), []
    found: Counter[str] = Counter()
    watch(plan)
    for force in (False, True):
        for fault in FAULTS:
            number = 0
            while True:
                shutil.rmtree(place, ignore_errors=True)
                place.mkdir()
                if force:
                    shutil.copytree(old, place / "out")
                plan.begin(number, fault)
                said = ""
                try:
                    release.write(place / "out", force=force)
                except (ShoalError, KeyboardInterrupt) as error:
                    said = f"{type(error).__name__}: {error}"
                except BaseException as error:
                    said = f"not foreseen, {type(error).__name__}: {error}"
                failed, plan.fault = plan.failed, ""
                there = stands(place / "out", known)
                left = sorted(path.name for path in place.iterdir() if path.name != "out")
                if not failed:
                    break
                found[f"{'force' if force else 'new'}, {fault}"] += 1
                problem = judged(force=force, said=said, there=there, left=left)
                if problem:
                    told = {"problem": problem, "force": force, "fault": fault, "at": number, "operation": failed}
                    wrong.append({**told, "said": said, "left": left})
                number += step
    sys.stdout.write(json.dumps({"tried": dict(found), "wrong": wrong}, indent=1))


def judged(*, force: bool, said: str, there: str, left: list[str]) -> str:
    """Return what is wrong with the end of a trial; nothing if all is well."""
    before = "old" if force else "none"
    if there == "half":
        return "something half stands there"
    if there not in (before, "new"):
        return "what stood there is lost"
    if left:
        return "something is left beside it"
    if not said and there != "new":
        return "nothing was said, and nothing written"
    if "Nothing was written" in said and there == "new":
        return "it is said that nothing was written, and it was"
    if said.startswith("not foreseen"):
        return "an error that nobody foresaw"
    return ""


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1)
