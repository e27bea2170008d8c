"""Grids of ranges: what the ends of ranges tell of who is in a table, and what rounding them outward costs."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import numpy as np
import polars as pl

import shoal
from benchmarks.measuring import ROOT, machine, print_table

HOSPITAL = ROOT / "examples" / "hospital"
SEEDS = range(1, 4)


@dataclass(frozen=True)
class Case:
    """A table, a public table of which a quarter is in it, and the grids to try; None is the default.

    Args:
        name: Its name.
        raw: The table.
        public: The public table.
        quasi: The quasi columns.
        column: The column with a grid.
        truth: The columns that tell persons apart.
        grids: The grids.
    """

    name: str
    raw: pl.DataFrame
    public: pl.DataFrame
    quasi: tuple[str, ...]
    column: str
    truth: list[str]
    grids: tuple[Any, ...]


def patients() -> Case:
    """Return the patients of the example, and the voters."""
    raw, public = (
        pl.read_csv(HOSPITAL / f"{name}.csv", infer_schema=False)
        .select(columns)
        .unique(["name", "birth_date"], maintain_order=True)
        for name, columns in (
            ("patients", ["name", "birth_date", "zip", "sex", "diagnosis"]),
            ("voters", ["name", "birth_date", "zip", "sex"]),
        )
    )
    grids = ("none", "week", "month", "quarter", "year", None)
    return Case("patients", raw, public, ("birth_date", "zip", "sex"), "birth_date", ["name", "birth_date"], grids)


def incomes(n_records: int = 4_000, seed: int = 7) -> Case:
    """Return made-up incomes, to the unit, with regions; a quarter of the public persons have a record."""
    rng = np.random.default_rng(seed)
    n = n_records + 3 * (n_records // 4)
    people = pl.DataFrame(
        {
            "name": [f"p{i}" for i in range(n)],
            "income": np.rint(np.exp(rng.normal(10.4, 0.5, n))).astype(int).astype(str),
            "region": rng.choice(list("ABCDE"), n),
            "illness": rng.choice(["flu", "gout", "asthma", "none"], n),
        }
    )
    raw, others = people[:n_records], people[n_records:]
    public = pl.concat([raw[: n_records // 4], others]).drop("illness")
    grids = ("none", 100, 500, 1000, 2000, 5000, None)
    return Case("incomes", raw, public, ("income", "region"), "income", ["name"], grids)


def hierarchies(case: Case, grid: Any) -> dict[str, Any]:
    """Return the recipe of each quasi column, with a grid for one of them."""
    found: dict[str, Any] = {name: "suppression" if name == "region" else None for name in case.quasi}
    if grid is not None:
        found[case.column] = {"type": "ranges", "grid": grid}
    return found


def near_an_end(case: Case, release: shoal.Release) -> float:
    """Return how often, against the base rate, those are in the table whom a class matches in a cell at its ends.

    So guesses who knows the grid: in each of the two cells there is a record of the class.
    """
    numbers: Callable[[str], int] = _day if "-" in case.raw[case.column][0] else int
    others = [name for name in case.quasi if name != case.column]
    shown = release.frame.select(case.quasi).unique()
    inside = set(case.raw.select(case.truth).iter_rows())
    persons = case.public
    places = np.array([numbers(text) for text in persons[case.column]])
    hierarchy = release.run.source.hierarchies[case.column]
    values = [(str(text), str(text)) for text in hierarchy.values]
    cells = [(numbers(low), numbers(high)) for low, high in (hierarchy.grid.ends if hierarchy.grid else values)]
    low_of, high_of = ({pair[side]: pair for pair in cells} for side in (0, 1))
    hit = np.zeros(persons.height, dtype=np.bool_)
    for row in shown.iter_rows(named=True):
        ends = [numbers(text) for text in row[case.column].split(" - ")]
        if len(ends) == 2:
            alike = np.ones(persons.height, dtype=np.bool_)
            for name in others:
                alike &= np.array([_fits(row[name], text) for text in persons[name]])
            for low, high in (low_of[ends[0]], high_of[ends[1]]):
                hit |= alike & (low <= places) & (places <= high)
    present = np.array([person in inside for person in persons.select(case.truth).iter_rows()])
    return float(present[hit].mean() / present.mean()) if hit.any() else 0.0


def _day(text: str) -> int:
    return date.fromisoformat(text).toordinal()


def _fits(cell: str, value: str) -> bool:
    """Tell whether a masked code, a set or a star stands for a value."""
    if cell.startswith("{"):
        return value in cell[1:-1].split(", ")
    return value.startswith(cell.rstrip("*")) if cell.endswith("*") else cell == value


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
        near_an_end(case, release),
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
    for case in (patients(), incomes()):
        rows = [
            row(case, grid, algorithm, SEEDS if algorithm == "tightest" else [1])
            for algorithm in ("tightest", "mondrian")
            for grid in case.grids
        ]
        print_table(f"Grids of ranges, k = 10, times the base rate ({machine()})", header, rows)


if __name__ == "__main__":
    main()
