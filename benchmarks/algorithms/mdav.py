"""MDAV with a time limit: what is lost when the rest is cut, on 100,000 made-up records of nine columns, k = 3."""

import json
import subprocess
import sys
import time

import polars as pl

import shoal
from benchmarks.algorithms.microaggregation import Shape, made_up
from benchmarks.measuring import itself, machine, print_table

SHAPE = Shape(100_000, 9, 3, 0.2, 0.8, 0.02)
LIMITS = (None, 2.0, 1.0, 0.5, 0.2, 0.01)


def measure(limit: float | None) -> dict[str, float]:
    """Release once with a time limit, after a small release that compiles; return what was lost."""
    rows = made_up(SHAPE)
    frame = pl.DataFrame({f"c{j}": rows[:, j] for j in range(rows.shape[1])})
    shoal.anonymize(frame[:50], quasi=frame.columns, k=3, algorithm="mdav")
    begun = time.process_time()
    release = shoal.anonymize(frame, quasi=frame.columns, k=3, algorithm="mdav", time_limit=limit or 3600.0)
    told = limit is None or "time limit" in release.certificate["told"]["remark"]
    return {
        "share": 100 * release.certificate["loss"]["share"],
        "largest": int(release.solution.groups.sizes.max()),
        "cpu": time.process_time() - begun,
        "told": told,
    }


def main() -> None:
    """Print a row for each limit, each measured in a process of its own."""
    rows: list[list[object]] = []
    for limit in LIMITS:
        command = [*itself(__file__), str(limit or 0)]
        found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        asked = "none" if limit is None else f"{limit:g} s"
        told = "yes" if found["told"] else "not reached"
        rows.append([asked, f"{found['share']:.2f}", found["largest"], told, f"{found['cpu']:.1f}"])
    print(machine())
    print_table("MDAV with a time limit", ["limit", "SSE / SST %", "largest class", "told", "CPU s"], rows)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(json.dumps(measure(float(sys.argv[1]) or None)))
    else:
        main()
