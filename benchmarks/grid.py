"""Grids of ranges: what the ends of ranges tell of who is in a table, and what rounding them outward costs."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

import shoal
from benchmarks.measuring import ADULT, ROOT, machine, need_adult, print_table

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


def people_of_adult(share: float = 0.5, seed: int = 7) -> Case:
    """Return half of Adult, and a public table of a quarter of these and of others, with four columns."""
    adult = pl.read_csv(ADULT / "adult.csv", separator=";", infer_schema=False).sample(
        fraction=1.0, shuffle=True, seed=seed
    )
    people = (
        adult.select(["age", "sex", "race", "marital-status", "salary-class"]).with_row_index("name").cast(pl.String)
    )
    n_records = int(share * people.height)
    raw, others = people[:n_records], people[n_records:]
    public = pl.concat([raw[: n_records // 4], others[: 3 * (n_records // 4)]]).drop("salary-class")
    quasi = ("age", "sex", "race", "marital-status")
    return Case("Adult", raw, public, quasi, "age", ["name"], ("none", 1, 2, 5, 10, None))


def incomes_with_ages(n_records: int = 4_000, seed: int = 7) -> Case:
    """Return made-up incomes, regions and ages; the grids are those of the ages."""
    case, rng = incomes(n_records, seed), np.random.default_rng(seed + 1)
    people = pl.concat(
        [case.raw, case.public.filter(~pl.col("name").is_in(case.raw["name"].implode()))], how="diagonal"
    )
    ages = np.clip(np.rint(rng.normal(47, 17, people.height)), 18, 97).astype(int).astype(str)
    age = people.select("name").with_columns(age=pl.Series(ages))
    raw, public = (table.join(age, on="name", maintain_order="left") for table in (case.raw, case.public))
    return Case("incomes, ages", raw, public, ("income", "age", "region"), "age", ["name"], ("none", 1, 2, 5, 10, None))


def patients_with_ages() -> Case:
    """Return the patients of the example and the voters, with the age in years in place of the birth date."""
    case = patients()
    raw, public = (
        table.with_columns(age=(2024 - table["birth_date"].str.slice(0, 4).cast(int)).cast(pl.String))
        for table in (case.raw, case.public)
    )
    return Case(
        "patients, ages",
        raw,
        public,
        ("age", "zip", "sex"),
        "age",
        ["name", "birth_date"],
        ("none", 1, 2, 5, 10, None),
    )


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
    for case in (patients(), incomes(), people_of_adult(), incomes_with_ages(), patients_with_ages()):
        rows = [
            row(case, grid, algorithm, SEEDS if algorithm == "tightest" else [1])
            for algorithm in ("tightest", "mondrian")
            for grid in case.grids
        ]
        print_table(f"Grids of ranges, k = 10, times the base rate ({machine()})", header, rows)


if __name__ == "__main__":
    main()
