"""Checking a table by any tool: k, and every l, t, alpha, beta, delta of one sensitive column."""

import tempfile
from pathlib import Path

from benchmarks.measuring import COLUMNS, adult_file, machine, need_adult, print_table, shoal_program, timed_process


def main() -> None:
    """Print the whole time of `shoal check`, process start included."""
    need_adult()
    shoal = shoal_program()
    quasi = ",".join(name for name in COLUMNS if name != "occupation")
    rows: list[list[object]] = []
    with tempfile.TemporaryDirectory() as folder:
        for n_records in (30_162, 1_000_000, 10_000_000):
            table = adult_file(Path(folder), n_records)
            command = [shoal, "check", str(table), "--quasi", quasi, "--sensitive", "occupation", "--json"]
            timed_process(command)
            wall, cpu, memory = min(timed_process(command) for _ in range(3))
            rows.append([f"{n_records:,}", f"{wall:.2f}", f"{cpu:.2f}", f"{memory:.0f}"])
    print_table(f"Check, Adult, 8 quasi columns ({machine()})", ["records", "wall s", "CPU s", "peak MB"], rows)


if __name__ == "__main__":
    main()
