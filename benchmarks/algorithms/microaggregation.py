"""Microaggregation against MDAV on made-up tables of the shapes that the literature uses.

`python -m benchmarks.algorithms.microaggregation real`: on Census and Tarragona themselves, with the bound and its
seconds; needs the two tables, which shoal does not ship.
"""

import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

import shoal
from benchmarks.measuring import ROOT, itself, machine, print_table

REAL = Path(os.environ.get("SHOAL_MICRODATA", ROOT.parent / "shared" / "data" / "microaggregation"))


class Shape(NamedTuple):
    """What a made-up table is like.

    Args:
        n_records: How many records it has.
        n_columns: How many columns.
        factors: How many numbers drawn at random all columns depend on.
        noise: What is added to each cell.
        tail: How long the tails are.
        zeros: The share of zeros.
        groups: How many different factors there are; each record has its own if 0.
    """

    n_records: int
    n_columns: int
    factors: int
    noise: float
    tail: float
    zeros: float
    groups: int = 0


SHAPES = {
    "Census": Shape(1_080, 13, 3, 0.15, 0.7, 0.01),
    "Tarragona": Shape(834, 13, 4, 0.3, 1.2, 0.03),
    "EIA": Shape(4_092, 11, 3, 0.04, 1.0, 0.002, 300),
    "large": Shape(10_000, 9, 3, 0.2, 0.8, 0.02),
    "larger": Shape(30_000, 9, 3, 0.2, 0.8, 0.02),
}
KS = {"Census": (3, 4, 5, 10), "Tarragona": (3, 4, 5, 10), "EIA": (3, 4, 5, 10), "large": (3, 10), "larger": (3,)}


def made_up(shape: Shape, seed: int = 1) -> NDArray[np.float64]:
    """Return correlated columns with long tails, rounded ones among them, and zeros; standardized."""
    size = (shape.n_records, shape.n_columns)
    rng = np.random.default_rng(seed)
    factors = rng.standard_normal((shape.groups or shape.n_records, shape.factors))
    if shape.groups:
        factors = factors[rng.integers(0, shape.groups, shape.n_records)]
    loads = rng.standard_normal((shape.factors, shape.n_columns)) / np.sqrt(shape.factors)
    rows = np.exp(shape.tail * (factors @ loads + shape.noise * rng.standard_normal(size)))
    rows[:, ::3] = np.round(rows[:, ::3], 1)
    rows[rng.random(size) < shape.zeros] = 0
    return ((rows - rows.mean(axis=0)) / rows.std(axis=0)).round(6)


def measure(name: str, k: int, algorithm: str) -> dict[str, float]:
    """Run once, and return the share of the sum of squares that is lost, the CPU seconds and the peak memory."""
    rows = made_up(SHAPES[name])
    frame = pl.DataFrame({f"c{j}": rows[:, j] for j in range(rows.shape[1])})
    shoal.anonymize(frame[:50], quasi=frame.columns, k=k, algorithm={"name": "microaggregation", "effort": 1})
    begun = time.process_time()
    release = shoal.anonymize(frame, quasi=frame.columns, k=k, algorithm=algorithm)
    spent = time.process_time() - begun
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"share": 100 * release.certificate["loss"]["share"], "cpu": spent, "peak": peak}


def measure_real(name: str, k: int) -> dict[str, float | None]:
    """Release a table of the literature by MDAV, and with and without a bound; return losses, bound and seconds."""
    frame = pl.read_csv(REAL / f"{name}.csv")
    shoal.anonymize(frame[:50], quasi=frame.columns, k=k, algorithm="microaggregation")
    found: dict[str, float | None] = {}
    for bound in ("none", "program"):
        asked = {"name": "microaggregation", "bound": bound}
        begun = time.process_time()
        loss = shoal.anonymize(frame, quasi=frame.columns, k=k, algorithm=asked, seed=1).certificate["loss"]
        found |= {f"{bound} cpu": time.process_time() - begun, "share": 100 * loss["share"], "ratio": loss["ratio"]}
    asked = {"name": "mdav", "bound": "none"}
    loss = shoal.anonymize(frame, quasi=frame.columns, k=k, algorithm=asked).certificate["loss"]
    return {**found, "mdav": 100 * loss["share"]}


def real() -> None:
    """Print a row for each table of the literature and k."""
    if not (REAL / "census.csv").is_file():
        sys.exit(f"Skipped: there are no tables in '{REAL}' (set SHOAL_MICRODATA to their folder).")
    rows: list[list[object]] = []
    for name in ("census", "tarragona"):
        for k in (3, 4, 5, 10):
            command = [*itself(__file__), "real", name, str(k)]
            found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
            share, ratio = found["share"], found["ratio"]
            search, more = found["none cpu"], found["program cpu"] - found["none cpu"]
            row = [
                name.title(),
                k,
                f"{found['mdav']:.3f}",
                f"{share:.3f}",
                f"{share / ratio:.3f}",
                f"{1 - 1 / ratio:.1%}",
            ]
            rows.append([*row, f"{search:.1f}", f"{more:.1f}"])
            print(rows[-1], file=sys.stderr)
    print(machine())
    header = ["table", "k", "MDAV %", "ours %", "bound %", "gap", "search CPU s", "bound CPU s"]
    print_table("Microaggregation of tables of the literature: SSE / SST", header, rows)


def measured(name: str, k: int, algorithm: str) -> dict[str, float]:
    """Do as `measure`, in a process of its own."""
    told = subprocess.run([*itself(__file__), name, str(k), algorithm], check=True, capture_output=True, text=True)
    return dict(json.loads(told.stdout))


def main() -> None:
    """Print a row for each table and k."""
    rows: list[list[object]] = []
    for name, shape in SHAPES.items():
        for k in KS[name]:
            plain, ours = measured(name, k, "mdav"), measured(name, k, "microaggregation")
            assert ours["share"] < plain["share"]
            rows.append(
                [
                    name,
                    f"{shape.n_records:,}",
                    shape.n_columns,
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
    if sys.argv[1:] == ["real"]:
        real()
    elif sys.argv[1:2] == ["real"]:
        print(json.dumps(measure_real(sys.argv[2], int(sys.argv[3]))))
    elif len(sys.argv) > 1:
        print(json.dumps(measure(sys.argv[1], int(sys.argv[2]), sys.argv[3])))
    else:
        main()
