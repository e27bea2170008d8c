"""Greedy cover on Adult, 8 quasi columns: patterns, time in a warm process, memory, loss and its ratio to the bound."""

import json
import resource
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.measuring import ADULT, adult_file, machine, need_adult, print_table, rows_of_processes
from shoal.jobs.job import Job
from shoal.jobs.posing import problem_of
from shoal.jobs.source import read
from shoal.search.algorithms import GreedyCover
from shoal.search.engines.local import count
from shoal.search.problem import Problem

COLUMNS = ("age", "sex", "race", "marital-status", "education", "native-country", "workclass", "occupation")
ROWS = (
    ("stars", "suppression", 5, 30_162),
    ("tree", "given", 5, 30_162),
    ("tree", "given", 2, 30_162),
    ("tree", "given", 10, 30_162),
    ("entropy", "given", 5, 30_162),
    ("ncp", "given", 5, 30_162),
    ("ncp", "given", 10, 30_162),
    ("stars", "suppression", 150, 1_000_000),
    ("tree", "given", 150, 1_000_000),
)
REPEATS = 3


def asked(folder: Path, measure: str, hierarchies: str, k: int, n_records: int) -> Problem:
    """Read and count the table, with the given hierarchies or with stars alone."""
    parts = [f'[input]\npath = "{adult_file(folder, n_records)}"\ndelimiter = ";"']
    for name in COLUMNS:
        given = f'{{ type = "levels", path = "{ADULT}/hierarchy_{name}.csv" }}'
        chosen = given if hierarchies == "given" else '"suppression"'
        parts.append(f'[columns.{name}]\nrole = "quasi"\nhierarchy = {chosen}')
    parts.append('[columns.salary-class]\nrole = "insensitive"')
    parts.append(f'[[require]]\nmodel = "k-anonymity"\nk = {k}\n\n[search]\nmeasure = "{measure}"')
    path = folder / "job.toml"
    path.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    source = read(Job.read(path))
    counted = count(source.table, source.hierarchies, source.weights, source.job.watched())
    return problem_of(source.job, counted.tally)


def row(measure: str, hierarchies: str, k: int, n_records: int) -> list[object]:
    """Solve several times; return the best time, since the machine is noisy."""
    with tempfile.TemporaryDirectory() as folder:
        problem = asked(Path(folder), measure, hierarchies, k, n_records)
    times = []
    for _ in range(REPEATS):
        wall, cpu = time.perf_counter(), time.process_time()
        solution = GreedyCover().solve(problem)
        times.append((time.perf_counter() - wall, time.process_time() - cpu))
    assert solution.bound is not None
    return [
        f"{n_records:,}",
        f"{measure}, {hierarchies}",
        k,
        solution.remark.split()[0],
        solution.remark.split()[4],
        f"{min(wall for wall, _ in times):.2f}",
        f"{min(cpu for _, cpu in times):.2f}",
        f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f}",
        f"{solution.loss.total / n_records:.4f}",
        f"{solution.loss.share:.4f}",
        f"{solution.loss.total / solution.bound:.3f}",
        f"{solution.factor:.2f}",
    ]


def main() -> None:
    """Print a row for each setting, each from its own process, for its own peak memory."""
    need_adult()
    rows = rows_of_processes(__file__, ROWS)
    print_table(
        f"Greedy cover, Adult, 8 columns ({machine()})",
        [
            "records",
            "measure, hierarchies",
            "k",
            "patterns listed",
            "chosen",
            "wall s",
            "CPU s",
            "peak MB",
            "loss / record",
            "share",
            "loss / bound",
            "factor",
        ],
        rows,
    )


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(json.dumps(row(*json.loads(sys.argv[1]))))
    else:
        main()
