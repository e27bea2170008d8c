"""Exact on samples of Adult: proved optima with stars alone and with the given hierarchies, and t-closeness.

`python -m benchmarks.algorithms.exact` runs all; `k` and `t` choose some.
"""

import json
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl

from benchmarks.measuring import ADULT, itself, machine, need_adult, print_table
from shoal.jobs.job import Job
from shoal.jobs.posing import problem_of
from shoal.jobs.source import read
from shoal.search.algorithms.exact import Exact
from shoal.search.engines.local import count
from shoal.search.problem import Problem

LIMIT = 60.0
WITH_AGE = ("sex", "age", "race", "marital-status", "education", "native-country")
WITHOUT = ("sex", "race", "marital-status", "workclass", "occupation", "native-country")
SCHOOLING = {  # four sensitive values
    **dict.fromkeys(("Bachelors", "Masters", "Doctorate", "Prof-school"), "degree"),
    **dict.fromkeys(("Assoc-acdm", "Assoc-voc"), "associate"),
    "Some-college": "college",
}
PROMISES = {
    "k = 3": 'model = "k-anonymity"\nk = 3',
    "k = 5": 'model = "k-anonymity"\nk = 5',
    "t = 0.2, equal": 'model = "t-closeness"\nt = 0.2\ncolumn = "schooling"',
    "t = 0.2, ordered": 'model = "t-closeness"\nt = 0.2\ncolumn = "schooling"\ndistance = "ordered"',
    "frequency l = 2": 'model = "frequency-l-diversity"\nl = 2\ncolumn = "schooling"',
    "distinct l = 3": 'model = "distinct-l-diversity"\nl = 3\ncolumn = "schooling"',
}
Run = tuple[int, list[str], str, str, int]
BY_SIZE: list[Run] = [
    *((400, list(WITH_AGE), "k = 3", "stars", seed) for seed in (1, 2, 3)),
    (400, list(WITH_AGE), "k = 5", "stars", 1),
    (1_000, list(WITH_AGE), "k = 3", "stars", 1),
    *((5_000, list(WITH_AGE[:5]), "k = 3", "stars", seed) for seed in (1, 2, 3)),
    (5_000, list(WITHOUT[:5]), "k = 3", "stars", 1),
    (30_162, list(WITHOUT[:5]), "k = 3", "stars", 1),
    (100, list(WITH_AGE[:5]), "k = 3", "tree", 1),
    (400, list(WITHOUT), "k = 3", "tree", 1),
    (5_000, list(WITHOUT[:5]), "k = 3", "tree", 1),
    (400, list(WITH_AGE), "k = 3", "tree", 1),
]
BY_VALUES: list[Run] = [
    *((100, list(WITHOUT[:5]), "t = 0.2, equal", "stars", seed) for seed in (1, 2, 3, 4, 5)),
    (100, list(WITHOUT[:5]), "t = 0.2, equal", "tree", 1),
    (100, list(WITHOUT[:5]), "t = 0.2, ordered", "stars", 1),
    (300, list(WITHOUT[:4]), "t = 0.2, equal", "stars", 1),
    (200, list(WITHOUT[:5]), "frequency l = 2", "stars", 1),
    (200, list(WITHOUT[:5]), "distinct l = 3", "stars", 1),
]


def asked(n_records: int, quasi: list[str], promise: str, measure: str, seed: int) -> Problem:
    """Draw records, and ask for a promise; by `tree` with the given hierarchies, else with stars alone."""
    table = pl.read_csv(ADULT / "adult.csv", separator=";", infer_schema=False)
    drawn = np.sort(np.random.default_rng(seed).choice(table.height, n_records, replace=False))
    schooling = pl.col("education").replace_strict(SCHOOLING, default="school").alias("schooling")
    table = table[drawn].with_columns(schooling)
    with tempfile.TemporaryDirectory() as folder:
        table.write_csv(f"{folder}/table.csv", separator=";")
        parts = [f'[input]\npath = "{folder}/table.csv"\ndelimiter = ";"']
        for name in table.columns:
            given = f'{{ type = "levels", path = "{ADULT}/hierarchy_{name}.csv" }}'
            hierarchy = given if measure == "tree" else '"suppression"'
            other = "sensitive" if name == "schooling" and "schooling" in PROMISES[promise] else "insensitive"
            role = f'role = "quasi"\nhierarchy = {hierarchy}' if name in quasi else f'role = "{other}"'
            parts.append(f"[columns.{name}]\n{role}")
        parts.append(f'[[require]]\n{PROMISES[promise]}\n\n[search]\nmeasure = "{measure}"\nseed = 7')
        path = Path(folder) / "job.toml"
        path.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
        source = read(Job.read(path))
        counted = count(source.table, source.hierarchies, source.weights, source.job.watched())
    return replace(problem_of(source.job, counted.tally), time_limit=LIMIT)


def row(n_records: int, quasi: list[str], promise: str, measure: str, seed: int) -> list[object]:
    """Solve once, after a small table has brought in the compiled code."""
    Exact().solve(asked(40, quasi, promise, measure, seed))
    problem = asked(n_records, quasi, promise, measure, seed)
    wall, cpu = time.perf_counter(), time.process_time()
    solution = Exact().solve(problem)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    assert solution.bound is not None
    return [
        f"{n_records:,}",
        f"{len(quasi)}{', age' if 'age' in quasi else ''}",
        f"{len(np.unique(problem.tally.codes, axis=0)):,}",
        solution.remark.rpartition("(")[2].split()[0],
        "hierarchies" if measure == "tree" else "stars",
        promise,
        seed,
        f"{solution.loss.total:g}",
        f"{solution.bound:g}",
        solution.guarantee,
        f"{wall:.1f}",
        f"{cpu:.1f}",
        f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f}",
    ]


def main(chosen: list[str]) -> None:
    """Print a row for each setting, each from its own process, for its own peak memory."""
    need_adult()
    runs = [*(BY_SIZE if "t" not in chosen else []), *(BY_VALUES if "k" not in chosen else [])]
    rows = []
    for run in runs:
        command = [*itself(__file__), json.dumps(run)]
        rows.append(json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout))
        print(rows[-1], file=sys.stderr, flush=True)
    header = [
        *("records", "columns", "places", "patterns", "published", "promise", "seed"),
        *("loss", "bound", "guarantee", "wall s", "CPU s", "peak MB"),
    ]
    print_table(f"Exact, samples of Adult, at most {LIMIT:g} s ({machine()})", header, rows)


if __name__ == "__main__":
    if len(sys.argv) > 1 and sys.argv[1].startswith("["):
        print(json.dumps(row(*json.loads(sys.argv[1]))))
    else:
        main(sys.argv[1:])
