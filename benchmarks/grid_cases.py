"""Tables for the grids of ranges, each with a public table of which a quarter of the persons are in it."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from benchmarks.measuring import ADULT, ROOT

HOSPITAL = ROOT / "examples" / "hospital"


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


def checks() -> list[Case]:
    """Return tables on which no default was chosen."""
    adult = pl.read_csv(ADULT / "adult.csv", separator=";", infer_schema=False)
    young = adult.filter(pl.col("age").cast(int) <= 77)
    rng, other, n = np.random.default_rng(99), np.random.default_rng(77), 6_000
    even = pl.DataFrame(
        {
            "age": rng.integers(20, 81, n).astype(str),
            "town": rng.choice([f"t{i}" for i in range(12)], n),
            "sex": rng.choice(["F", "M"], n),
            "ill": rng.choice(["a", "b", "c"], n),
        }
    )
    weights = pl.DataFrame(
        {
            "age": np.clip(other.gamma(6, 8, n), 0, 99).astype(int).astype(str),
            "weight": np.clip(np.rint(other.normal(75, 14, n)), 40, 150).astype(int).astype(str),
            "sex": other.choice(["F", "M"], n),
            "ill": other.choice(["a", "b", "c"], n),
        }
    )
    return [
        _split("Adult, other columns", adult, ("age", "education", "workclass", "sex"), "salary-class", 0.5, 3),
        _split("Adult up to 77", young, ("age", "sex", "native-country"), "salary-class", 0.3, 4),
        _split("even ages", even, ("age", "town", "sex"), "ill", 0.57, 5),
        _split("ages and weights", weights, ("age", "weight", "sex"), "ill", 0.57, 6),
    ]


def _split(name: str, table: pl.DataFrame, quasi: tuple[str, ...], sensitive: str, share: float, seed: int) -> Case:
    """Take a share of the persons as the raw table, and a quarter of them with three times as many others as public."""
    shuffled = table.select([*quasi, sensitive]).sample(fraction=1.0, shuffle=True, seed=seed)
    people = shuffled.with_row_index("name").cast(pl.String)
    n_records = int(share * people.height)
    raw, others = people[:n_records], people[n_records:]
    public = pl.concat([raw[: n_records // 4], others[: 3 * (n_records // 4)]]).drop(sensitive)
    return Case(name, raw, public, quasi, "age", ["name"], ("none", None))
