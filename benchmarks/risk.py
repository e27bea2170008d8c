"""Risk: how fast SUDA and the whole command are, and how far the models of the population are from known truths."""

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from benchmarks.measuring import (
    ADULT,
    COLUMNS,
    adult_file,
    machine,
    need_adult,
    print_table,
    shoal_program,
    timed_process,
)
from shoal.audits.risk.individual_risk import fitted_risk, individual_risk
from shoal.audits.risk.person_classes import PersonClasses
from shoal.audits.risk.singling_out import shares_unique
from shoal.audits.risk.suda import suda
from shoal.classes.population_estimates import population_uniques
from shoal.tables.rows import Rows


def populations() -> Iterator[tuple[str, NDArray[np.int64]]]:
    """Give the cell of each person of some populations."""
    table = pl.read_csv(ADULT / "adult.csv", separator=";", infer_schema=False)
    yield "Adult, 9 columns", PersonClasses.of(Rows.each(table), COLUMNS).class_of.astype(np.int64)
    yield "Adult, 5 columns", PersonClasses.of(Rows.each(table), COLUMNS[:5]).class_of.astype(np.int64)
    rng, n = np.random.default_rng(1), 200_000
    age, place = np.clip(rng.normal(45, 18, n).astype(int), 0, 99), np.minimum(rng.zipf(1.5, n), 400)
    status = rng.choice(5, n, p=[0.4, 0.3, 0.15, 0.1, 0.05])
    yield "age, place, sex, status", ((age * 401 + place) * 2 + rng.integers(0, 2, n)) * 5 + status
    yield "Zipf cells", rng.zipf(1.3, n)
    yield "100,000 equal cells", rng.integers(0, 100_000, n)


def speed() -> None:
    """Print the time of SUDA by size, of the telling columns, and of the whole command."""
    table = pl.read_csv(ADULT / "adult.csv", separator=";", infer_schema=False)
    classes = PersonClasses.of(Rows.each(table), COLUMNS)
    suda(classes, COLUMNS, 1)
    rows: list[list[object]] = []
    for largest in (2, 3, 4, 9):
        started = time.process_time()
        found = suda(classes, COLUMNS, largest)
        rows.append(
            [f"MSUs up to size {largest}", f"{int(found.counts.sum()):,}", f"{time.process_time() - started:.2f}"]
        )
    started = time.process_time()
    shares_unique(classes, COLUMNS)
    rows.append(["unique by each column and pair", "", f"{time.process_time() - started:.2f}"])
    print_table(f"Adult, 9 quasi columns ({machine()})", ["what", "found", "CPU s"], rows)
    shoal = shoal_program()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for n_records in (30_162, 1_000_000):
            file = adult_file(Path(folder), n_records)
            command = [shoal, "risk", str(file), "--quasi", ",".join(COLUMNS), "--fraction", "0.1", "--json"]
            timed_process(command)
            wall, cpu, memory = min(timed_process(command) for _ in range(3))
            rows.append([f"{n_records:,}", f"{wall:.2f}", f"{cpu:.2f}", f"{memory:.0f}"])
    print_table("`shoal risk`, process start included", ["records", "wall s", "CPU s", "peak MB"], rows)


def truth() -> None:
    """Print what each model says of samples of known populations."""
    rng = np.random.default_rng(1)
    rows: list[list[object]] = []
    for name, cells in populations():
        _, cell_of, sizes = np.unique(cells, return_inverse=True, return_counts=True)
        for fraction in (0.01, 0.05, 0.1, 0.3, 0.6):
            sample = rng.choice(len(cells), round(len(cells) * fraction), replace=False)
            places, seen = np.unique(cell_of[sample], return_counts=True)
            estimate = population_uniques(seen, fraction)
            shares = {
                model: "-" if value is None else f"{value / len(cells):.1%}"
                for model, value in estimate["estimates"].items()
            }
            named = float((seen / sizes[places]).sum() / len(sample))
            by_weights, fitted = (
                float((seen * model(seen, seen / fraction)).sum() / len(sample))
                for model in (individual_risk, fitted_risk)
            )
            truly = f"{np.count_nonzero(sizes == 1) / len(cells):.1%}"
            taken = f"{estimate['share']:.1%} ({estimate['model']})"
            figures = [*shares.values(), taken, f"{named:.1%}", f"{by_weights:.1%}", f"{fitted:.1%}"]
            rows.append([name, f"{fraction:.0%}", truly, *figures])
    header = [
        "population",
        "sample",
        "unique in truth",
        "zayatz",
        "pitman",
        "snb",
        "taken",
        "named in truth",
        "by weights",
        "fitted",
    ]
    print_table("Estimates from samples of known populations", header, rows)


if __name__ == "__main__":
    need_adult()
    speed()
    truth()
