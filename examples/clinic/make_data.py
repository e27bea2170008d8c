"""Make the six months of the clinic: the persons who are treated in each, drawn by a fixed seed."""

import csv
from pathlib import Path

import numpy as np

MONTHS = ("january", "february", "march", "april", "may", "june")
NAMES = ("patient", "age", "town", "sex", "diagnosis")
DIAGNOSES = ("asthma", "diabetes", "flu", "gout", "migraine")
ERASED = "P0007"  # asks in march to be forgotten; nobody else leaves that month, and nobody comes


def patient(number: int, rng: np.random.Generator) -> tuple[str, ...]:
    """Draw a patient."""
    town = str(rng.choice(["3004", "3012", "3400", "3414"]))
    return f"P{number:04}", str(rng.integers(20, 80)), town, str(rng.choice(["F", "M"])), str(rng.choice(DIAGNOSES))


def main(folder: Path = Path(__file__).parent) -> None:
    """Write the six files."""
    rng = np.random.default_rng(21)
    treated = [patient(number, rng) for number in range(1, 401)]
    known = len(treated)
    for month in MONTHS:
        if month == "march":
            treated = [one for one in treated if one[0] != ERASED]
        elif month != "january":
            treated = [one for one in treated if one[0] == ERASED or rng.random() > 0.05]
            treated += [patient(known + number, rng) for number in range(1, 21)]
            known += 20
        with (folder / f"{month}.csv").open("w", newline="", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n").writerows([NAMES, *treated])


if __name__ == "__main__":
    main()
