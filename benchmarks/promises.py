"""Local recoding with a promise on a sensitive column: `tightest` beside `mondrian` and `top-down`, on five tables.

`python -m benchmarks.promises [SECONDS]`: the time limit of each run, 5 if not given. `python -m benchmarks.promises
bounds [SECONDS]`: 3-anonymity with one promise more on Adult, by default effort if no time limit is given, with the
bound.
"""

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.measuring import ADULT, COLUMNS, machine, need_adult, print_table
from shoal.jobs.arguments import request
from shoal.jobs.job import Job
from shoal.jobs.posing import problem_of
from shoal.jobs.source import read
from shoal.search.algorithms import ALGORITHMS
from shoal.search.engines.local import count
from shoal.search.problem import Problem

EXAMPLES = Path(__file__).parents[1] / "examples"
NAMES = ("mondrian", "top-down", "tightest")
PROMISES: list[dict[str, Any]] = [
    {"model": "distinct-l-diversity", "l": 3},
    {"model": "frequency-l-diversity", "l": 2.5},
    {"model": "t-closeness", "t": 0.4},
    {"model": "t-closeness", "t": 0.2, "distance": "ordered"},
    {"model": "t-closeness", "t": 0.5, "distance": "hierarchical"},
    {"model": "beta-likeness", "beta": 2},
]


def example(name: str) -> dict[str, Any]:
    """Return the roles and hierarchies of an example, as they are asked for in Python."""
    columns = Job.read(EXAMPLES / name / "job.toml").content(Path.cwd())["columns"]
    roles: dict[str, Any] = {"quasi": {}, "sensitive": {}, "insensitive": [], "drop": []}
    for column, given in columns.items():
        if given["role"] in ("quasi", "sensitive"):
            roles[given["role"]][column] = given.get("hierarchy")
        else:
            roles["drop" if given["role"] == "identifier" else "insensitive"].append(column)
    return roles


def adult(sensitive: str, *, free: bool) -> dict[str, Any]:
    """Return Adult's columns, one of them sensitive, as levels or as ranges and sets."""
    levels = {name: {"type": "levels", "path": str(ADULT / f"hierarchy_{name}.csv")} for name in COLUMNS}
    quasi = {name: ("ranges" if name == "age" else "sets") if free else levels[name] for name in COLUMNS}
    del quasi[sensitive]
    return {"quasi": quasi, "sensitive": {sensitive: levels[sensitive]}}


def tables() -> Iterator[tuple[str, Path, dict[str, Any], str]]:
    """Yield the name of each table, its file, its columns, and the sensitive one that promises are about."""
    yield "hospital", EXAMPLES / "hospital" / "patients.csv", example("hospital"), "diagnosis"
    yield "census", EXAMPLES / "census" / "persons.csv", example("census"), "income_group"
    yield "survey", EXAMPLES / "survey" / "survey.sav", example("survey"), "q5_leave"
    yield "Adult, hierarchies", ADULT / "adult.csv", adult("occupation", free=False), "occupation"
    yield "Adult, ranges and sets", ADULT / "adult.csv", adult("education", free=True), "education"


def asked(path: Path, columns: dict[str, Any], promise: dict[str, Any], seconds: float) -> Problem:
    """Read and count a table, for 5-anonymity and one promise more."""
    job = request(path, **columns, k=5, require=[promise], time_limit=seconds, seed=7)
    source = read(job)
    counted = count(source.table, source.hierarchies, source.weights, source.job.watched())
    return problem_of(source.job, counted.tally)


BOUNDED: list[tuple[str, int, dict[str, Any]]] = [
    ("stars", 5, {"model": "frequency-l-diversity", "l": 3}),
    ("lm", 7, {"model": "frequency-l-diversity", "l": 3}),
    ("lm", 7, {"model": "t-closeness", "t": 0.3}),
    ("lm", 7, {"model": "beta-likeness", "beta": 2}),
]


def bounded(seconds: float | None) -> None:
    """Print the loss and the bound of `tightest` on Adult: k = 3, `occupation` sensitive, 5% may be suppressed."""
    need_adult()
    rows: list[list[object]] = []
    limited: dict[str, Any] = {} if seconds is None else {"time_limit": seconds}
    for measure, n_columns, promise in BOUNDED:
        roles = adult("occupation", free=False)
        columns = [name for name in COLUMNS if name != "occupation"][:n_columns]
        quasi = {name: {"type": "suppression"} if measure == "stars" else roles["quasi"][name] for name in columns}
        job = request(
            ADULT / "adult.csv",
            quasi=quasi,
            sensitive=roles["sensitive"],
            drop=[name for name in roles["quasi"] if name not in quasi],
            k=3,
            require=[{**promise, "column": "occupation"}],
            max_suppressed=0.05,
            measure=measure,
            seed=7,
            **limited,
        )
        source = read(job)
        counted = count(source.table, source.hierarchies, source.weights, source.job.watched())
        begun = time.process_time()
        found = ALGORITHMS["tightest"]().solve(problem_of(source.job, counted.tally))
        spent, bound = time.process_time() - begun, found.bound or 0.0
        share, ratio = f"{found.loss.share:.4f}", f"{found.loss.total / bound:.2f}" if bound else "none"
        told = [promise["model"], measure, n_columns, f"{found.loss.total:.0f}"]
        rows.append([*told, share, f"{bound:.0f}", ratio, f"{spent:.1f}"])
        print(rows[-1], file=sys.stderr, flush=True)
    head = ["promise", "measure", "columns", "loss", "of all", "bound", "loss / bound", "CPU s"]
    limit = "default effort" if seconds is None else f"{seconds:g} s"
    print_table(f"k = 3 and a promise, 5% may be suppressed, {limit} ({machine()})", head, rows)


def main(seconds: float) -> None:
    """Print a row for each table and promise."""
    need_adult()
    rows: list[list[object]] = []
    for table, path, columns, sensitive in tables():
        for promise in PROMISES:
            if promise.get("distance") == "hierarchical" and columns["sensitive"][sensitive] is None:
                continue
            told = ", ".join(
                str(value) if key in ("model", "distance") else f"{key} = {value}" for key, value in promise.items()
            )
            row: list[object] = [table, told]
            problem = asked(path, columns, {**promise, "column": sensitive}, seconds)
            shares = []
            for name in NAMES:
                begun = time.process_time()
                share = ALGORITHMS[name]().solve(problem).loss.share
                shares.append(share)
                row += [f"{share:.4f}", f"{time.process_time() - begun:.1f}"]
            rows.append([*row, "yes" if shares[2] <= min(shares) else "NO"])
            print(rows[-1], file=sys.stderr, flush=True)
    head = [part for name in NAMES for part in (name, "CPU s")]
    print_table(
        f"Local recoding with a promise (k = 5, lm, {seconds:g} s; {machine()})",
        ["table", "promise", *head, "tightest is best"],
        rows,
    )


if __name__ == "__main__":
    if sys.argv[1:2] == ["bounds"]:
        bounded(float(sys.argv[2]) if len(sys.argv) > 2 else None)
    else:
        main(float(sys.argv[1]) if len(sys.argv) > 1 else 5.0)
