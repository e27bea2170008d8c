"""Make the patients of a hospital that does not exist, the same ones every time.

Run `python make_data.py` to write `patients.csv` beside this file, or give another folder. Everything is
drawn from uniform numbers of one seeded generator, so that the bytes do not depend on how NumPy draws from
other distributions. The numbers in `ssn` begin with 9, which no real one does.
"""

import csv
import sys
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from math import cos, exp, pi
from pathlib import Path
from statistics import NormalDist

import numpy as np

N_RECORDS = 5000
SEED = 2024
YEAR = 2024
HEADER = (
    "name",
    "ssn",
    "birth_date",
    "zip",
    "sex",
    "marital_status",
    "occupation",
    "admission_date",
    "diagnosis",
    "length_of_stay",
)

FIRST_NAMES = {
    "F": "Ada Beth Clara Dora Edith Flora Greta Helen Ida June Karen Lena Mary Nora Olive Paula Rose Sara Tess Vera",
    "M": "Adam Ben Carl Dean Emil Fred Glen Hugo Ivan Jack Kurt Leon Mark Nick Omar Paul Rick Sam Tom Will",
}
LAST_NAMES = (
    "Abbott Baker Carter Dixon Ellis Fisher Grant Hughes Irwin Jordan Keller Lawson Miller Norris Osborne Parker "
    "Quinn Reeves Sawyer Turner Underwood Vance Walker Young Zimmer Alvarez Brandt Costa Duarte Engel Ferrari Gruber"
)

AREAS = {"021": 12, "024": 9, "070": 8, "071": 6, "100": 5, "112": 4}
"""The first three digits of the zips near the hospital, the nearest first, and the number of zips of each."""

AGES = {0: 30, 1: 25, 6: 25, 18: 45, 25: 90, 35: 95, 45: 130, 55: 180, 67: 170, 75: 150, 85: 60, 95: 0}
"""How many of a thousand patients are of the age at which each band begins, up to the next."""

MARITAL_STATUS: Mapping[int, Mapping[str, float]] = {
    0: {"Never married": 1},
    18: {"Never married": 90, "Married": 8, "Partnership": 2},
    25: {"Never married": 52, "Married": 38, "Partnership": 5, "Separated": 2, "Divorced": 3},
    35: {"Never married": 24, "Married": 56, "Partnership": 5, "Separated": 4, "Divorced": 10, "Widowed": 1},
    55: {"Never married": 11, "Married": 60, "Partnership": 2, "Separated": 3, "Divorced": 17, "Widowed": 7},
    75: {"Never married": 5, "Married": 44, "Partnership": 1, "Separated": 1, "Divorced": 9, "Widowed": 40},
}

WORK = {
    "Sales assistant": 15,
    "Office clerk": 14,
    "Nurse": 9,
    "Teacher": 9,
    "Cook": 8,
    "Driver": 8,
    "Cleaner": 7,
    "Carpenter": 6,
    "Electrician": 5,
    "Software developer": 5,
    "Accountant": 4,
    "Engineer": 4,
    "Farmer": 3,
    "Police officer": 2,
    "Physician": 1.5,
    "Lawyer": 1.5,
    "Unemployed": 7,
    "Homemaker": 6,
}
OCCUPATION: Mapping[int, Mapping[str, float]] = {
    0: {"Child": 1},
    6: {"Pupil": 1},
    18: {"Student": 130, **WORK},
    25: {"Student": 6, **WORK},
    35: WORK,
    55: {"Retired": 28, **WORK},
    67: {"Retired": 1500, **WORK},
    75: {"Retired": 1},
}

DIAGNOSIS: Mapping[int, Mapping[str, float]] = {
    0: {"Bronchitis": 34, "Pneumonia": 20, "Gastroenteritis": 20, "Asthma": 12, "Fracture": 6, "Epilepsy": 8},
    6: {"Appendicitis": 26, "Fracture": 26, "Asthma": 18, "Concussion": 12, "Epilepsy": 8, "Gastroenteritis": 10},
    18: {
        "Childbirth": 30,
        "Fracture": 16,
        "Appendicitis": 12,
        "Depression": 12,
        "Concussion": 8,
        "Alcohol dependence": 6,
        "Gastroenteritis": 6,
        "Asthma": 5,
        "HIV infection": 2,
        "Breast cancer": 1,
    },
    45: {
        "Angina": 12,
        "Heart attack": 10,
        "Gallstones": 13,
        "Diabetes": 11,
        "Depression": 8,
        "Alcohol dependence": 7,
        "Fracture": 9,
        "Breast cancer": 7,
        "Colon cancer": 5,
        "Lung cancer": 5,
        "Stroke": 5,
        "Pneumonia": 5,
        "HIV infection": 1,
    },
    67: {
        "Heart failure": 19,
        "Stroke": 13,
        "Heart attack": 12,
        "Pneumonia": 13,
        "Hip fracture": 12,
        "Angina": 8,
        "Diabetes": 7,
        "Colon cancer": 5,
        "Lung cancer": 5,
        "Breast cancer": 3,
        "Dementia": 6,
    },
}
WOMEN_ONLY = {"Childbirth"}
RARE_IN_MEN = {"Breast cancer"}

