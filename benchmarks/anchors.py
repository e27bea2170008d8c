"""Other tools beside shoal on the same records: those of this Python, or of the one that SHOAL_ANCHORS names."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.measuring import ADULT, need_adult, print_table

_WORKS = (
    ("k of a table", "k", ("shoal", "polars", "duckdb", "pycanon")),
    ("l, entropy l, t, alpha, beta, delta", "all", ("shoal", "pycanon")),
    ("Mondrian, k = 10, sets and ranges", "mondrian", ("shoal", "anonypy")),
)
_PROGRAM = str(Path(__file__).with_name("anchor_works.py"))


def rows() -> Iterator[list[object]]:
    """Yield what each tool tells of each work, in the first Python that has it."""
    pythons = [sys.executable, *filter(None, [os.environ.get("SHOAL_ANCHORS")])]
    for words, work, tools in _WORKS:
        for tool in tools:
            found = (_row(python, tool, work) for python in pythons)
            row = next((one for one in found if one is not None), None)
            if row is not None:
                yield [words, *row]


def _row(python: str, tool: str, work: str) -> list[str] | None:
    """Return the tool with its version, what it found, and its CPU seconds; None if it is not there."""
    version = f"from importlib.metadata import version; print(version({tool!r}))"
    there = subprocess.run([python, "-c", version], capture_output=True, text=True, check=False)
    if there.returncode:
        return None
    command = [python, _PROGRAM, f"{tool}.{work}", str(ADULT / "adult.csv")]
    told = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()[-1])
    return [f"{tool} {there.stdout.strip()}", told["result"], f"{told['cpu']:.3f}"]


def main() -> None:
    """Print one table of all works and tools."""
    need_adult()
    print_table("Adult, 30,162 records, 7 quasi columns", ["work", "tool", "finds", "CPU s"], list(rows()))


if __name__ == "__main__":
    main()
