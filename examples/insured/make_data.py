"""Make the records of an insurance with ten million members, as a folder of Parquet files: nobody in it is real.

python examples/insured/make_data.py [folder] [records]
"""

import sys
from pathlib import Path

import numpy as np
import polars as pl

_PART = 2_000_000  # records of a file
_AREAS = [f"{area:03d}" for area in range(100, 160)]
_STATES = ["single", "married", "divorced", "widowed", "registered"]
_PLANS = ["basic", "basic plus", "family", "family plus", "student", "senior", "premium", "premium plus"]
_CARE = ["none", *(f"{kind} {stage}" for kind in ("heart", "lungs", "back", "skin", "mind") for stage in (1, 2, 3))]


def part(number: int, n_records: int) -> pl.DataFrame:
    """Return the records of one file; each file is drawn by itself, and always the same."""
    rng = np.random.default_rng([2026, number])
    ages = np.clip(np.abs(rng.normal(44, 23, n_records)), 0, 99).astype(np.int64)
    areas = rng.zipf(1.6, n_records) % len(_AREAS)
    states = np.where(ages < 20, 0, rng.choice(5, n_records, p=[0.3, 0.45, 0.12, 0.1, 0.03]))
    plans = np.where(ages < 26, 4, np.where(ages > 66, 5, rng.integers(0, len(_PLANS), n_records)))
    care = np.where(rng.random(n_records) < 0.6, 0, rng.integers(1, len(_CARE), n_records))
    return pl.DataFrame(
        {
            "member": rng.permutation(n_records) + number * _PART,
            "age": ages,
            "sex": pl.Series(["f", "m"]).gather(rng.integers(0, 2, n_records)),
            "area": pl.Series(_AREAS).gather(areas),
            "marital_status": pl.Series(_STATES).gather(states),
            "plan": pl.Series(_PLANS).gather(plans),
            "care": pl.Series(_CARE).gather(care),
        }
    )


def main() -> None:
    """Write the files."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_name("members")
    n_records = int(sys.argv[2]) if len(sys.argv) > 2 else 10_000_000
    folder.mkdir(exist_ok=True)
    for number, start in enumerate(range(0, n_records, _PART)):
        part(number, min(_PART, n_records - start)).write_parquet(folder / f"part-{number:03d}.parquet")
    print(f"{n_records:,} records in {folder}")


if __name__ == "__main__":
    main()
