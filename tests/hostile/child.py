"""Runs a case as a command of its own, and measures its time and memory."""

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Self

from tests.hostile.case import Case
from tests.hostile.material import CANARIES

SECONDS = 5.0
"""Processor seconds that a command may take, or as many beyond its time limit."""
WALL = 120.0
"""Seconds after which a command hangs, on a machine that is busy."""
MEGABYTES = 1024
WRONG = ("Traceback", "Internal error", "panicked", "SIGABRT", *CANARIES)


@dataclass(frozen=True)
class Outcome:
    """How a case ended.

    Args:
        case: The case.
        code: The exit code; negative if it was killed.
        text: What it printed.
        seconds: The processor seconds that it took.
        wall: The seconds that passed.
        megabytes: The most memory that it had.
    """

    case: Case
    code: int
    text: str
    seconds: float
    wall: float
    megabytes: float

    @property
    def faults(self) -> list[str]:
        """What is wrong with it, in a few words each."""
        found = [] if self.code in self.case.codes else [f"exit code {self.code}"]
        found += [f"says {word!r}" for word in WRONG if word in self.text]
        found += ["says nothing"] * (self.code != 0 and not self.text.strip())
        found += [f"{self.seconds:.1f} s"] * (min(self.seconds, self.wall) > SECONDS)
        found += [f"{self.megabytes:.0f} MB"] * (self.megabytes > MEGABYTES)
        return found


class Runner:
    """Runs cases one after the other, each in a process of its own."""

    def __init__(self) -> None:
        command = [sys.executable, "-m", "tests.hostile.server"]
        self._server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._server.communicate()

    def run(self, case: Case, folder: Path) -> Outcome:
        """Make the files of a case in a folder, and run its command there."""
        argv, said = case.make(folder), folder / "said.txt"
        asked = {"argv": argv, "folder": str(folder), "said": str(said), "seconds": int(WALL)}
        server = self._server
        assert server.stdin is not None
        assert server.stdout is not None
        started = monotonic()
        server.stdin.write(json.dumps(asked) + "\n")
        server.stdin.flush()
        told = json.loads(server.stdout.readline())
        text = said.read_text(encoding="utf-8", errors="replace") if said.exists() else ""
        return Outcome(case, told["code"], text, told["seconds"], monotonic() - started, told["megabytes"])
