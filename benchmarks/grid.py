"""Grids of ranges: what the ends of ranges tell of who is in a table, and what rounding them outward costs."""

from collections.abc import Sequence
from typing import Any

import numpy as np

import shoal
from benchmarks.grid_cases import (
    Case,
    checks,
    incomes,
    incomes_with_ages,
    patients,
    patients_with_ages,
    people_of_adult,
)
from benchmarks.measuring import machine, need_adult, print_table

SEEDS = range(1, 4)


def hierarchies(case: Case, grid: Any) -> dict[str, Any]:
    """Return the recipe of each quasi column, with a grid for one of them; a weight has none if an age has none."""
    found: dict[str, Any] = {name: "suppression" if name == "region" else None for name in case.quasi}
    for name in (case.column, "weight"):
        if grid is not None and name in found:
            found[name] = {"type": "ranges", "grid": grid}
    return found


def figures(case: Case, grid: Any, algorithm: str, seed: int) -> list[float]:
    """Return loss, gain in a class and at an end, how many are there, gain near an end, and ends that fit one alone."""
    sensitive = [name for name in case.raw.columns if name not in (*case.quasi, *case.truth)]
    release = shoal.anonymize(
        case.raw,
        quasi=hierarchies(case, grid),
        sensitive=sensitive,
        drop=[name for name in case.truth if name not in case.quasi],
        k=10,
        algorithm=algorithm,
        seed=seed,
    )
    attacks = ["presence", "singling-out"]
    found = shoal.attack(release, public=case.public, truth=case.truth, raw=case.raw, attacks=attacks).as_dict()
    here, alone = ({one["attack"]: one for one in found["attacks"]}[name] for name in attacks)
    ends = next(one for one in alone["predicates"] if one["kind"] == "ends")
    return [
        100 * release.certificate["loss"]["share"],
        here["in_class"]["times_base"],
        here["at_end"]["times_base"],
        here["at_end"]["reach"],
        here["near_end"]["times_base"],
        100 * ends["isolating"] / max(2 * alone["of_classes"], 1),
    ]


def row(case: Case, grid: Any, algorithm: str, seeds: Sequence[int]) -> list[Any]:
    """Return the row of a grid: means over seeds."""
    found = np.mean([figures(case, grid, algorithm, seed) for seed in seeds], axis=0)
    told = "default" if grid is None else grid
    return [case.name, algorithm, told, *(f"{number:.3f}" for number in found)]


def main() -> None:
    """Print a row for each table, algorithm and grid."""
    header = [
        "table",
        "algorithm",
        "grid",
        "loss in points",
        "in a class",
        "at an end",
        "reach",
        "near an end",
        "ends alone, %",
    ]
    need_adult()
    for case in (patients(), incomes(), people_of_adult(), incomes_with_ages(), patients_with_ages(), *checks()):
        rows = [
            row(case, grid, algorithm, SEEDS if algorithm == "tightest" else [1])
            for algorithm in ("tightest", "mondrian")
            for grid in case.grids
        ]
        print_table(f"Grids of ranges, k = 10, times the base rate ({machine()})", header, rows)


if __name__ == "__main__":
    main()
