"""A whole run, from process start to files written: `shoal anonymize`, kernels compiled before."""

import tempfile
from pathlib import Path

from benchmarks.measuring import adult_file, adult_job, machine, need_adult, print_table, shoal_program, timed_process

SETTINGS = [
    (30_162, 5, 0.0),
    (30_162, 5, 0.05),
    (30_162, 5, 1.0),
    (1_000_000, 150, 0.05),
    (10_000_000, 1500, 0.05),
]
REPEATS = 3


def main() -> None:
    """Print a row for each size: the best of three runs."""
    need_adult()
    shoal = shoal_program()
    rows: list[list[object]] = []
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        for n_records, k, limit in SETTINGS:
            job = adult_job(home, adult_file(home, n_records), k, limit)
            command = [shoal, "anonymize", str(job), "--out", str(home / "release"), "--force", "--quiet"]
            timed_process(command)  # compiles, and brings the file into the page cache
            wall, cpu, memory = min(timed_process(command) for _ in range(REPEATS))
            rows.append([f"{n_records:,}", k, f"{limit:.0%}", f"{wall:.2f}", f"{cpu:.2f}", f"{memory:.0f}"])
    print_table(
        f"Whole run, Adult, 9 columns ({machine()})",
        ["records", "k", "limit", "wall s", "CPU s", "peak MB"],
        rows,
    )


if __name__ == "__main__":
    main()
