"""Records that nearly all differ, on one node and in regions: work, memory, loss and bound.

    python -m benchmarks.regions [records ...]        (1e6 if none are given; 1e8 needs 30 GB of disk)
    python -m benchmarks.regions adult                (Adult in some regions against Adult as a whole)

Eight quasi columns, with a date of birth and a code of five digits, and a sensitive one; a folder of Parquet files.
"""

import json
import sys
import tempfile
from itertools import product
from pathlib import Path

import numpy as np
import polars as pl

import shoal
from benchmarks.measuring import (
    ADULT,
    COLUMNS,
    apart,
    machine,
    need_adult,
    print_table,
    shoal_program,
    timed_process,
)

_PART = 5_000_000
_K = 10
_ONE_NODE = 20_000_000  # larger tables are not held in memory here
_MOST = {1_000_000: (500_000, 200_000, 100_000), 10_000_000: (2_000_000,)}
_DAYS = pl.date_range(pl.date(1930, 1, 1), pl.date(2009, 12, 31), eager=True).cast(pl.String)
_COLUMNS = {
    "birth": '{ type = "dates", steps = ["month", "year", "decade"] }',
    "zip": '{ type = "masking" }',
    "sex": '{ type = "suppression" }',
    "marital": '{ type = "suppression" }',
    "education": '{ type = "masking" }',
    "country": '{ type = "masking" }',
    "occupation": '{ type = "masking" }',
    "children": '{ type = "intervals", widths = [2, 4] }',
}


def table(folder: Path, n_records: int) -> Path:
    """Write the records, part by part."""
    folder.mkdir()
    codes = pl.Series([f"{number:05d}" for number in range(100_000)])
    pairs = pl.Series([f"{number:02d}" for number in range(100)])
    for part, start in enumerate(range(0, n_records, _PART)):
        rng, size = np.random.default_rng([11, part]), min(_PART, n_records - start)
        zips = (rng.beta(0.8, 1.2, size) * 9_999).astype(np.uint32) * 10 + rng.integers(0, 4, size)
        columns = {
            "birth": _DAYS.gather((rng.beta(2, 2, size) * len(_DAYS)).astype(np.uint32)),
            "zip": codes.gather(zips.astype(np.uint32)),
            "sex": pl.Series(["f", "m"]).gather(rng.integers(0, 2, size)),
            "marital": pl.Series(["s", "m", "d", "w", "p"]).gather(np.minimum(rng.geometric(0.4, size) - 1, 4)),
            "education": pairs.gather(np.minimum(rng.poisson(9, size), 19)),
            "country": pairs.gather(np.minimum(rng.geometric(0.15, size), 60)),
            "occupation": pairs.gather(rng.integers(10, 45, size)),
            "children": pl.Series([str(n) for n in range(10)]).gather(np.minimum(rng.poisson(1.6, size), 9)),
            "illness": pl.Series(list("abcdefgh")).gather(np.minimum(rng.geometric(0.35, size) - 1, 7)),
        }
        pl.DataFrame(columns).write_parquet(folder / f"part-{part:04d}.parquet", statistics=False)
    return folder


def job(home: Path, source: Path, algorithm: str, regions: int | None) -> Path:
    """Write the job."""
    lines = ["[engine]", 'name = "duckdb"', *([f"regions = {regions}"] if regions else []), "[input]"]
    lines += [f'path = "{source}"', "[search]", f'algorithm = "{algorithm}"', "seed = 1"]
    lines += ["[release]", 'format = "parquet"', "[[require]]", 'model = "k-anonymity"', f"k = {_K}"]
    for name, hierarchy in _COLUMNS.items():
        lines += [f"[columns.{name}]", 'role = "quasi"', f"hierarchy = {hierarchy}"]
    lines += ["[columns.illness]", 'role = "sensitive"']
    path = home / "job.toml"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def rows(home: Path, n_records: int, algorithm: str = "mondrian") -> list[list[object]]:
    """Return a row for each run with a table of so many records."""
    source, out, made = apart(table, home / "records", n_records), home / "release", []
    sizes: list[int | None] = [None] if n_records <= _ONE_NODE else []
    sizes += _MOST.get(n_records, (2_000_000,))
    for most in sizes:
        asked = [str(job(home, source, algorithm, most or n_records)), "--out", str(out), "--force", "--quiet"]
        wall, cpu, memory = timed_process([shoal_program(), "anonymize", *asked])
        stated = json.loads((out / "private/certificate.json").read_text(encoding="utf-8"))
        loss, told = stated["loss"], stated["told"]["remark"]
        where = told.partition(",")[0].removeprefix("solved in ") if most else "one node"
        made.append(
            [f"{n_records:,}", f"{most:,}" if most else "", where, f"{wall:.0f}", f"{cpu:.0f}", f"{memory:.0f}"]
        )
        made[-1] += [f"{loss['share']:.5f}", f"{loss['bound']:.0f}", f"{loss['ratio'] or 0:.2f}"]
    wall, cpu, memory = timed_process([shoal_program(), "verify", str(out), "--quiet"])
    made.append([f"{n_records:,}", "", "verify", f"{wall:.0f}", f"{cpu:.0f}", f"{memory:.0f}", "", "", ""])
    return made


def adult_rows(home: Path) -> list[list[object]]:
    """Return what regions cost Adult, a small table, in loss and bound."""
    need_adult()
    path = home / "adult.parquet"
    pl.read_csv(ADULT / "adult.csv", separator=";", infer_schema=False).select(COLUMNS).write_parquet(path)
    quasi = {name: {"type": "levels", "path": str(ADULT / f"hierarchy_{name}.csv")} for name in COLUMNS[:-1]}
    made: list[list[object]] = []
    for algorithm, k in product(("mondrian", "top-down", "tightest"), (5, 10)):
        whole: dict[str, float] = {}
        for most in (None, 8_000, 4_000, 2_500, 1_000):
            stated = shoal.anonymize(
                path,
                quasi=quasi,
                sensitive=[COLUMNS[-1]],
                k=k,
                algorithm=algorithm,
                seed=1,
                format="parquet",
                engine={"name": "duckdb", **({} if most is None else {"regions": most})},
            ).certificate
            loss, where = stated["loss"], stated["told"]["remark"].partition(",")[0].removeprefix("solved in ")
            whole = whole or loss
            shares = [f"{loss[key] / whole[key]:.3f}" for key in ("total", "bound")]
            made.append([algorithm, k, "one node" if most is None else where, *shares, f"{loss['ratio']:.2f}"])
    return made


def main() -> None:
    """Print a row for each run."""
    if sys.argv[1:] == ["adult"]:
        with tempfile.TemporaryDirectory() as folder:
            found = adult_rows(Path(folder))
        header = ["algorithm", "k", "solved in", "loss, times one node", "bound, times one node", "loss / bound"]
        print_table(f"Regions of Adult ({machine()})", header, found)
        return
    sizes = [int(float(text)) for text in sys.argv[1:]] or [1_000_000]
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for n_records in sizes:
            home = Path(folder) / str(n_records)
            home.mkdir()
            found += rows(home, n_records)
    print_table(
        f"Regions, records that nearly all differ, 8 quasi columns, mondrian, k = {_K} ({machine()})",
        ["records", "rows of a region", "solved in", "wall s", "CPU s", "peak MB", "loss", "bound", "loss / bound"],
        found,
    )


if __name__ == "__main__":
    main()
