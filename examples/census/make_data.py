"""Make a region that does not exist, count all who live there, and draw a sample of its households.

Run `python make_data.py` to write `population.csv` (everybody, as the office has them) and `persons.csv` (the sample
with the answers that only it was asked) beside this file, or give another folder. Everything is drawn from uniform
numbers of one seeded generator, so that the bytes do not depend on how NumPy draws from other distributions.
"""

import csv
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from statistics import NormalDist

import numpy as np

SEED = 2031
N_HOUSEHOLDS = 3000
KNOWN = ("district", "age", "sex", "marital_status", "education", "birthplace")
ASKED = ("income_group", "commute_minutes")

DISTRICTS = {
    "City": {"Harbour": 14, "Old Town": 11, "Station": 10, "University": 8},
    "Valley": {"Lower Mill": 8, "Upper Mill": 6, "Brickfield": 6, "Quarry": 4, "Ferry": 3},
    "Hills": {"Eastridge": 4, "Westridge": 3, "Highmoor": 2, "Fernhill": 1.5, "Lonely Farm": 0.5},
}
"""The districts of each area, with how many households live in them."""

STANDS_FOR = {"City": 10, "Valley": 8, "Hills": 4}
"""One in so many households of each area is asked: fewer live in the hills, so more of them are."""

KINDS = {"single": 36, "couple": 26, "family": 24, "one parent": 7, "shared": 5, "three generations": 2}
BIRTHPLACES = {"Here": 820, "Norway": 12, "Poland": 45, "Italy": 30, "Turkey": 35, "Morocco": 12, "India": 18}
BIRTHPLACES |= {"Vietnam": 10, "Brazil": 8, "Canada": 5, "Nigeria": 4, "Australia": 1}
EDUCATION = ("None", "Primary", "Secondary", "Vocational", "Bachelor", "Master", "Doctorate")
WOMEN = {"couple": 0.5, "family": 0.5, "one parent": 0.83}

Person = dict[str, str | int]


class Dice:
    """Uniform numbers, one after the other, and what is made of them."""

    def __init__(self, seed: int) -> None:
        self._generator = np.random.Generator(np.random.PCG64(seed))

    def uniform(self) -> float:
        """Return a number from 0 to 1."""
        return float(self._generator.random())

    def below(self, limit: int) -> int:
        """Return one of 0, 1, ..., limit - 1."""
        return int(self.uniform() * limit)

    def pick(self, weights: Mapping[str, float]) -> str:
        """Return a key, each as often as its weight says."""
        left = self.uniform() * sum(weights.values())
        for key, weight in weights.items():
            left -= weight
            if left < 0:
                return key
        return key

    def normal(self, mean: float, deviation: float, least: float, most: float) -> float:
        """Return a number of a normal distribution, kept within two bounds."""
        drawn = NormalDist(mean, deviation).inv_cdf(min(max(self.uniform(), 1e-9), 1 - 1e-9))
        return min(max(drawn, least), most)


def other(sex: str) -> str:
    """Return the other sex of the two that the register has."""
    return "M" if sex == "F" else "F"


def draw_ages(dice: Dice, kind: str, area: str) -> list[int]:
    """Draw the ages of a household, the eldest generation last."""
    shift = -6 if area == "City" else 6 if area == "Hills" else 0
    if kind == "single":
        return [round(dice.normal(35 if dice.uniform() < 0.5 else 70, 13, 18, 99))]
    if kind == "shared":
        return [round(dice.normal(24, 4, 18, 45)) for _ in range(2 + dice.below(3))]
    parent = round(dice.normal((62 if kind == "couple" else 41) + shift / 2, 15 if kind == "couple" else 7, 20, 92))
    partner = round(dice.normal(parent - 1, 4, 19, 95))
    if kind == "couple":
        return [partner, parent]
    youngest = dice.below(max(1, min(parent - 24, 19)))
    children = [youngest + 2 * step + dice.below(2) for step in range(1 + dice.below(3))]
    grown = [parent] if kind == "one parent" else [partner, parent]
    return children + grown + ([min(parent + 22 + dice.below(14), 101)] if kind == "three generations" else [])


def draw_marriage(dice: Dice, kind: str, age: int, grown: bool) -> str:
    """Draw the marital status by age and by who else lives there."""
    if age < 18 or not grown:
        return "Never married"
    if kind in ("couple", "family", "three generations") and age < 80:
        return dice.pick({"Married": 78, "Never married": 16, "Divorced": 6})
    if age >= 65:
        return dice.pick({"Widowed": 3 * (age - 55), "Divorced": 30, "Never married": 20})
    return dice.pick({"Never married": max(5, 110 - 2 * age), "Divorced": age - 15, "Widowed": max(0, age - 50) / 3})


