"""What it costs to continue a series, release by release: time, memory, loss, counterfeits.

python -m benchmarks.series [persons] [releases] [m-invariance|companions] [turnover] [cohort] [drawn|adult] [any|few]

`adult` takes its persons from Adult, in a random order, and again from the first one when all were taken.
"""

import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import shoal
from benchmarks.measuring import ADULT, COLUMNS, need_adult
from shoal.jobs.keys.pseudonyms import new_pseudonym_key

QUASI = {"age": 70, "zip": 500, "job": 14, "schooling": 16, "status": 7, "sex": 2}
ADULT_QUASI = [name for name in COLUMNS if name not in ("occupation", "salary-class")]
ILL = 14  # different sensitive values, some more frequent than others


def people(n: int, first: int, rng: np.random.Generator) -> pl.DataFrame:
    """Return so many new persons."""
    frame = {"person": [f"P{number}" for number in range(first, first + n)]}
    columns = {name: (10 + rng.integers(0, size, n)).astype(str) for name, size in QUASI.items()}
    often = 1 / np.arange(4, 4 + ILL)
    return pl.DataFrame({**frame, **columns, "ill": rng.choice(ILL, n, p=often / often.sum()).astype(str)})


def of_adult(n: int, first: int, _: np.random.Generator) -> pl.DataFrame:
    """Return so many persons of Adult, without the class of their incomes."""
    need_adult()
    raw = pl.read_csv(ADULT / "adult.csv", separator=";", infer_schema=False).select(*ADULT_QUASI, "occupation")
    order = np.random.default_rng(1).permutation(raw.height)
    taken = raw[order[np.arange(first, first + n) % raw.height]].rename({"occupation": "ill"})
    return taken.with_columns(pl.Series("person", [f"P{number}" for number in range(first, first + n)]))


def main(
    n_persons: int, n_releases: int, promise: str, turnover: float, cohort: int, kind: str, signatures: str
) -> None:
    """Release a table that changes, and the same table alone at the second and the last release."""
    rng, came = np.random.default_rng(1), n_persons
    drawn: Callable[[int, int, np.random.Generator], pl.DataFrame] = of_adult if kind == "adult" else people
    quasi = ADULT_QUASI if kind == "adult" else [*QUASI]
    table = drawn(n_persons, 0, rng)
    series: dict[str, Any] = {"promise": promise, "person": "person"}
    series |= {"m": 3, "signatures": signatures} if promise == "m-invariance" else {"cohort": cohort}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        new_pseudonym_key(folder / "series.key")
        asked = {
            "quasi": quasi,
            "sensitive": ["ill"],
            "drop": ["person"],
            "k": 3,
            "max_suppressed": 1,
            "seed": 1,
        }
        asked["series"] = series | {"key": str(folder / "series.key")}
        for number in range(1, n_releases + 1):
            after = {} if number == 1 else {"after": folder / str(number - 1)}
            _told(table, asked | after, folder / str(number), f"{number:2}")
            if number in (2, n_releases):
                _told(table, asked, folder / f"alone{number}", f"{number:2} alone")
            stay = table.filter(pl.Series(rng.random(table.height) >= turnover))
            new = n_persons - stay.height
            table, came = pl.concat([stay, drawn(new, came, rng)]), came + new


def _told(table: pl.DataFrame, asked: dict[str, Any], folder: Path, title: str) -> None:
    began = time.process_time()
    release = shoal.anonymize(table, **asked)
    made = time.process_time()
    certificate = release.write(folder)
    series, records = certificate["series"], certificate["records"]
    print(
        f"{title:9} {made - began:6.1f} + {time.process_time() - made:5.1f} CPU s, "
        f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6:.2f} GB, loss {certificate['loss']['share']:.4f}, "
        f"{records['released']} released, {series['counterfeits']} counterfeits, {series['withheld']} withheld, "
        f"{series['waiting']} waiting",
        flush=True,
    )


if __name__ == "__main__":
    given = sys.argv[1:] + ["20000", "6", "m-invariance", "0.05", "40", "drawn", "any"][len(sys.argv) - 1 :]
    main(int(given[0]), int(given[1]), given[2], float(given[3]), int(given[4]), given[5], given[6])
