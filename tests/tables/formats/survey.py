"""A small survey as SPSS and Stata files: labels, reasons for missing answers, and what must not leave."""

import random
from pathlib import Path
from typing import Any

import polars as pl
import pyreadstat

ROLES = ("--quasi", "age,sex,region", "--sensitive", "income", "--insensitive", "score", "--drop", "name")
LABELS: dict[str, dict[Any, str]] = {
    "sex": {1: "male", 2: "female", 9: "CANARY not asked"},
    "region": {1: "north", 2: "south", 3: "CANARY unused"},
    "income": {1: "low", 2: "high", 97: "refused", 98: "does not know"},
}


def rows(n: int = 120) -> list[tuple[Any, ...]]:
    draw = random.Random(3)  # noqa: S311
    return [
        (
            f"Person{i}",
            draw.choice([25.0, 34.0, 47.0, 58.0, 998.0, 999.0, None]),
            draw.choice([1.0, 2.0]),
            draw.choice([1.0, 2.0]),
            draw.choice([1.0, 2.0, 97.0, 98.0, None]),
            draw.choice([1.5, 2.0]),
        )
        for i in range(n)
    ]


def frame() -> pl.DataFrame:
    names = ["name", "age", "sex", "region", "income", "score"]
    return pl.DataFrame(rows(), schema={n: pl.String if n == "name" else pl.Float64 for n in names}, orient="row")


def write_sav(path: Path) -> Path:
    pyreadstat.write_sav(
        frame(),
        path,
        file_label="CANARY file",
        note="CANARY note",
        column_labels={"age": "Age in years", "name": "CANARY name"},
        variable_value_labels={**LABELS, "age": {998: "refused", 999: "does not know"}},
        missing_ranges={"age": [{"lo": 998, "hi": 999}], "income": [97, 98], "sex": [9]},
    )
    return path


def write_dta(path: Path) -> Path:
    table = frame()
    reason = {998.0: "a", 999.0: "b"}
    age = [reason.get(value) or (None if value is None else int(value)) for value in table["age"].to_list()]
    income = [{97: "r", 98: "k"}.get(int(v), int(v)) if v is not None else None for v in table["income"].to_list()]
    labels: dict[str, dict[Any, str]] = {
        **{name: LABELS[name] for name in ("sex", "region")},
        "income": {1: "low", 2: "high", "r": "refused", "k": "does not know"},
    }
    pyreadstat.write_dta(
        table.with_columns(
            pl.Series("age", age, dtype=pl.Object),
            pl.Series("income", income, dtype=pl.Object),
            pl.col("sex", "region").cast(pl.Int32),
        ),
        path,
        file_label="CANARY file",
        column_labels={"age": "Age in years", "name": "CANARY name"},
        variable_value_labels=labels,
        missing_user_values={"age": ["a", "b"], "income": ["r", "k"]},
    )
    return path
