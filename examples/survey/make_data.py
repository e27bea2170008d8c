"""Make the answers of a staff survey that was never held, the same ones every time.

Run `python make_data.py` to write `survey.sav`, an SPSS file with labels and reasons for missing answers, beside this
file, or give another folder. It needs `pip install 'shoal[stats]'`. Everything is drawn from uniform numbers of one
seeded generator, so that the values do not depend on how NumPy draws from other distributions.
"""

import sys
from collections.abc import Mapping, Sequence
from math import exp
from pathlib import Path
from statistics import NormalDist

import numpy as np
import polars as pl

from shoal.tables.formats.codebook import Codebook, Entry
from shoal.tables.formats.sav import Sav

N_RECORDS = 420
SEED = 57

SITES = {"1": "Head office", "2": "Warehouse", "3": "Shop north", "4": "Shop south", "5": "Call centre"}
SEXES = {"1": "Woman", "2": "Man", "3": "Other", "9": "No answer"}
CONTRACTS = {"1": "Permanent", "2": "Fixed term", "3": "Apprentice"}
AGREE = {"1": "Disagree", "2": "Rather disagree", "3": "Neither", "4": "Rather agree", "5": "Agree"}
AGREE |= {"8": "Do not know", "9": "No answer"}
PAY_REFUSED, PAY_UNKNOWN = "99997", "99998"

ITEMS = {
    "q1_pay": ("My pay is fair", 2.9),
    "q2_manager": ("My manager listens", 3.4),
    "q3_workload": ("I can do my work in the time I have", 2.8),
    "q4_colleagues": ("My colleagues help me", 4.1),
    "q5_leave": ("I would leave if I could", 2.5),
}
"""The statements, with how much people agree on average."""

STAFF = {"1": 90, "2": 110, "3": 80, "4": 70, "5": 70}
BASE_PAY = {"1": 3900, "2": 2600, "3": 2450, "4": 2400, "5": 2500}
MOOD = {"1": 0.2, "2": -0.3, "3": 0.1, "4": 0.2, "5": -0.7}
"""How much better or worse the mood of a site is than that of all."""


class Dice:
    """Uniform numbers, one after the other, and what is made of them."""

    def __init__(self, seed: int) -> None:
        self._generator = np.random.Generator(np.random.PCG64(seed))

    def uniform(self) -> float:
        """Return a number from 0 to 1."""
        return float(self._generator.random())

    def pick(self, weights: Mapping[str, float]) -> str:
        """Return a key, each as often as its weight says."""
        left = self.uniform() * sum(weights.values())
        for key, weight in weights.items():
            left -= weight
            if left < 0:
                return key
        return key

    def normal(self, mean: float, deviation: float) -> float:
        """Return a number of a normal distribution."""
        return NormalDist(mean, deviation).inv_cdf(min(max(self.uniform(), 1e-9), 1 - 1e-9))


def draw_pay(dice: Dice, site: str, contract: str, years: int) -> str:
    """Draw a gross pay for a month: it rises with the years, with a long tail; some do not tell it."""
    left_out = dice.uniform()
    if left_out < 0.07:
        return PAY_REFUSED if left_out < 0.05 else PAY_UNKNOWN
    if contract == "3":
        return str(10 * round(dice.normal(95, 8)))
    return str(10 * round(BASE_PAY[site] / 10 * (1 + 0.015 * years) * exp(dice.normal(0, 0.18))))


def draw_answer(dice: Dice, average: float, mood: float) -> str:
    """Draw how much a person agrees, 1 to 5, or why there is no answer."""
    left_out = dice.uniform()
    if left_out < 0.05:
        return "8" if left_out < 0.02 else "9"
    return str(min(max(round(dice.normal(average + mood, 1.1)), 1), 5))


def draw_person(dice: Dice, number: int) -> Sequence[str]:
    """Draw one record, in the order of the columns."""
    site = dice.pick(STAFF)
    contract = dice.pick({"1": 78, "2": 16, "3": 6})
    age = round(min(max(dice.normal(21 if contract == "3" else 42, 2 if contract == "3" else 11), 17), 66))
    years = 0 if contract != "1" else round(min(max(0.0, (age - 19) * dice.uniform() ** 1.4), 45))
    sex = dice.pick({"1": 62 if site in "345" else 42, "2": 38 if site in "345" else 56, "3": 1, "9": 2})
    mood = MOOD[site] + dice.normal(0.004 * years, 0.4)
    answers = [
        draw_answer(dice, average, -mood if name == "q5_leave" else mood) for name, (_, average) in ITEMS.items()
    ]
    return (
        f"R{number:04d}",
        site,
        sex,
        str(age),
        str(years),
        contract,
        draw_pay(dice, site, contract, years),
        *answers,
    )


def codebook() -> Codebook:
    """Return the labels, and which codes are reasons for a missing answer."""
    missing = (("8",), ("9",))
    entries = {
        "respondent": Entry("Number of the questionnaire"),
        "site": Entry("Where do you work?", SITES),
        "sex": Entry("Sex", SEXES, (("9",),)),
        "age": Entry("Age in years"),
        "years": Entry("Years with the firm"),
        "contract": Entry("Contract", CONTRACTS),
        "pay": Entry(
            "Gross pay of a month",
            {PAY_REFUSED: "Refused", PAY_UNKNOWN: "Does not know"},
            ((PAY_REFUSED,), (PAY_UNKNOWN,)),
        ),
    }
    return Codebook(entries | {name: Entry(text, AGREE, missing) for name, (text, _) in ITEMS.items()})


def main(folder: Path) -> None:
    """Write `survey.sav`."""
    dice = Dice(SEED)
    columns = ["respondent", "site", "sex", "age", "years", "contract", "pay", *ITEMS]
    records = [draw_person(dice, number) for number in range(1, N_RECORDS + 1)]
    frame = pl.DataFrame(records, schema=dict.fromkeys(columns, pl.String), orient="row")
    Sav().write(frame, folder / "survey.sav", codebook=codebook())
    print(f"{len(records)} answers in {folder / 'survey.sav'}")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
