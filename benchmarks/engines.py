"""The same job in memory, in DuckDB and in Spark on this machine, beside DuckDB's plain counting and writing.

    python -m benchmarks.engines [records ...] [engine ...]
        (1e6 and 1e7, and all engines, if none are given; 1e8 needs 3 GB of disk)

Records are those of Adult with two values of each drawn anew, as a folder of Parquet files of 5,000,000 records.
"""

import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import polars as pl

from benchmarks.measuring import ADULT, COLUMNS, apart, machine, need_adult, print_table, shoal_program, timed_process

_PART = 5_000_000
_K = 10
_ENGINES = ("local", "duckdb", "spark")
_HEADER = ["records", "engine", "what", "wall s", "CPU s", "peak MB", "CPU, times plain"]
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


def commands(home: Path, source: Path, engines: Sequence[str]) -> Iterator[tuple[str, str, list[str]]]:
    """Yield who does what by which command: DuckDB alone, every engine by two algorithms, and the other verbs."""
    shoal, out, target, spill = shoal_program(), str(home / "release"), home / "plain.parquet", home / "spill"
    plain = _PLAIN.format(spill=str(spill), names=COLUMNS, source=f"{source}/*.parquet", target=str(target))
    yield "plain DuckDB", "count, write", [sys.executable, "-c", plain]
    target.unlink()
    for algorithm in ("optimal", "mondrian"):
        for engine in engines:
            path = str(job(home, source, engine, algorithm))
            yield engine, algorithm, [shoal, "anonymize", path, "--out", out, "--force", "--quiet"]
    yield "", "verify", [shoal, "verify", out, "--quiet"]
    quasi = ["--quasi", ",".join(COLUMNS[:-1]), "--sensitive", COLUMNS[-1]]
    data = next((home / "release/public").glob("data*"))
    yield "", "check", [shoal, "check", str(data), *quasi, "--quiet"]
    for verb in ("risk", "attack", "utility"):
        yield "", verb, [shoal, verb, out, "--quiet"]


def rows(home: Path, n_records: int, engines: Sequence[str]) -> list[list[object]]:
    """Return a row for each run with a table of so many records; each is told as soon as it is known."""
    source, least = apart(table, home / f"records-{n_records}", n_records), 0.0
    made: list[list[object]] = []
    for who, what, command in commands(home, source, engines):
        wall, cpu, memory = timed_process(command)
        least = least or cpu
        made.append([f"{n_records:,}", who, what, f"{wall:.1f}", f"{cpu:.1f}", f"{memory:.0f}", f"{cpu / least:.1f}"])
        print(*made[-1], sep=" | ", file=sys.stderr, flush=True)
    return made


def main() -> None:
    """Print a row for each run."""
    need_adult()
    asked = [one for one in sys.argv[1:] if one in _ENGINES]
    sizes = [int(float(text)) for text in sys.argv[1:] if text not in asked] or [1_000_000, 10_000_000]
    found: list[list[object]] = []
    with tempfile.TemporaryDirectory() as folder:
        for n_records in sizes:
            home = Path(folder) / str(n_records)
            home.mkdir()
            fitting = [one for one in asked or _ENGINES if one != "local" or n_records <= _LOCAL]
            found += rows(home, n_records, fitting)
    print_table(
        f"Engines, Adult-like records, 9 columns, k = {_K}, with certificate and reports ({machine()})", _HEADER, found
    )


if __name__ == "__main__":
    main()