STAY = {"Childbirth": 3, "Concussion": 1.5, "Gastroenteritis": 2, "Bronchitis": 2.5, "Asthma": 2, "Appendicitis": 3}
STAY |= {"Gallstones": 3, "Fracture": 3.5, "Angina": 3, "Epilepsy": 3, "Diabetes": 5, "Breast cancer": 5}
STAY |= {"Heart attack": 6, "Pneumonia": 6.5, "HIV infection": 7, "Colon cancer": 9, "Lung cancer": 9}
STAY |= {"Heart failure": 8, "Hip fracture": 10, "Stroke": 11, "Dementia": 13, "Alcohol dependence": 12}
STAY |= {"Depression": 18}
"""The median stay in days; the logarithm of a stay spreads normally around it."""

WINTER = {"Bronchitis", "Pneumonia", "Asthma", "Heart failure", "Hip fracture"}
SUMMER = {"Fracture", "Concussion", "Gastroenteritis"}
MISSING = 0.01


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

    def word(self, words: str) -> str:
        """Return one of the words, the first ones more often."""
        choices = words.split()
        return choices[int(self.uniform() ** 1.5 * len(choices))]

    def normal(self) -> float:
        """Return a number of the standard normal distribution."""
        return NormalDist().inv_cdf(min(max(self.uniform(), 1e-9), 1 - 1e-9))


def zip_weights() -> dict[str, float]:
    """Weigh the zips: the nearer the area, and the lower its number in it, the more patients."""
    return {
        f"{area}{3 * number + 1:02d}": 1 / ((rank + 1) * (number + 1) ** 0.8)
        for rank, (area, count) in enumerate(AREAS.items())
        for number in range(count)
    }


def at_age(bands: Mapping[int, Mapping[str, float]], age: int) -> dict[str, float]:
    """Return the weights of the last band that begins at `age` or before."""
    return dict(bands[max(begin for begin in bands if begin <= age)])


def draw_age(dice: Dice) -> int:
    """Draw a band of ages, then an age in it."""
    begins = list(AGES)
    band = begins.index(int(dice.pick({str(begin): count for begin, count in AGES.items()})))
    return begins[band] + dice.below(begins[band + 1] - begins[band])


def draw_diagnosis(dice: Dice, age: int, sex: str) -> str:
    """Draw by age and sex."""
    weights = at_age(DIAGNOSIS, age)
    for diagnosis in WOMEN_ONLY & weights.keys():
        weights[diagnosis] *= sex == "F"
    for diagnosis in RARE_IN_MEN & weights.keys():
        weights[diagnosis] *= 1 if sex == "F" else 0.02
    return dice.pick(weights)


def draw_admission(dice: Dice, diagnosis: str, year: int) -> date:
    """Draw a day of the year, more often in the season of the diagnosis, and less often on weekends."""
    swing = 0.6 if diagnosis in WINTER else -0.4 if diagnosis in SUMMER else 0.1
    while True:
        day = date(year, 1, 1) + timedelta(days=dice.below(date(year, 12, 31).timetuple().tm_yday))
        season = 1 + swing * cos(2 * pi * (day.timetuple().tm_yday - 15) / 366)
        weekend = 0.7 if day.weekday() >= 5 else 1
        if dice.uniform() * 1.6 < season * weekend:
            return day


def draw_stay(dice: Dice, diagnosis: str, age: int) -> int:
    """Draw a stay in whole days: the old stay longer."""
    return max(1, round(STAY[diagnosis] * (1 + max(0, age - 60) / 100) * exp(0.55 * dice.normal())))


def draw_patient(dice: Dice, number: int, zips: Mapping[str, float], year: int = YEAR) -> Sequence[str | int]:
    """Draw one record, in the order of the header."""
    age = draw_age(dice)
    sex = dice.pick({"F": 52, "M": 48})
    diagnosis = draw_diagnosis(dice, age, sex)
    admission = draw_admission(dice, diagnosis, year)
    birth = admission - timedelta(days=round(age * 365.25) + dice.below(365))
    marital_status = dice.pick(at_age(MARITAL_STATUS, age))
    occupation = dice.pick(at_age(OCCUPATION, age))
    return (
        f"{dice.word(FIRST_NAMES[sex])} {dice.word(LAST_NAMES)}",
        f"9{dice.below(100):02d}-{number // 100:02d}-{dice.below(100):02d}{number % 100:02d}",
        birth.isoformat(),
        dice.pick(zips),
        sex,
        "" if dice.uniform() < MISSING else marital_status,
        "" if dice.uniform() < MISSING else occupation,
        admission.isoformat(),
        diagnosis,
        draw_stay(dice, diagnosis, age),
    )


def main(folder: Path) -> None:
    """Write `patients.csv`."""
    dice = Dice(SEED)
    zips = zip_weights()
    path = folder / "patients.csv"
    with path.open("w", encoding="utf-8", newline="") as handle:
        writer = csv.writer(handle, lineterminator="\n")
        writer.writerow(HEADER)
        writer.writerows(draw_patient(dice, number, zips) for number in range(N_RECORDS))
    print(f"{N_RECORDS} patients in {path}")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
