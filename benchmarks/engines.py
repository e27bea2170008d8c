"""The same job in memory, in DuckDB and in Spark on this machine, beside DuckDB's plain counting and writing.

    python -m benchmarks.engines [records ...] [engine ...]
        (1e6 and 1e7, and all engines, if none are given; 1e8 needs 3 GB of disk)

Records are those of Adult with two values of each drawn anew, as a folder of Parquet files of 5,000,000 records.
"""

import sys
import tempfile
from pathlib import Path

import numpy as np
import polars as pl

from benchmarks.measuring import ADULT, COLUMNS, machine, need_adult, print_table, shoal_program, timed_process

_PART = 5_000_000
_K = 10
_RUNS = tuple((engine, algorithm) for algorithm in ("optimal", "mondrian") for engine in ("local", "duckdb", "spark"))
_LOCAL = 20_000_000  # larger tables are not read into memory here
_PLAIN = """
import duckdb
connection = duckdb.connect(config={{"memory_limit": "2GB", "temp_directory": {spill!r}}})
columns = ", ".join('"' + name + '"' for name in {names!r})
source = "read_parquet(" + repr({source!r}) + ")"
connection.execute(f"CREATE TABLE c AS SELECT {{columns}}, count(*) AS n FROM {{source}} GROUP BY ALL").fetchall()
records = f"SELECT {{columns}} FROM {{source}}"
connection.execute(f"COPY ({{records}}) TO {target!r} (FORMAT parquet, COMPRESSION zstd)").fetchall()
"""


def table(folder: Path, n_records: int) -> Path:
    """Write the records, part by part."""
    folder.mkdir()
    adult = pl.read_csv(ADULT / "adult.csv", separator=";", infer_schema=False)
    values = {name: adult[name].unique().sort() for name in COLUMNS}
    codes = {
        name: adult[name].replace_strict(own, range(len(own))).to_numpy().astype(np.uint32)
        for name, own in values.items()
    }
    for part, start in enumerate(range(0, n_records, _PART)):
        rng, size = np.random.default_rng([7, part]), min(_PART, n_records - start)
        taken = rng.integers(0, adult.height, size)
        anew = rng.integers(0, len(COLUMNS), (2, size))
        columns = []
        for number, (name, own) in enumerate(codes.items()):
            drawn, redrawn = own[taken], (anew == number).any(axis=0)
            drawn[redrawn] = own[rng.integers(0, adult.height, int(redrawn.sum()))]
            columns.append(values[name].gather(drawn).alias(name))
        pl.DataFrame(columns).write_parquet(folder / f"part-{part:04d}.parquet", statistics=False)
    return folder


def job(home: Path, source: Path, engine: str, algorithm: str) -> Path:
    """Write the job: the eight quasi columns of Adult by its hierarchies."""
    lines = [
        f'engine = "{engine}"',
        "[input]",
        f'path = "{source}"',
        "[search]",
        f'algorithm = "{algorithm}"',
        "seed = 1",
    ]
    lines += ["[release]", 'format = "parquet"', "[[require]]", 'model = "k-anonymity"', f"k = {_K}"]
    for name in COLUMNS[:-1]:
        path = ADULT / f"hierarchy_{name}.csv"
        lines += [f"[columns.{name}]", 'role = "quasi"', f'hierarchy = {{ type = "levels", path = "{path}" }}']
    lines += [f"[columns.{COLUMNS[-1]}]", 'role = "sensitive"']
    path = home / "job.toml"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def rows(home: Path, n_records: int) -> list[list[object]]:
    """Return a row for each run with a table of so many records."""
    source, out = table(home / f"records-{n_records}", n_records), home / "release"
    target, spill = str(home / "plain.parquet"), str(home / "spill")
    plain = _PLAIN.format(spill=spill, names=COLUMNS, source=f"{source}/*.parquet", target=target)
    made = [("plain DuckDB", "count, write", timed_process([sys.executable, "-c", plain]))]
    shoal = shoal_program()
    for engine, algorithm in _RUNS:
        if engine == "local" and n_records > _LOCAL:
            continue
        asked = [str(job(home, source, engine, algorithm)), "--out", str(out), "--force", "--quiet"]
        made.append((engine, algorithm, timed_process([shoal, "anonymize", *asked])))
    made.append(("duckdb", "verify", timed_process([shoal, "verify", str(out), "--quiet"])))
    quasi = ["--quasi", ",".join(COLUMNS[:-1]), "--sensitive", COLUMNS[-1]]
    made.append(("", "check", timed_process([shoal, "check", str(out / "public/data"), *quasi, "--quiet"])))
    made += [("", verb, timed_process([shoal, verb, str(out), "--quiet"])) for verb in ("risk", "attack", "utility")]
    least = made[0][2][1]
    return [
        [f"{n_records:,}", who, what, f"{wall:.1f}", f"{cpu:.1f}", f"{memory:.0f}", f"{cpu / least:.1f}"]
        for who, what, (wall, cpu, memory) in made
    ]


def main() -> None:
    """Print a row for each run."""
    need_adult()
    sizes = [int(float(text)) for text in sys.argv[1:]] or [1_000_000, 10_000_000]
    found: list[list[object]] = []
    with tempfile.TemporaryDirectory() as folder:
        for n_records in sizes:
            home = Path(folder) / str(n_records)
            home.mkdir()
            found += rows(home, n_records)
    print_table(
        f"Engines, Adult-like records, 9 columns, k = {_K}, with certificate and reports ({machine()})",
        ["records", "engine", "what", "wall s", "CPU s", "peak MB", "CPU, times plain"],
        found,
    )


if __name__ == "__main__":
    main()
