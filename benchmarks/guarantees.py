"""How far every algorithm is from the optimum: on random tiny tables by brute force, on Adult by the proven bound.

`python -m benchmarks.guarantees [tables] [algorithm ...]`: so many tables for each kind of table and k (300), and only
these algorithms. With 0 tables only Adult; with the word `tiny` among the algorithms, Adult is left out. Ends with 1 if
a claim (a factor, a bound, an optimum) does not hold, and prints the smallest table found for which it does not.
"""

import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random

import polars as pl

from benchmarks.bounds import EIGHT, asked
from benchmarks.measuring import ADULT, ROOT, machine, print_table
from shoal.foundation.errors import InfeasibleError, SpecError
from shoal.models import KAnonymity
from shoal.search.algorithms import ALGORITHMS
from shoal.search.algorithms.algorithm import Algorithm
from shoal.search.problem import Problem, Solution

sys.path.insert(0, str(ROOT))  # the brute force lives with the tests

from tests.oracles.local.checks import slack
from tests.oracles.local.random_jobs import random_local
from tests.oracles.local.tables import LocalTable, local_problem
from tests.oracles.plain import Rules
from tests.oracles.subsets import least_loss

MOST_RECORDS = 8
TINY_KS, ADULT_KS = (2, 3), (2, 3, 5)
SAMPLES, SAMPLE_SIZE, WHOLE = 3, 1_000, 30_162
LIMITS = {SAMPLE_SIZE: 10.0, WHOLE: 60.0}
"""Seconds for each run on Adult."""


def suppressible(rng: Random, n: int, alphabet: int) -> LocalTable:
    """Return a table of which any cell may be starred; in half of them some records are alike."""
    rows = {str(letter): (str(letter), "*") for letter in range(alphabet)}
    names = [f"c{number}" for number in range(rng.randint(2, 7 if alphabet == 2 else 5))]
    records = [{name: rng.choice(list(rows)) for name in names} for _ in range(n)]
    if rng.random() < 0.5:
        records = [rng.choice(records) for _ in range(n)]
    return LocalTable(records, dict.fromkeys(names, rows))


def with_trees(rng: Random, n: int) -> LocalTable:
    """Return a table with hierarchies of any shape; in half of them some records are alike."""
    table = random_local(rng, n, forms=("tree",))
    records = [{column: record[column] for column in table.quasi} for record in table.records]
    return replace(table, records=records, sensitive=(), weights={})


KINDS: dict[str, tuple[str, Callable[[Random, int], LocalTable]]] = {
    "stars, binary": ("stars", lambda rng, n: suppressible(rng, n, 2)),
    "stars, any values": ("stars", lambda rng, n: suppressible(rng, n, rng.randint(3, 5))),
    "tree": ("tree", with_trees),
    "lm": ("lm", with_trees),
    "entropy": ("entropy", with_trees),
}


@dataclass
class Record:
    """What was seen of one algorithm on one kind of table."""

    ratios: list[float] = field(default_factory=list)
    bounds: list[float] = field(default_factory=list)
    missed: int = 0
    refused: int = 0

    def add(self, solution: Solution, optimum: float) -> None:
        """Take a run into account; where the optimum is 0 there is no ratio, only a loss above 0 or none."""
        if optimum <= slack(1.0):
            self.missed += solution.loss.total > slack(1.0)
            return
        self.ratios.append(solution.loss.total / optimum)
        if solution.bound is not None:
            self.bounds.append(solution.bound / optimum)

    def loss(self) -> str:
        """Return the mean and the worst ratio of loss to optimum, and how often a free release was missed."""
        if not self.ratios:
            return "refused" if self.refused else "-"
        missed = f", {self.missed} x 0 missed" if self.missed else ""
        partly = f", {self.refused} refused" if self.refused else ""
        return f"{sum(self.ratios) / len(self.ratios):.3f} / {max(self.ratios):.3f}{missed}{partly}"

    def bound(self) -> str:
        """Return the mean and the worst share of the optimum that the bound proves."""
        return f"{sum(self.bounds) / len(self.bounds):.3f} / {min(self.bounds):.3f}" if self.bounds else "-"


