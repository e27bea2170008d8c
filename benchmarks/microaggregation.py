"""Microaggregation against MDAV on made-up tables of the shapes that the literature uses."""

import json
import resource
import subprocess
import sys
import time

import numpy as np
import polars as pl
from measuring import machine, print_table
from numpy.typing import NDArray

import shoal

SHAPES = {"Census": (1_080, 13, 0.5, 0.15), "Tarragona": (834, 13, 1.0, 0.1), "EIA": (4_092, 11, 1.5, 0.1)}
LARGE = {"large": (10_000, 9, 0.8, 0.1), "larger": (30_000, 9, 0.8, 0.1)}
KS = (3, 4, 5, 10)


def made_up(name: str, seed: int = 1) -> NDArray[np.float64]:
    """Return correlated columns with long tails, rounded ones among them, and many zeros; standardized."""
    n, width, tail, zeros = {**SHAPES, **LARGE}[name]
    rng = np.random.default_rng(seed)
    rows = rng.standard_normal((n, 4)) @ rng.standard_normal((4, width)) / 2 + 0.4 * rng.standard_normal((n, width))
    rows = np.exp(2 * tail * rows)
    rows[:, ::3] = np.round(rows[:, ::3])
    rows[rng.random((n, width)) < zeros] = 0
    return ((rows - rows.mean(axis=0)) / rows.std(axis=0)).round(6)


def measure(name: str, k: int, algorithm: str) -> dict[str, float]:
    """Run once, and return the share of the sum of squares that is lost, the CPU seconds and the peak memory."""
    rows = made_up(name)
    frame = pl.DataFrame({f"c{j}": rows[:, j] for j in range(rows.shape[1])})
    shoal.anonymize(frame[:50], quasi=frame.columns, k=k, algorithm={"name": "microaggregation", "effort": 1})
    begun = time.process_time()
    release = shoal.anonymize(frame, quasi=frame.columns, k=k, algorithm=algorithm)
    spent = time.process_time() - begun
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"share": 100 * release.certificate["loss"]["share"], "cpu": spent, "peak": peak}


def measured(name: str, k: int, algorithm: str) -> dict[str, float]:
    """Do as `measure`, in a process of its own."""
    told = subprocess.run(
        [sys.executable, __file__, name, str(k), algorithm], check=True, capture_output=True, text=True
    )
    return dict(json.loads(told.stdout))


def main() -> None:
    """Print a row for each table and k."""
    rows: list[list[object]] = []
    for name in {**SHAPES, **LARGE}:
        n, width, *_ = {**SHAPES, **LARGE}[name]
        for k in KS if name in SHAPES else (3, 10):
            plain, ours = measured(name, k, "mdav"), measured(name, k, "microaggregation")
            assert ours["share"] < plain["share"]
            rows.append(
                [
                    name,
                    f"{n:,}",
                    width,
                    k,
                    f"{plain['share']:.2f}",
                    f"{ours['share']:.2f}",
                    f"{ours['share'] / plain['share']:.3f}",
                    f"{plain['cpu']:.1f}",
                    f"{ours['cpu']:.1f}",
                    f"{ours['peak']:.0f} MB",
                ]
            )
            print(rows[-1], file=sys.stderr)
    print(machine())
    header = ["shape", "records", "columns", "k", "MDAV %", "ours %", "ratio", "MDAV CPU s", "ours CPU s", "peak"]
    print_table("Microaggregation: SSE / SST", header, rows)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(json.dumps(measure(sys.argv[1], int(sys.argv[2]), sys.argv[3])))
    else:
        main()
