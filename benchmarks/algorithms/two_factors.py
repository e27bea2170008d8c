"""Two-factor-2 and two-factor-3: time, memory and loss over bound on random, clustered and Adult records."""

import json
import resource
import subprocess
import sys
import time

import numpy as np
import polars as pl

import shoal
from benchmarks.measuring import ADULT, COLUMNS, itself, machine, need_adult, print_table

KINDS = ("random", "binary", "clustered", "copies", "adult")
SIZES = (800, 4_000)
LARGEST = ("random", "adult")


def table(kind: str, n: int) -> tuple[pl.DataFrame, dict[str, object], str]:
    """Return records, the hierarchies of their columns and the measure."""
    rng = np.random.default_rng(1)
    if kind == "adult":
        whole = pl.read_csv(ADULT / "adult.csv", separator=";", infer_schema=False).select(COLUMNS)
        levels: dict[str, object] = {
            name: {"type": "levels", "path": str(ADULT / f"hierarchy_{name}.csv")} for name in COLUMNS
        }
        return whole[rng.choice(whole.height, n, replace=False)], levels, "tree"
    if kind == "clustered":
        centres = rng.integers(0, 6, (n // 10, 12))
        values = centres[rng.integers(0, len(centres), n)]
        values = np.where(rng.random(values.shape) < 0.15, rng.integers(0, 6, values.shape), values)
    else:
        width, alphabet = {"random": (12, 4), "binary": (24, 2), "copies": (8, 2)}[kind]
        values = rng.integers(0, alphabet, (n, width))
    names = [f"column {number}" for number in range(values.shape[1])]
    frame = pl.DataFrame(values.astype(str), schema=names)
    return frame, dict.fromkeys(names, "suppression"), "stars"


def run(kind: str, n: int, k: int) -> None:
    """Print what a run takes and finds, as JSON."""
    frame, quasi, measure = table(kind, n)
    warm, few, _ = table("random", 50)
    shoal.anonymize(warm, quasi=few, k=k, measure="stars", algorithm=f"two-factor-{k}")  # compiles or loads kernels
    wall, cpu = time.perf_counter(), time.process_time()
    release = shoal.anonymize(frame, quasi=quasi, k=k, measure=measure, algorithm=f"two-factor-{k}")
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    found = release.certificate
    print(
        json.dumps(
            {
                "wall": wall,
                "cpu": cpu,
                "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
                "loss": found["loss"]["total"],
                "bound": found["loss"]["bound"],
                "factor": found["algorithm"]["factor"],
                "proven": "which is proven" in found["told"]["remark"],
            }
        )
    )


def main() -> None:
    """Print a row for each table, each in a process of its own, so that its peak memory is its own."""
    need_adult()
    settings = [(kind, n) for kind in KINDS for n in SIZES] + [(kind, 10_000) for kind in LARGEST]
    rows: list[list[object]] = []
    for kind, n in settings:
        for k in (2, 3):
            done = subprocess.run([*itself(__file__), kind, str(n), str(k)], check=True, capture_output=True, text=True)
            found = json.loads(done.stdout)
            ratio = f"{found['loss'] / found['bound']:.3f}" if found["bound"] else ""
            rows.append(
                [
                    kind,
                    f"{n:,}",
                    k,
                    f"{found['wall']:.1f}",
                    f"{found['cpu']:.1f}",
                    f"{found['memory']:.0f}",
                    f"{found['loss']:.6g}",
                    ratio,
                    f"{found['factor']:.3g}",
                    "yes" if found["proven"] else "no",
                ]
            )
            print(rows[-1], file=sys.stderr, flush=True)
    header = [
        "table",
        "records",
        "k",
        "wall s",
        "CPU s",
        "peak MB",
        "loss",
        "loss / bound",
        "factor",
        "lightest proven",
    ]
    print_table(f"Two-factor-2 and two-factor-3, solving and writing ({machine()})", header, rows)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        run(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
    else:
        main()
