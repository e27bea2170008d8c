"""Adult-like records with a column of numbers that are all different, which no promise or measure looks at.

    python -m benchmarks.amounts [records ...]        (1e6 if none are given; 1e7 needs some 10 GB of memory)

The same records without that column are beside it. See `benchmarks.engines` for the table and the job.
"""

import sys
import tempfile
from pathlib import Path

import numpy as np
import polars as pl

from benchmarks.engines import job, table
from benchmarks.measuring import machine, need_adult, print_table, shoal_program, timed_process

_COLUMN = "amount"


def with_amounts(folder: Path) -> Path:
    """Add the column to every part."""
    for number, path in enumerate(sorted(folder.iterdir())):
        frame, rng = pl.read_parquet(path), np.random.default_rng([13, number])
        amounts = pl.Series(_COLUMN, rng.permutation(frame.height) + number / 16 + rng.random())
        frame.with_columns(amounts).write_parquet(path, statistics=False)
    return folder


def rows(home: Path, n_records: int) -> list[list[object]]:
    """Return a row for each run with a table of so many records."""
    source, out, made = table(home / "records", n_records), home / "release", list[list[object]]()
    for columns in ("9", "9 and the amount"):
        if columns != "9":
            with_amounts(source)
        for engine in ("local", "duckdb"):
            path = job(home, source, engine, "mondrian")
            if columns != "9":
                asked = path.read_text(encoding="utf-8") + f'\n[columns.{_COLUMN}]\nrole = "insensitive"\n'
                path.write_text(asked, encoding="utf-8")
            command = [shoal_program(), "anonymize", str(path), "--out", str(out), "--force", "--quiet"]
            wall, cpu, memory = timed_process(command)
            made.append([f"{n_records:,}", columns, engine, f"{wall:.1f}", f"{cpu:.1f}", f"{memory:.0f}"])
    return made


def main() -> None:
    """Print a row for each run."""
    need_adult()
    sizes = [int(float(text)) for text in sys.argv[1:]] or [1_000_000]
    found: list[list[object]] = []
    for n_records in sizes:
        with tempfile.TemporaryDirectory() as folder:
            found += rows(Path(folder), n_records)
    print_table(
        f"A column of different numbers, mondrian, k = 10, with certificate and reports ({machine()})",
        ["records", "columns", "engine", "wall s", "CPU s", "peak MB"],
        found,
    )


if __name__ == "__main__":
    main()
