"""Releases of clusters at their sizes, improvement included: seconds, memory, and the objective over its bound.

`python -m benchmarks.clusters [most]`: each in its own process, from a frame to a release that is written and read
back; tables of more than `most` records are left out.
"""

import json
import sys
import tempfile
from pathlib import Path
from time import perf_counter, process_time

import numpy as np
import polars as pl

import shoal
from benchmarks.measuring import ADULT, COLUMNS, itself, machine, need_adult, print_table, timed_process

SETTINGS: list[tuple[str, str, int, int, dict[str, object]]] = [
    ("r-gather", "square", 8_000, 10, {}),
    ("r-gather", "adult", 30_162, 10, {}),
    ("r-gather-outliers", "adult", 30_162, 10, {}),
    ("rk-center", "adult", 30_162, 10, {"clusters": 100}),
    ("rk-center-outliers", "adult", 30_162, 10, {"clusters": 100}),
    ("cellular", "square", 3_000, 1, {"setup": 0.1}),
    ("cellular", "square", 10_000, 1, {"setup": 0.1}),
    ("r-cellular", "square", 3_000, 5, {}),
    ("r-cellular", "square", 10_000, 5, {}),
    ("r-cellular-outliers", "square", 10_000, 5, {}),
    ("mdav", "square", 10_000, 5, {}),
    ("microaggregation", "square", 10_000, 5, {}),
    ("r-gather", "mixed", 1_000_000, 10, {}),
    ("r-gather-outliers", "mixed", 1_000_000, 10, {}),
    ("rk-center", "mixed", 1_000_000, 10, {"clusters": 1_000}),
    ("rk-center-outliers", "mixed", 1_000_000, 10, {"clusters": 1_000}),
    ("cellular", "mixed", 1_000_000, 1, {"setup": 0.1}),
    ("r-cellular", "mixed", 1_000_000, 10, {}),
    ("r-cellular-outliers", "mixed", 1_000_000, 10, {}),
    ("mdav", "mixed", 1_000_000, 10, {}),
    ("microaggregation", "mixed", 1_000_000, 10, {}),
]


def table_of(kind: str, n_records: int) -> pl.DataFrame:
    """Return random numbers, some with a column of categories, or Adult."""
    if kind == "adult":
        return pl.read_csv(ADULT / "adult.csv", separator=";", infer_schema=False).select(COLUMNS)
    rng = np.random.default_rng(0)
    if kind == "square":
        numbers = rng.random((n_records, 2)).round(6)
        return pl.DataFrame({f"x{j}": column for j, column in enumerate(numbers.T)})
    numbers = rng.gamma(2, 10, (n_records, 3)).round(2)
    columns = {f"x{j}": column for j, column in enumerate(numbers.T)}
    return pl.DataFrame({**columns, "city": rng.integers(0, 20, n_records).astype(str)})


def release(path: Path, name: str, kind: str, n_records: int, k: int, fields: dict[str, object]) -> None:
    """Make one release after a small one that compiles, and write what was found."""
    outliers = {"max_suppressed": 0.01} if "outliers" in name else {}
    asked = {"k": k, "algorithm": {"name": name, **fields}, "seed": 1, **outliers}
    small, table = table_of("square", 300), table_of(kind, n_records)
    with tempfile.TemporaryDirectory() as folder:
        shoal.anonymize(small, quasi=small.columns, **asked).write(Path(folder) / "small")  # type: ignore[arg-type]
        wall, cpu = perf_counter(), process_time()
        found = shoal.anonymize(table, quasi=table.columns, **asked).write(Path(folder) / "out")  # type: ignore[arg-type]
        seconds = {"wall": perf_counter() - wall, "cpu": process_time() - cpu}
    path.write_text(json.dumps({**seconds, "clusters": found["clusters"]["count"], **found["loss"]}), encoding="utf-8")


def main(most: int) -> None:
    """Print a table."""
    need_adult()
    print(machine())
    rows: list[list[object]] = []
    for setting in SETTINGS:
        name, kind, n_records, k, _ = setting
        if n_records > most:
            continue
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "found.json"
            command = [*itself(__file__), "release", json.dumps(setting), str(path)]
            _, _, peak = timed_process(command)
            found = json.loads(path.read_text(encoding="utf-8"))
        ratio = "" if found["ratio"] is None else f"{found['ratio']:.2f}"
        seconds = [f"{found['wall']:.1f}", f"{found['cpu']:.1f}"]
        rows.append([name, kind, f"{n_records:,}", k, *seconds, f"{peak:.0f}", f"{found['clusters']:,}", ratio])
        print(rows[-1], file=sys.stderr, flush=True)
    header = ["algorithm", "table", "records", "k", "s", "CPU s", "peak MB", "clusters", "objective / bound"]
    print_table("Releases of clusters", header, rows)


if __name__ == "__main__":
    if sys.argv[1:2] == ["release"]:
        given = json.loads(sys.argv[2])
        release(Path(sys.argv[3]), *given)
    else:
        main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
