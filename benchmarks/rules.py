"""What it costs to write rules and to apply them: records, classes, file, seconds and memory."""

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl

import shoal
from benchmarks.measuring import ADULT, COLUMNS, itself, machine, need_adult, print_table

QUASI = COLUMNS[:-1]
CASES = (
    ("optimal", 30_162, {"quasi": "levels", "max_suppressed": 0.05}),
    ("mondrian", 30_162, {"quasi": "levels"}),
    ("mondrian", 30_162, {"quasi": "free"}),
    ("tightest", 30_162, {"quasi": "free", "time_limit": 20}),
    ("mdav", 30_162, {"quasi": "free"}),
    ("optimal", 1_000_000, {"quasi": "levels", "max_suppressed": 0.05}),
    ("mondrian", 1_000_000, {"quasi": "levels"}),
    ("mondrian", 1_000_000, {"quasi": "free"}),
    ("mondrian", 1_000_000, {"quasi": "free", "k": 3}),
    ("mondrian", 1_000_000, {"quasi": "numbers", "k": 5}),
)


def table(n_records: int, seed: int) -> pl.DataFrame:
    """Return Adult, records drawn from it, or a million with columns drawn apart, so that most of them differ."""
    adult = pl.read_csv(ADULT / "adult.csv", separator=";", infer_schema=False).select(QUASI)
    if n_records == adult.height and seed == 1:
        return adult
    rng = np.random.default_rng(seed)
    drawn = adult[rng.integers(0, adult.height, n_records)]
    if n_records == adult.height:
        return drawn
    apart = {name: adult[name][rng.integers(0, adult.height, n_records)] for name in ("age", "occupation", "education")}
    return drawn.with_columns(**apart)


def numbers(n_records: int, seed: int) -> pl.DataFrame:
    """Return records of four numbers, three of them with many different values."""
    rng = np.random.default_rng(seed)
    columns = {
        "income": rng.lognormal(10, 1, n_records).round().astype(int),
        "weight": rng.normal(70, 12, n_records).round(2),
        "zip": rng.integers(10_000, 99_999, n_records),
        "age": rng.integers(0, 99, n_records),
    }
    return pl.DataFrame(columns).cast(pl.String)


def main(name: str, n_records: int, kind: str, more: str) -> None:
    """Make a release, write it, and apply its rules to another table drawn alike."""
    given = eval(more)  # noqa: S307  (our own case)
    new_table = numbers if kind == "numbers" else table
    first = new_table(n_records, 1)
    hierarchies = {column: {"type": "levels", "path": str(ADULT / f"hierarchy_{column}.csv")} for column in QUASI}
    quasi = hierarchies if kind == "levels" else first.columns
    release = shoal.anonymize(first, quasi=quasi, algorithm=name, seed=1, **{"k": 10, **given})
    with tempfile.TemporaryDirectory() as folder:
        begun = time.process_time()
        text = release.rules(folder).text()
        (Path(folder) / "rules.json").write_bytes(text)
        written = time.process_time() - begun
        n_classes = release.certificate["classes"]["count"]
        del release
        new = new_table(n_records, 2)
        costs, left = [], []
        for one in (new, first):
            begun = time.process_time()
            applied = shoal.apply(folder, one, failing="suppress", max_suppressed=1, seed=1)
            costs.append(time.process_time() - begun)
            assert applied.run.applied is not None
            left.append(applied.run.applied)
    (new_left, own_left), memory = left, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    row = [f"{name}, {kind}, k = {given.get('k', 10)}", f"{n_records:,}", f"{n_classes:,}", f"{len(text) / 1e6:.2f} MB"]
    row += [f"{written:.1f}", f"{costs[0]:.1f}", f"{new_left.outside:,}", f"{new_left.failing:,}"]
    row += [f"{costs[1]:.1f}", f"{own_left.outside + own_left.failing:,}", f"{memory:.2f} GB"]
    print("\t".join(row))


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4])
        sys.exit()
    need_adult()
    print(machine())
    rows = []
    for algorithm, size, how in CASES:
        options = {key: value for key, value in how.items() if key != "quasi"}
        command = [*itself(__file__), algorithm, str(size), str(how["quasi"]), repr(options)]
        rows.append(subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip().split("\t"))
    header = [
        "release",
        "records",
        "classes",
        "rules",
        "write",
        "apply",
        "outside",
        "failing",
        "own table",
        "left",
        "peak",
    ]
    print_table("Rules applied to another table, and to their own (CPU s)", header, rows)
