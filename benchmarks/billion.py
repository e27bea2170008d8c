"""What the driver does once records are counted: the search and the certificate on the counts of up to 1e9 records.

    python -m benchmarks.billion [records ...]        (1e7 and 1e8 if none are given; 1e9 takes some minutes)

The records are drawn as `benchmarks.engines` draws them, and counted while they are drawn: none is written. From the
counts on it is the run of every counting engine, until the claims are derived from what would leave.
"""

import json
import resource
import sys
import tempfile
from itertools import pairwise
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import polars as pl

import shoal
from benchmarks.engines import job
from benchmarks.measuring import ADULT, COLUMNS, machine, need_adult, print_table, rows_of_processes
from shoal.actions.anonymize import counted_of, release_of
from shoal.jobs import source
from shoal.jobs.job import Job
from shoal.tables.rows import Rows

_BATCH = 5_000_000
_MERGED = 12_000_000  # rows of batches that wait to be added up


def counts(path: Path, n_records: int) -> None:
    """Draw records, and write each different one once, with their number."""
    adult = pl.read_csv(ADULT / "adult.csv", separator=";", infer_schema=False)
    values = [adult[name].unique().sort() for name in COLUMNS]
    codes = np.column_stack(
        [adult[name].replace_strict(own, range(len(own))) for name, own in zip(COLUMNS, values, strict=True)]
    ).astype(np.int64)
    weights = np.cumprod([1, *(len(own) for own in values[:-1])])
    parts = codes * weights  # what each column adds to the number of a record
    whole, held, rng = parts.sum(axis=1), list[pl.DataFrame](), np.random.default_rng(7)
    for start in range(0, n_records, _BATCH):
        size = min(_BATCH, n_records - start)
        taken = rng.integers(0, adult.height, size, dtype=np.int32)
        first, second = (rng.integers(0, len(COLUMNS), size, dtype=np.int8) for _ in range(2))
        keys = whole[taken]
        keys += parts[rng.integers(0, adult.height, size, dtype=np.int32), first] - parts[taken, first]
        again = parts[rng.integers(0, adult.height, size, dtype=np.int32), second] - parts[taken, second]
        keys += np.where(first == second, 0, again)
        held.append(pl.DataFrame({"key": keys}).group_by("key").len("n").cast({"n": pl.Int64}))
        if sum(one.height for one in held[1:]) > _MERGED:
            held = [pl.concat(held).group_by("key").agg(pl.col("n").sum())]
    found = pl.concat(held).group_by("key").agg(pl.col("n").sum()).sort("key")
    left, columns = found["key"].to_numpy(), []
    for name, own in zip(COLUMNS, values, strict=True):
        left, code = np.divmod(left, len(own))
        columns.append(own.cast(pl.Categorical).gather(code.astype(np.uint32)).alias(name))
    pl.DataFrame([*columns, found["n"]]).write_parquet(path)


def measured(setting: Any) -> list[object]:
    """Return a row: the search and the certificate on the counts of a file."""
    path, n_records, algorithm = Path(setting["path"]), setting["records"], setting["algorithm"]
    given = pl.read_parquet(path)
    rows = Rows(given.drop("n"), given["n"].to_numpy().astype(np.int64))
    for name in ("counted_by", "counted_or_kept"):  # as if an engine had just counted
        setattr(source, name, lambda *_, **__: rows)
    (path.parent / "none").mkdir(exist_ok=True)
    given.head(1).drop("n").write_parquet(path.parent / "none" / "part.parquet")
    asked = Job.read(job(path.parent, path.parent / "none", "duckdb", algorithm))
    marks = [process_time()]
    with shoal.limits(max_records=2 * n_records):
        read = source.read(asked)
        counted = counted_of(read)
        marks.append(process_time())
        release = release_of(read, counted)
        marks.append(process_time())
    certificate = release.certificate
    assert certificate["verdict"] == "all claims hold"
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    loss = certificate["loss"]
    gap = f"{loss['total'] / loss['bound']:.1f}" if loss["bound"] else ""
    times = [f"{after - before:.1f}" for before, after in pairwise(marks)]
    classes = f"{certificate['classes']['count']:,}"
    return [f"{n_records:,}", f"{given.height:,}", algorithm, *times, f"{peak:.0f}", classes, gap]


def main() -> None:
    """Print a row for each size and algorithm."""
    if len(sys.argv) == 2 and sys.argv[1].startswith("{"):
        print(json.dumps(measured(json.loads(sys.argv[1]))))
        return
    need_adult()
    sizes = [int(float(text)) for text in sys.argv[1:]] or [10_000_000, 100_000_000]
    found: list[list[object]] = []
    with tempfile.TemporaryDirectory() as folder:
        for n_records in sizes:
            path = Path(folder) / f"{n_records}.parquet"
            counts(path, n_records)
            settings = [{"path": str(path), "records": n_records, "algorithm": one} for one in ("mondrian", "optimal")]
            found += rows_of_processes(__file__, settings)
    print_table(
        f"From counts to a proven release, Adult-like records, 9 columns, k = 10 ({machine()})",
        ["records", "different", "algorithm", "coding CPU s", "search to claims CPU s", "peak MB", "classes", "gap"],
        found,
    )


if __name__ == "__main__":
    main()