def broken(kind: type[Algorithm], solution: Solution, optimum: float) -> str:
    """Return which claim does not hold, if one does not; full-domain algorithms claim nothing about local releases."""
    loss = solution.loss.total
    if loss < optimum - slack(optimum):
        return f"the loss {loss} is below the optimum {optimum} of the brute force"
    if not kind.local:
        return ""
    if solution.bound is not None and solution.bound > optimum + slack(optimum):
        return f"the bound {solution.bound} is above the optimum {optimum}"
    if solution.factor is not None and loss > solution.factor * optimum + slack(loss):
        return f"the loss {loss} is above {solution.factor} x {optimum}"
    if solution.guarantee == "optimal" and loss > optimum + slack(optimum):
        return f"the loss {loss} is said to be optimal, which is {optimum}"
    return ""


def solved(kind: type[Algorithm], problem: Problem) -> Solution | None:
    """Return what an algorithm answers, None if it refuses."""
    try:
        return kind().solve(problem)
    except (SpecError, InfeasibleError):
        return None


def breach(kind: type[Algorithm], table: LocalTable, k: int, measure: str) -> str:
    """Return which claim of an algorithm a table breaks, if any."""
    optimum = least_loss(table, k, measure)
    solution = solved(kind, local_problem(table, Rules((KAnonymity(k=k),)), measure))
    return broken(kind, solution, optimum) if solution is not None and optimum is not None else ""


def shrunk(kind: type[Algorithm], table: LocalTable, k: int, measure: str) -> LocalTable:
    """Return a smaller table that breaks a claim too: without a record, or without a column, as long as that works."""
    smaller = [
        table.with_records([record for place, record in enumerate(table.records) if place != gone])
        for gone in range(len(table.records))
    ]
    for column in table.quasi if len(table.quasi) > 1 else ():
        rest = {name: rows for name, rows in table.hierarchies.items() if name != column}
        records = [{name: record[name] for name in rest} for record in table.records]
        smaller.append(replace(table, hierarchies=rest, records=records))
    for other in smaller:
        if len(other.records) >= k and breach(kind, other, k, measure):
            return shrunk(kind, other, k, measure)
    return table


def tiny(kinds: Sequence[type[Algorithm]], n_tables: int) -> list[str]:
    """Solve random tables by every algorithm, print the ratios, and return the claims that do not hold."""
    seen = {(kind.name, title, k): Record() for kind in kinds for title in KINDS for k in TINY_KS}
    breaches: list[str] = []
    started, n_claims = time.process_time(), 0
    for k in TINY_KS:
        for title, (measure, make) in KINDS.items():
            for seed in range(n_tables):
                rng = Random(f"{title} {k} {seed}")  # noqa: S311  (tables, not secrets)
                table = make(rng, rng.randint(2 * k, MOST_RECORDS))
                optimum = least_loss(table, k, measure)
                assert optimum is not None
                problem = local_problem(table, Rules((KAnonymity(k=k),)), measure)
                for kind in kinds:
                    solution = solved(kind, problem)
                    if solution is None:
                        seen[kind.name, title, k].refused += 1
                        continue
                    n_claims += kind.local
                    seen[kind.name, title, k].add(solution, optimum)
                    if wrong := broken(kind, solution, optimum):
                        least = shrunk(kind, table, k, measure)
                        told = breach(kind, least, k, measure) or wrong
                        breaches.append(f"{kind.name}, {title}, k = {k}: {told}: {list(least.records)}")
            print(f"{title}, k = {k}: {time.process_time() - started:.0f} CPU s", file=sys.stderr, flush=True)
    total = n_tables * len(KINDS) * len(TINY_KS)
    print(f"\n{machine()}; {total:,} tables of 4 to {MOST_RECORDS} records, seeds 0 to {n_tables - 1}")
    for k in TINY_KS:
        rows = [[kind.name, *(seen[kind.name, title, k].loss() for title in KINDS)] for kind in kinds]
        print_table(f"Loss / optimum by brute force, k = {k}: mean / worst", ["algorithm", *KINDS], rows)
    for k in TINY_KS:
        rows = [
            [kind.name, *(seen[kind.name, title, k].bound() for title in KINDS)]
            for kind in kinds
            if kind.local and any(seen[kind.name, title, k].bounds for title in KINDS)
        ]
        print_table(f"Bound / optimum, k = {k}: mean / worst", ["algorithm", *KINDS], rows)
    print(f"\nClaims that do not hold: {len(breaches)}, of {n_claims:,} runs of local algorithms")
    for line in breaches:
        print(f"- {line}")
    return breaches


