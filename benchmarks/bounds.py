"""Lower bounds for local recoding on Adult and on a larger table drawn from it, in a warm process."""

import resource
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl

from benchmarks.measuring import ADULT, COLUMNS, machine, need_adult, print_table
from shoal.classes.tally import QuasiColumn
from shoal.jobs.job import Job
from shoal.jobs.posing import problem_of
from shoal.jobs.source import read
from shoal.search.algorithms import Tightest
from shoal.search.bounds.bounds import FULL, QUICK, lower_bound
from shoal.search.engines.local import count
from shoal.search.local.forms import forms_of
from shoal.search.local.partition import cell_measure
from shoal.search.problem import Problem

EIGHT = tuple(column for column in COLUMNS if column != "salary-class")
LARGE = 1_000_000
PER_CELL = ("ncp", "lm", "tree")

# columns, what they publish, measure, k
SETTINGS: list[tuple[tuple[str, ...], str, str, int]] = [
    (EIGHT, "tree", "ncp", 2),
    (EIGHT, "tree", "ncp", 5),
    (EIGHT, "tree", "ncp", 10),
    (EIGHT, "stars", "stars", 2),
    (EIGHT, "stars", "stars", 5),
    (EIGHT, "stars", "stars", 10),
    (EIGHT, "tree", "lm", 5),
    (EIGHT, "tree", "tree", 5),
    (EIGHT, "tree", "tree", 10),
    (EIGHT, "tree", "entropy", 5),
    (EIGHT, "tree", "nonuniform-entropy", 5),
    (COLUMNS, "tree", "ncp", 5),
    (COLUMNS, "stars", "stars", 5),
    (EIGHT, "age by ranges", "ncp", 5),
    (EIGHT, "ranges and sets", "ncp", 5),
    (EIGHT, "ranges and sets", "ncp", 10),
]


def hierarchy(folder: Path, column: str, published: str, measure: str) -> str:
    """Return the hierarchy of a column, as it stands in a job file; for ncp only with the values that occur."""
    if published == "stars":
        return '{ type = "suppression" }'
    if column == "age" and published != "tree":
        return '{ type = "ranges" }'
    if published == "ranges and sets":
        return '{ type = "sets" }'
    path = ADULT / f"hierarchy_{column}.csv"
    if measure == "ncp":
        known = set(pl.read_csv(ADULT / "adult.csv", separator=";", infer_schema=False)[column])
        lines = path.read_text(encoding="utf-8").splitlines()
        path = folder / path.name
        path.write_text("\n".join(line for line in lines if line.split(";")[0] in known) + "\n", encoding="utf-8")
    return f'{{ type = "levels", path = "{path}" }}'


def asked(folder: Path, table: Path, columns: tuple[str, ...], published: str, measure: str, k: int) -> Problem:
    """Read and count a table; by ncp the ages are numbers, as for the peers."""
    parts = [f'[input]\npath = "{table}"\ndelimiter = ";"']
    for name in COLUMNS:
        role = '"insensitive"'
        if name in columns:
            role = f'"quasi"\nhierarchy = {hierarchy(folder, name, published, measure)}'
        parts.append(f"[columns.{name}]\nrole = {role}")
    parts.append(f'[[require]]\nmodel = "k-anonymity"\nk = {k}\n\n[search]\nmeasure = "{measure}"\nseed = 7')
    path = folder / "job.toml"
    path.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    source = read(Job.read(path))
    problem = problem_of(source.job, count(source.table, source.hierarchies, source.weights, ()).tally)
    if measure != "ncp" or published != "tree":
        return problem
    quasi = tuple(by_width(column) if column.name == "age" else column for column in problem.tally.quasi)
    return replace(problem, tally=replace(problem.tally, quasi=quasi))


def by_width(column: QuasiColumn) -> QuasiColumn:
    """Return a column of numbers whose nodes cost their width."""
    codes, numbers = column.hierarchy.codes, np.array([int(str(value)) for value in column.hierarchy.values])
    spans = tuple(
        np.array([float(np.ptp(numbers[level == code])) for code in range(level.max() + 1)]) for level in codes
    )
    return replace(column, hierarchy=replace(column.hierarchy, spans=spans))


def varied(folder: Path) -> Path:
    """Write records drawn from Adult, two values of each drawn anew, so that there are many different ones."""
    table = pl.read_csv(ADULT / "adult.csv", separator=";", infer_schema=False)
    rng = np.random.default_rng(1)
    drawn = table[rng.integers(0, table.height, LARGE)].select(COLUMNS)
    where = rng.integers(0, len(EIGHT), (2, LARGE))
    other = {name: table[rng.integers(0, table.height, LARGE)][name] for name in EIGHT}
    mixed = [
        pl.when(pl.Series((where == number).any(axis=0))).then(other[name]).otherwise(pl.col(name)).alias(name)
        for number, name in enumerate(EIGHT)
    ]
    drawn.with_columns(mixed).write_csv(folder / "varied.csv", separator=";")
    return folder / "varied.csv"


def row(problem: Problem, published: str) -> list[object]:
    """Bound the loss, quickly and as far as it goes, and set the release of `tightest` beside it."""
    tally = problem.tally
    forms = forms_of(tally.quasi, cell_measure(problem, Tightest.name))
    unit = tally.n_records * (len(tally.quasi) if problem.measure.name in PER_CELL else 1)
    cells: list[object] = []
    for effort in (QUICK, FULL):
        cpu = time.process_time()
        found = lower_bound(problem, forms, effort=effort).total / unit
        cells += [f"{found:.5f}", f"{time.process_time() - cpu:.1f}"]
    loss = Tightest().solve(problem).loss.total / unit if tally.n_records < LARGE else None
    return [
        *(problem.measure.name, published, len(tally.quasi), problem.k, f"{tally.n_points:,}", *cells),
        *(("", "") if loss is None else (f"{loss:.5f}", f"{loss / found:.3f}")),
    ]


def main(chosen: list[str]) -> None:
    """Print a row for each setting, or for those whose numbers are given."""
    need_adult()
    rows: list[list[object]] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        settings = [(ADULT / "adult.csv", *setting) for setting in SETTINGS]
        if not chosen or "large" in chosen:
            settings.append((varied(folder), EIGHT, "tree", "ncp", 5))
        for number, (table, columns, published, measure, k) in enumerate(settings):
            if chosen and str(number) not in chosen and number < len(SETTINGS):
                continue
            problem = asked(folder, table, columns, published, measure, k)
            if not rows:
                tally = problem.tally
                some = replace(tally, codes=tally.codes[:999], counts=tally.counts[:999], profiles=tally.profiles[:999])
                Tightest(effort=1).solve(replace(problem, tally=some))
            rows.append(row(problem, published))
            print(rows[-1], file=sys.stderr, flush=True)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print_table(
        f"Lower bounds, Adult and {LARGE:,} records like it ({machine()}; peak memory {memory:.0f} MB)",
        [
            *("measure", "published", "columns", "k", "points", "quick", "CPU s", "full", "CPU s"),
            *("tightest", "loss / bound"),
        ],
        rows,
    )


if __name__ == "__main__":
    main(sys.argv[1:])
