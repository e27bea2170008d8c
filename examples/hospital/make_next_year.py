"""Make the patients of the next year, the same ones every time.

Run `python make_next_year.py` to write `patients-2025.csv` beside this file, or give another folder. They are drawn as
those of `make_data.py` are, but for two things that happen from year to year: a zip code that the hospital had no
patient of, and an occupation that nobody had.
"""

import csv
import sys
from pathlib import Path

from make_data import HEADER, SEED, YEAR, Dice, draw_patient, zip_weights

N_RECORDS = 3000
NEW_ZIP = {"02139": 0.02}
NEW_OCCUPATION = "Drone pilot"


def main(folder: Path) -> None:
    """Write `patients-2025.csv`."""
    dice, zips = Dice(SEED + 2), zip_weights() | NEW_ZIP
    records = [list(draw_patient(dice, number, zips, YEAR + 1)) for number in range(N_RECORDS)]
    occupation = HEADER.index("occupation")
    for record in records[:: N_RECORDS // 5]:
        record[occupation] = NEW_OCCUPATION
    path = folder / "patients-2025.csv"
    with path.open("w", encoding="utf-8", newline="") as handle:
        writer = csv.writer(handle, lineterminator="\n")
        writer.writerow(HEADER)
        writer.writerows(records)
    print(f"{len(records)} patients in {path}")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
