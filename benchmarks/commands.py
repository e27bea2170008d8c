"""Each command on a release of a million records like Adult's: wall seconds, CPU seconds, peak memory.

`python -m benchmarks.commands [RECORDS]`
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import polars as pl

from benchmarks.measuring import (
    ADULT,
    COLUMNS,
    adult_file,
    adult_job,
    itself,
    machine,
    need_adult,
    print_table,
    timed_process,
)

SHOAL = [sys.executable, "-m", "shoal"]
QUASI = ",".join(COLUMNS[:-1])
RELEASES = (("drawn from Adult", "optimal", "0.05"), ("drawn from Adult", "mondrian", "0"), ("varied", "mondrian", "0"))


def commands(folder: Path, job: Path, table: Path, release: Path, share: str) -> dict[str, list[str]]:
    """Return what is run, by name."""
    again = [str(release), str(table), "--failing", "suppress", "--max-suppressed", share]
    columns = ["--quasi", QUASI, "--sensitive", COLUMNS[-1]]
    return {
        "anonymize": ["anonymize", str(job), "--force", "--out", str(release)],
        "verify": ["verify", str(release)],
        "check": ["check", str(release / "public/data.csv"), *columns, "--require", "k-anonymity:k=10"],
        "risk": ["risk", str(release)],
        "risk of the raw table, --suda 3": ["risk", str(table), "--quasi", QUASI, "--suda", "3"],
        "attack": ["attack", str(release)],
        "attack --public": ["attack", str(release), "--public", str(table)],
        "utility": ["utility", str(release), "--raw", str(table)],
        "apply": ["apply", *again, "--force", "--out", str(folder / "again")],
    }


def varied(path: Path, n_records: int) -> None:
    """Write records whose columns are drawn from Adult apart from each other, so that many differ."""
    table = pl.read_csv(ADULT / "adult.csv", separator=";", infer_schema=False)
    rng = np.random.default_rng(1)
    drawn = [table[name][rng.integers(0, table.height, n_records)] for name in COLUMNS]
    pl.DataFrame(drawn).write_csv(path, separator=";")


def main(n_records: int) -> None:
    """Make each release, and print a row for each command on it."""
    need_adult()
    rows: list[list[object]] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tables = {"drawn from Adult": adult_file(folder, n_records), "varied": folder / "varied.csv"}
        # by another process: the peak memory of this one counts as that of all it starts
        subprocess.run([*itself(__file__), "draw", str(tables["varied"]), str(n_records)], check=True)
        for drawn, algorithm, share in RELEASES:
            job = adult_job(folder, tables[drawn], 10, float(share), COLUMNS[:-1])
            job.write_text(job.read_text(encoding="utf-8").replace("optimal", algorithm), encoding="utf-8")
            for command, words in commands(folder, job, tables[drawn], folder / "release", share).items():
                wall, processor, memory = timed_process([*SHOAL, *words])
                rows.append([drawn, algorithm, command, f"{wall:.1f}", f"{processor:.1f}", f"{memory:.0f}"])
                print(rows[-1], file=sys.stderr, flush=True)
    header = ["table", "release", "command", "wall s", "CPU s", "peak MB"]
    print_table(f"Commands on {n_records:,} records of 8 quasi columns, k = 10 ({machine()})", header, rows)


if __name__ == "__main__":
    if sys.argv[1:2] == ["draw"]:
        varied(Path(sys.argv[2]), int(sys.argv[3]))
    else:
        main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
