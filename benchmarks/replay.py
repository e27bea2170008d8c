"""Replays on Adult: how many swapped tables lead to the same release, and what a swap costs."""

import sys
import time
from typing import Any

import polars as pl

import shoal
from benchmarks.measuring import ADULT, COLUMNS, machine, need_adult, print_table
from shoal.audits.attacks.replay import Replay

SWAPS = 1_000
QUASI = [name for name in COLUMNS if name != "salary-class"]
DIVERSE = "distinct-l-diversity:l=2,column=salary-class"
SETTINGS: dict[str, dict[str, Any]] = {
    "k = 10": {"max_suppressed": 0.05},
    "k = 10, both salary classes in each": {"max_suppressed": 0.05, "require": DIVERSE},
    "the same, blind": {"max_suppressed": 0.9, "require": DIVERSE, "blind": True},
}


def replayed(raw: pl.DataFrame, algorithm: str, asked: dict[str, Any], swaps: int) -> tuple[Replay, float, int]:
    """Return what a replay finds, its CPU seconds, and how many records the release has."""
    recipes = {name: {"type": "levels", "path": str(ADULT / f"hierarchy_{name}.csv")} for name in QUASI}
    release = shoal.anonymize(
        raw, quasi=recipes, sensitive=["salary-class"], k=10, algorithm=algorithm, seed=1, **asked
    )
    shoal.attack(release, attacks=["replay"], swaps=1)  # kernels are loaded
    started = time.process_time()
    found = shoal.attack(release, attacks=["replay"], swaps=swaps).replay
    assert found is not None
    return found, time.process_time() - started, release.certificate["records"]["released"]


def main() -> None:
    """Print a row for each release."""
    need_adult()
    swaps = int(sys.argv[1]) if len(sys.argv) > 1 else SWAPS
    raw = pl.read_csv(ADULT / "adult.csv", separator=";", infer_schema=False)
    rows = []
    for algorithm in ("optimal", "mondrian"):
        for name, asked in SETTINGS.items():
            found, seconds, released = replayed(raw, algorithm, asked, swaps)
            said = "yes" if found.blind else "no"
            rows.append([algorithm, name, said, f"{released:,}", f"{found.equal:,} of {swaps:,}", f"{seconds:.1f}"])
    header = ["algorithm", "promises", "blind", "released", "same release", "CPU s"]
    print_table(f"Replays, Adult, 30,162 records, 8 quasi columns ({machine()})", header, rows)


if __name__ == "__main__":
    main()