def samples(folder: Path) -> list[Path]:
    """Write samples of Adult without replacement."""
    table = pl.read_csv(ADULT / "adult.csv", separator=";", infer_schema=False)
    paths = [folder / f"sample-{seed}.csv" for seed in range(SAMPLES)]
    for seed, path in enumerate(paths):
        table.sample(SAMPLE_SIZE, seed=seed).write_csv(path, separator=";")
    return paths


def adult(kinds: Sequence[type[Algorithm]]) -> None:
    """Print the ratio of loss to bound on samples of Adult and on the whole table."""
    if not (ADULT / "adult.csv").is_file():
        print(f"\nSkipped: there is no Adult table in '{ADULT}' (set SHOAL_ADULT to its folder).")
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for published, measure in (("stars", "stars"), ("tree", "tree")):
            cells: dict[str, list[object]] = {kind.name: [] for kind in kinds}
            for size, files in ((SAMPLE_SIZE, samples(folder)), (WHOLE, [ADULT / "adult.csv"])):
                for k in ADULT_KS:
                    found = [ratios(asked(folder, path, EIGHT, published, measure, k), kinds, size) for path in files]
                    for kind in kinds:
                        cells[kind.name].append(shown([one[kind.name] for one in found]))
                    print(f"{measure}, {size}, k = {k}: {cells}", file=sys.stderr, flush=True)
            header = [f"{size:,}, k = {k}" for size in (SAMPLE_SIZE, WHOLE) for k in ADULT_KS]
            print_table(
                f"Adult, 8 columns, {measure}: loss / highest bound of all algorithms (loss / own bound); "
                f"{SAMPLE_SIZE:,} records: mean of {SAMPLES} samples, {LIMITS[SAMPLE_SIZE]:.0f} s each; "
                f"{WHOLE:,} records: {LIMITS[WHOLE]:.0f} s each ({machine()})",
                ["algorithm", *header],
                [[name, *row] for name, row in cells.items()],
            )


def ratios(problem: Problem, kinds: Sequence[type[Algorithm]], size: int) -> dict[str, tuple[float, float] | None]:
    """Return for each algorithm its loss over the highest bound and over its own, None where it refuses."""
    answers = {kind.name: solved(kind, replace(problem, time_limit=LIMITS[size])) for kind in kinds}
    local = [answers[kind.name] for kind in kinds if kind.local]
    best = max(float(one.bound or 0) for one in local if one is not None)
    found: dict[str, tuple[float, float] | None] = {}
    for name, one in answers.items():
        own = float(one.bound or 0) if one is not None else 0.0
        found[name] = (one.loss.total / best, one.loss.total / own if own > 0 else 0.0) if one is not None else None
    return found


def shown(found: Sequence[tuple[float, float] | None]) -> str:
    """Return the mean of the ratios; a word where some runs were refused."""
    held = [pair for pair in found if pair is not None]
    if len(held) < len(found):
        return "refused"
    best, own = (sum(pair[place] for pair in held) / len(held) for place in range(2))
    return f"{best:.3f} ({own:.3f})" if own else f"{best:.3f}"


def main(arguments: list[str]) -> None:
    """Run both campaigns."""
    numbers = [int(word) for word in arguments if word.isdigit()]
    names = [word for word in arguments if not word.isdigit() and word != "tiny"]
    chosen = [kind for kind in ALGORITHMS if not kind.objective and (not names or kind.name in names)]
    breaches = tiny(chosen, numbers[0] if numbers else 300) if numbers != [0] else []
    if "tiny" not in arguments:
        adult(chosen)
    if breaches:
        sys.exit(1)


if __name__ == "__main__":
    main(sys.argv[1:])
