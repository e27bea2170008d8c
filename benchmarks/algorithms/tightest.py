"""Tightest on Adult, 8 quasi columns, by what is published, measure, k and time limit; and on a million records.

`python -m benchmarks.algorithms.tightest` runs all; seconds, `default` and `large` choose some: `tightest.py 1 10`.
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

from benchmarks.bounds import varied
from benchmarks.measuring import ADULT, itself, machine, need_adult, print_table
from shoal.classes.recoding import Subsets
from shoal.classes.tally import QuasiColumn
from shoal.jobs.job import Job
from shoal.jobs.posing import problem_of
from shoal.jobs.source import read
from shoal.search.algorithms.tightest import Tightest
from shoal.search.engines.local import count
from shoal.search.problem import Problem, Solution

COLUMNS = ("age", "sex", "race", "marital-status", "education", "native-country", "workclass", "occupation")
AGES = 73  # from the least to the greatest
SETTINGS = [
    (published, measure, k)
    for published, measure in (
        ("ranges and sets", "ncp"),
        ("hierarchies", "ncp"),
        ("ranges and sets", "lm"),
        ("hierarchies", "lm"),
        ("hierarchies", "entropy"),
        ("suppression", "stars"),
    )
    for k in (5, 10)
]
LONG = [one for one in SETTINGS if one[1] == "ncp" or one == ("suppression", "stars", 5)]  # with a minute
PEERS = {  # GCP of the best peer in the notes
    ("ranges and sets", "ncp", 5): "0.039 (mosaicrown)",
    ("ranges and sets", "ncp", 10): "0.0636 (mosaicrown)",
    ("hierarchies", "ncp", 5): "0.0921 (qiyuangong, age in ranges)",
    ("hierarchies", "ncp", 10): "0.1246 (qiyuangong, age in ranges)",
}


def asked(table: Path, published: str, measure: str, k: int, seconds: float | None) -> Problem:
    """Read and count the table."""
    parts = [f'[input]\npath = "{table}"\ndelimiter = ";"']
    for name in COLUMNS:
        hierarchy = {
            "hierarchies": f'{{ type = "levels", path = "{ADULT}/hierarchy_{name}.csv" }}',
            "ranges and sets": '"ranges"' if name == "age" else '"sets"',
            "suppression": '"suppression"',
        }[published]
        parts.append(f'[columns.{name}]\nrole = "quasi"\nhierarchy = {hierarchy}')
    parts.append('[columns.salary-class]\nrole = "insensitive"')
    parts.append(f'[[require]]\nmodel = "k-anonymity"\nk = {k}\n\n[search]\nmeasure = "{measure}"\nseed = 7')
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "job.toml"
        path.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
        source = read(Job.read(path))
        counted = count(source.table, source.hierarchies, source.weights, source.job.watched())
    return replace(problem_of(source.job, counted.tally), time_limit=seconds)


def covered(column: QuasiColumn, shown: Subsets, number: int) -> np.ndarray:
    """Return the leaves that one published text covers and that occur in the table."""
    leaves: np.ndarray = np.flatnonzero(column.hierarchy.codes[shown.levels[number]] == shown.codes[number])
    if shown.offsets is not None and shown.members is not None:
        named = shown.members[shown.offsets[number] : shown.offsets[number + 1]]
        if len(named) > 0:
            leaves = np.arange(named[0], named[-1] + 1) if column.hierarchy.form == "ranges" else named
    return leaves[column.leaf_counts[leaves] > 0]


def gcp(problem: Problem, solution: Solution) -> float:
    """Return the mean over all cells: of an age, the width; else the share of the values that occur, 0 for one."""
    paid = 0.0
    for j, column in enumerate(problem.tally.quasi):
        shown, domain = solution.recoding.shown[j], int((column.leaf_counts > 0).sum())
        prices = np.zeros(len(shown))
        for number in range(len(shown)):
            leaves = covered(column, shown, number)
            if column.name == "age":
                ages = [int(str(column.hierarchy.values[leaf])) for leaf in (leaves[0], leaves[-1])]
                prices[number] = abs(ages[1] - ages[0]) / AGES
            elif len(leaves) > 1:
                prices[number] = len(leaves) / domain
        paid += float(prices[solution.recoding.cells[:, j]] @ solution.groups.sizes)
    return (paid / len(problem.tally.quasi) + solution.suppressed) / problem.tally.n_records


def row(table: str, published: str, measure: str, k: int, seconds: float | None) -> list[object]:
    """Solve once, after a small table has brought in the compiled code."""
    problem = asked(Path(table), published, measure, k, seconds)
    tally = problem.tally
    small = replace(tally, codes=tally.codes[:2_000], profiles=tally.profiles[:2_000], counts=tally.counts[:2_000])
    Tightest(effort=1).solve(replace(problem, tally=small, time_limit=None))
    wall, cpu = time.perf_counter(), time.process_time()
    solution = Tightest().solve(problem)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    assert solution.bound is not None
    return [
        f"{tally.n_records:,}",
        f"{len(np.unique(tally.codes, axis=0)):,}",
        published,
        measure,
        k,
        "default" if seconds is None else f"{seconds:g} s",
        f"{solution.loss.total / tally.n_records / len(tally.quasi):.5f}",
        f"{solution.loss.share:.5f}",
        f"{gcp(problem, solution):.5f}",
        f"{solution.loss.total / solution.bound:.3f}" if solution.bound > 0 else "",
        f"{wall:.1f}",
        f"{cpu:.1f}",
        f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f}",
        PEERS.get((published, measure, k), "") if Path(table).parent == ADULT else "",
    ]


def main(chosen: list[str]) -> None:
    """Print a row for each setting, each from its own process, for its own peak memory."""
    need_adult()
    adult = str(ADULT / "adult.csv")
    rows: list[list[object]] = []
    with tempfile.TemporaryDirectory() as folder:
        runs: list[tuple[str, str, str, int, float | None]] = []
        for word in chosen or ["1", "10", "60", "default", "large"]:
            if word == "large":  # drawn by another process: the peak memory of this one counts as that of all it starts
                subprocess.run([*itself(__file__), "draw", folder], check=True)
                runs.append((f"{folder}/varied.csv", "hierarchies", "ncp", 10, None))
            else:
                seconds = None if word == "default" else float(word)
                settings = LONG if seconds is not None and seconds >= 60 else SETTINGS
                runs += [(adult, *setting, seconds) for setting in settings]
        for run in runs:
            command = [*itself(__file__), json.dumps(run)]
            rows.append(json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout))
            print(rows[-1], file=sys.stderr, flush=True)
    print_table(
        f"Tightest, Adult and records like it, 8 columns ({machine()})",
        [
            *("records", "points", "published", "measure", "k", "limit", "loss / cell", "share", "GCP"),
            *("loss / bound", "wall s", "CPU s", "peak MB", "GCP of a peer"),
        ],
        rows,
    )


if __name__ == "__main__":
    if len(sys.argv) > 1 and sys.argv[1].startswith("["):
        print(json.dumps(row(*json.loads(sys.argv[1]))))
    elif sys.argv[1:2] == ["draw"]:
        varied(Path(sys.argv[2]))
    else:
        main(sys.argv[1:])
