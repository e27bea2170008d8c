"""A made-up table of patients as an office has them: 50 columns of dates, zips, categories, numbers, ids and codes.

python -m benchmarks.app_table FILE [records]        (1e6 if no number is given: 335 MB of CSV)
"""

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

RECORDS = 1_000_000
_PART = 250_000  # records that are drawn at once
_CATEGORIES = {
    "sex": ("f", "m", "x"),
    "marital_status": ("single", "married", "divorced", "widowed", "partnership"),
    "education": ("none", "primary", "secondary", "vocational", "bachelor", "master", "doctorate"),
    "employment": ("full time", "part time", "self-employed", "unemployed", "student", "retired", "home"),
    "smoker": ("no", "former", "yes"),
    "blood_group": ("0+", "A+", "B+", "AB+", "0-", "A-", "B-", "AB-"),
    "insurance": ("public", "private", "other"),
    "admission_type": ("planned", "emergency", "transfer", "birth"),
    "discharge_type": ("home", "transfer", "rehabilitation", "against advice", "died"),
    "triage": ("1", "2", "3", "4", "5"),
    "pregnant": ("no", "yes"),
    "allergy": ("none", "pollen", "penicillin", "nuts", "latex", "other"),
}
_MISSED = (
    "employer_zip",
    "last_visit",
    "education",
    "nationality",
    "occupation",
    "height_cm",
    "weight_kg",
    "allergy",
    "bmi",
)
_LISTS = {"nationality": 190, "religion": 12, "ward": 40, "occupation": 400, "language": 60, "employer_branch": 90}
_NUMBERS = {  # mean, deviation, decimals
    "height_cm": (171, 10, 0),
    "weight_kg": (78, 16, 0),
    "systolic": (128, 17, 0),
    "diastolic": (80, 11, 0),
    "pulse": (76, 12, 0),
    "temperature": (36.9, 0.6, 1),
    "creatinine": (0.95, 0.25, 2),
    "glucose": (104, 28, 0),
    "hemoglobin": (13.9, 1.6, 1),
    "cholesterol": (196, 40, 0),
    "sodium": (140, 3, 0),
    "potassium": (4.2, 0.4, 1),
    "leukocytes": (7.6, 2.2, 1),
    "bmi": (26.4, 4.8, 1),
}


def _dates(days: NDArray[np.int64]) -> pl.Series:
    return pl.Series(days.astype("datetime64[D]")).cast(pl.String)


def _skewed(rng: np.random.Generator, n: int, different: int) -> NDArray[np.int64]:
    """Return numbers below a limit, small ones more often, as Zipf has it."""
    shares = 1 / np.arange(1, different + 1)
    return rng.choice(different, n, p=shares / shares.sum())


def _coded(rng: np.random.Generator, n: int, different: int, form: str) -> pl.Series:
    texts = pl.Series([form.format(number) for number in range(different)])
    return texts.gather(pl.Series(_skewed(rng, n, different)))


def part(number: int, n: int) -> pl.DataFrame:
    """Return some records."""
    rng = np.random.default_rng([19, number])
    born = rng.integers(-14_000, 19_500, n)
    admitted = rng.integers(17_900, 19_700, n)
    stay = rng.geometric(0.2, n) - 1
    ids = number * _PART + np.arange(n)
    zips = 10_000 + 11 * rng.integers(0, 8_000, n)
    columns: dict[str, pl.Series | NDArray[np.generic] | list[str]] = {
        "patient_id": rng.permutation(ids) + 10**7,
        "case_number": pl.Series([f"C{one:08x}" for one in rng.permutation(ids) * 2_654_435_761 % 2**32]),
        "birth_date": _dates(born),
        "zip": zips,
        "employer_zip": np.where(rng.random(n) < 0.6, zips, 10_000 + 11 * rng.integers(0, 8_000, n)),
        "admission_date": _dates(admitted),
        "discharge_date": _dates(admitted + stay),
        "last_visit": _dates(admitted - rng.integers(30, 900, n)),
        "insured_since": _dates(born + rng.integers(0, 9_000, n)),
        "age": (19_700 - born) // 365,
        "length_of_stay": stay,
        "children": rng.poisson(1.3, n),
        "income": (np.exp(rng.normal(10.3, 0.6, n)) // 100 * 100).astype(np.int64),
        "costs": np.round(np.exp(rng.normal(7.8, 1.1, n)), 2),
        "diagnosis": _coded(rng, n, 1_800, "D{:04}"),
        "second_diagnosis": _coded(rng, n, 1_800, "D{:04}"),
        "procedure": _coded(rng, n, 3_000, "5-{:04}"),
        "doctor": _coded(rng, n, 900, "DR{:03}"),
    }
    for name, values in _CATEGORIES.items():
        columns[name] = pl.Series(values).gather(pl.Series(_skewed(rng, n, len(values))))
    for name, different in _LISTS.items():
        columns[name] = _coded(rng, n, different, name.replace("_", " ") + " {}")
    for name, (mean, deviation, decimals) in _NUMBERS.items():
        drawn = np.round(rng.normal(mean, deviation, n), decimals)
        columns[name] = drawn if decimals else drawn.astype(np.int64)
    frame = pl.DataFrame(columns)
    gone = {name: pl.Series(rng.random(n) < 0.01) for name in _MISSED}
    return frame.with_columns(pl.when(~there).then(pl.col(name)).alias(name) for name, there in gone.items())


def parts(records: int) -> Iterator[pl.DataFrame]:
    """Return all records, a part at a time."""
    for number, first in enumerate(range(0, records, _PART)):
        yield part(number, min(_PART, records - first))


def write(path: Path, records: int = RECORDS) -> None:
    """Write the table as CSV."""
    with path.open("wb") as file:
        for number, some in enumerate(parts(records)):
            some.write_csv(file, include_header=number == 0)


if __name__ == "__main__":
    write(Path(sys.argv[1]), int(float(sys.argv[2])) if len(sys.argv) > 2 else RECORDS)
