"""One level for each column, without stars, with stars in single cells, and levels for each class: what Adult loses."""

import time

import polars as pl

import shoal
from benchmarks.measuring import ADULT, COLUMNS, machine, need_adult, print_table

SETTINGS = ((7, 5), (7, 10), (9, 5))
ALGORITHMS = ({"name": "optimal"}, {"name": "ag-cs"}, {"name": "tightest"})


def measured(frame: pl.DataFrame, k: int, algorithm: dict[str, object]) -> list[object]:
    """Release once, and return what was lost, the bound beside it, and the CPU seconds."""
    levels = {name: {"type": "levels", "path": str(ADULT / f"hierarchy_{name}.csv")} for name in frame.columns}
    begun = time.process_time()
    certificate = shoal.anonymize(frame, quasi=levels, k=k, algorithm=algorithm, measure="lm", seed=1).certificate
    loss, stars = certificate["loss"], certificate["told"]["remark"] if algorithm["name"] == "ag-cs" else ""
    return [f"{loss['share']:.4f}", f"{loss['ratio']:.3f}", f"{time.process_time() - begun:.1f}", stars]


def main() -> None:
    """Print a row for each number of columns, k, and algorithm; nothing is suppressed."""
    need_adult()
    frame = pl.read_csv(ADULT / "adult.csv", separator=";", infer_schema=False)
    measured(frame.select(COLUMNS[:3]).head(500), 5, {"name": "ag-cs"})  # compiles
    rows: list[list[object]] = []
    for n_columns, k in SETTINGS:
        for algorithm in ALGORITHMS:
            found = measured(frame.select(COLUMNS[:n_columns]), k, dict(algorithm))
            rows.append([n_columns, k, algorithm["name"], *found])
    print(machine())
    header = ["columns", "k", "algorithm", "loss (share)", "loss / bound", "CPU s", ""]
    print_table("Adult, hierarchies, lm, nothing suppressed", header, rows)


if __name__ == "__main__":
    main()
