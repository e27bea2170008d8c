"""Make the list of voters of the place in which the hospital stands, the same ones every time.

Run `python make_voters.py` to write `voters.csv` beside this file, or give another folder. Some of the voters are
patients of `patients.csv`, most are not; nobody of them exists. Anybody may look into such a list.
"""

import csv
import sys
from datetime import date
from pathlib import Path

from make_data import HEADER, SEED, Dice, draw_patient, zip_weights

N_PATIENTS = 300
N_OTHERS = 900
PUBLIC = ("name", "birth_date", "zip", "sex")
LAST_BIRTH = date(2006, 1, 1).isoformat()  # who is younger does not vote


def adults(records: list[dict[str, str]]) -> list[dict[str, str]]:
    """Return those who may vote."""
    return [record for record in records if record["birth_date"] < LAST_BIRTH]


def main(folder: Path) -> None:
    """Write `voters.csv`."""
    with (Path(__file__).parent / "patients.csv").open(encoding="utf-8", newline="") as handle:
        patients = adults(list(csv.DictReader(handle)))
    dice, zips = Dice(SEED + 1), zip_weights()
    voters = [patients.pop(dice.below(len(patients))) for _ in range(N_PATIENTS)]
    while len(voters) < N_PATIENTS + N_OTHERS:
        drawn = draw_patient(dice, 0, zips)
        voters += adults([dict(zip(HEADER, map(str, drawn), strict=True))])
    voters.sort(key=lambda record: tuple(record[name] for name in PUBLIC))
    path = folder / "voters.csv"
    with path.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(PUBLIC)
        writer.writerows([record[name] for name in PUBLIC] for record in voters)
    print(f"{len(voters)} voters in {path}")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
