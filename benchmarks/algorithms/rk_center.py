"""A limited number of clusters on Census: how many are used, the radius and the cellular cost, beside other algorithms.

Needs the table of the literature, which shoal does not ship; k = 5.
"""

import sys
import time

import polars as pl

import shoal
from benchmarks.algorithms.microaggregation import REAL
from benchmarks.measuring import machine, print_table

LIMITS = (1, 2, 3, 5, 8, 12, 20, 50, 100, 216)


def measured(frame: pl.DataFrame, name: str, fields: dict[str, object]) -> list[object]:
    """Release once, and return what was found with its CPU seconds."""
    begun = time.process_time()
    asked = {"name": name, **fields}
    found = shoal.anonymize(frame, quasi=frame.columns, k=5, algorithm=asked, seed=1).certificate["clusters"]
    radius, cellular = found["objectives"]["radius"], found["objectives"]["cellular"]
    return [found["count"], f"{radius:.3f}", f"{cellular:,.0f}", f"{time.process_time() - begun:.1f}"]


def main() -> None:
    """Print a row for each limit, and for the algorithms without one."""
    if not (REAL / "census.csv").is_file():
        sys.exit(f"Skipped: there is no table in '{REAL}' (set SHOAL_MICRODATA to its folder).")
    frame = pl.read_csv(REAL / "census.csv")
    measured(frame[:50], "rk-center", {"clusters": 4})
    rows: list[list[object]] = [
        ["rk-center", limit, *measured(frame, "rk-center", {"clusters": limit})] for limit in LIMITS
    ]
    rows.append(["r-gather", "-", *measured(frame, "r-gather", {})])
    rows.append(["r-cellular", "-", *measured(frame, "r-cellular", {})])
    rows.append(["r-cellular, any centres", "-", *measured(frame, "r-cellular", {"centres": "any"})])
    print(machine())
    header = ["algorithm", "clusters allowed", "used", "radius", "records times radii", "CPU s"]
    print_table("Census, k = 5", header, rows)


if __name__ == "__main__":
    main()