def draw_education(dice: Dice, age: int, area: str) -> str:
    """Draw the highest school: the young are still there, the city has more degrees."""
    if age < 12:
        return "None"
    if age < 19:
        return "Primary"
    degree = (1.8 if area == "City" else 1.0 if area == "Valley" else 0.7) * (1.2 if age < 50 else 0.6)
    return dice.pick(
        {
            "None": 1,
            "Primary": 6 if age > 65 else 3,
            "Secondary": 26,
            "Vocational": 34,
            "Bachelor": 14 * degree if age > 21 else 0,
            "Master": 9 * degree if age > 23 else 0,
            "Doctorate": 1.5 * degree if age > 27 else 0,
        }
    )


def draw_birthplace(dice: Dice, area: str, age: int) -> str:
    """Draw where a person was born: most are from here, children nearly all."""
    stayed = (0.7 if area == "City" else 1.6 if area == "Valley" else 4.0) * (5 if age < 15 else 1)
    return dice.pick({**BIRTHPLACES, "Here": BIRTHPLACES["Here"] * stayed})


def draw_household(dice: Dice, number: int) -> list[Person]:
    """Draw all persons of one household, with the area and the number that only the office knows."""
    area = dice.pick({name: sum(districts.values()) for name, districts in DISTRICTS.items()})
    district = dice.pick(DISTRICTS[area])
    kind = dice.pick(KINDS if area != "City" else {**KINDS, "single": 48, "shared": 10})
    ages = draw_ages(dice, kind, area)
    sex = "F" if dice.uniform() < WOMEN.get(kind, 0.51) else "M"
    persons: list[Person] = []
    for place, age in enumerate(ages):
        grown = age >= 25 or kind in ("single", "shared", "couple")
        paired = kind in ("couple", "family") and place == len(ages) - 2 and dice.uniform() < 0.97
        persons.append(
            {
                "household": number,
                "area": area,
                "district": district,
                "age": age,
                "sex": other(sex) if paired else sex if place == len(ages) - 1 else dice.pick({"F": 51, "M": 49}),
                "marital_status": draw_marriage(dice, kind, age, grown),
                "education": draw_education(dice, age, area),
                "birthplace": draw_birthplace(dice, area, age),
            }
        )
    return persons


def answered(dice: Dice, person: Person) -> Person:
    """Return a person of the sample with the answers to what only the sample was asked."""
    age, level = int(person["age"]), EDUCATION.index(str(person["education"]))
    income = dice.normal(2.4 + 0.55 * level - (1.2 if age > 66 else 0) - (2.5 if age < 20 else 0), 1.3, 1, 8)
    works = 19 <= age < 66
    minutes = 5 * round(dice.normal(3, 0.6, 0, 5) ** 2 * (0.5 if person["area"] == "City" else 0.8)) if works else 0
    missed = dice.uniform() < 0.02
    return {
        **person,
        "stands_for": STANDS_FOR[str(person["area"])],
        "income_group": "" if missed else round(income),
        "commute_minutes": min(minutes, 90),
    }


def drawn(dice: Dice, households: Iterable[list[Person]]) -> list[Person]:
    """Draw households of each area, every n-th after a start drawn by chance, and ask their members."""
    count = {area: dice.below(step) for area, step in STANDS_FOR.items()}
    sample = []
    for persons in households:
        area = str(persons[0]["area"])
        count[area] += 1
        if count[area] % STANDS_FOR[area] == 0:
            sample += [answered(dice, person) for person in persons]
    return sample


def write(path: Path, columns: tuple[str, ...], persons: Iterable[Person]) -> None:
    """Write some columns as CSV."""
    with path.open("w", encoding="utf-8", newline="") as handle:
        writer = csv.writer(handle, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows([person[name] for name in columns] for person in persons)


def main(folder: Path) -> None:
    """Write `population.csv` and `persons.csv`."""
    dice = Dice(SEED)
    households = [draw_household(dice, number) for number in range(1, N_HOUSEHOLDS + 1)]
    sample = drawn(dice, households)
    everybody = [person for persons in households for person in persons]
    for person in everybody:
        person["stands_for"] = STANDS_FOR[str(person["area"])]
    write(folder / "population.csv", (*KNOWN, "stands_for"), everybody)
    write(folder / "persons.csv", ("household", *KNOWN, "stands_for", *ASKED), sample)
    print(f"{len(everybody)} persons in {folder / 'population.csv'}, {len(sample)} in {folder / 'persons.csv'}")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
