"""`shoal compare` on Adult: how long a whole grid takes, and how much of it is not the searches."""

import csv
import sys
import tempfile
from pathlib import Path

from benchmarks.measuring import COLUMNS, adult_file, adult_job, machine, need_adult, print_table, timed_process

GRIDS = ((30_162, "2,5,10,50"), (1_000_000, "5,50"))


def main() -> None:
    """Print the time and the memory of each grid, process start and files included."""
    need_adult()
    rows: list[list[object]] = []
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        for n_records, ks in GRIDS:
            job = adult_job(home, adult_file(home, n_records), 5, 0.0, COLUMNS[:-1])
            out = home / f"out-{n_records}"
            grid = ["--k", ks, "--algorithm", "optimal,mondrian,tightest", "--out", str(out)]
            wall, cpu, memory = timed_process([sys.executable, "-m", "shoal", "compare", str(job), *grid])
            with (out / "frontier.csv").open(encoding="utf-8", newline="") as file:
                found = list(csv.DictReader(file))
            searching = sum(float(row["seconds"]) for row in found)
            best = ", ".join(row["setting"] for row in found if row["verdict"] == "undominated")
            figures = [f"{wall:.1f}", f"{searching:.1f}", f"{cpu:.1f}", f"{memory:.0f}"]
            rows.append([f"{n_records:,}", len(found), *figures, best])
    header = ["records", "settings", "wall s", "of them searching", "CPU s", "peak MB", "undominated"]
    print_table(f"Adult, 8 columns, optimal, mondrian, tightest ({machine()})", header, rows)


if __name__ == "__main__":
    main()
