"""Clusters of least radius: time, memory and radius over bound, and how far they are from the optimum on tiny tables.

`python -m benchmarks.algorithms.r_gather`: random points in a square and in nine dimensions, and Adult, each in its own
process. With `tiny [tables]`: random tables of up to 8 records in spaces of all kinds, against brute force; ends with 1
if a claim does not hold.
"""

import json
import sys
import tempfile
from collections import defaultdict
from fractions import Fraction
from pathlib import Path
from time import perf_counter, process_time

import numpy as np
import polars as pl

from benchmarks.measuring import ADULT, COLUMNS, ROOT, itself, machine, need_adult, print_table, timed_process
from shoal.clusters.distances.automatic import automatic_distance
from shoal.clusters.distances.combination import combined
from shoal.measures import Lm
from shoal.models import KAnonymity
from shoal.search.algorithms import RGather, RGatherOutliers, RkCenter, RkCenterOutliers
from shoal.search.algorithms.algorithm import Algorithm
from shoal.search.engines.local import count
from shoal.search.problem import Problem
from shoal.tables.hierarchies import Suppression
from shoal.tables.table import Role, Table

SETTINGS: list[tuple[str, int, int, str]] = [
    ("square", 1_000, 10, "r-gather"),
    ("square", 8_000, 10, "r-gather"),
    ("square", 8_000, 100, "r-gather"),
    ("square", 30_000, 10, "r-gather"),
    ("9 numbers", 8_000, 10, "r-gather"),
    ("9 normal", 100_000, 10, "r-gather"),
    ("9 of 3 factors", 100_000, 10, "r-gather"),
    ("9 in groups", 100_000, 5, "r-gather"),
    ("adult", 30_162, 3, "r-gather"),
    ("adult", 30_162, 10, "r-gather"),
    ("adult", 30_162, 100, "r-gather"),
    ("square", 8_000, 10, "rk-center"),
    ("adult", 30_162, 10, "rk-center"),
    ("square", 8_000, 10, "r-gather-outliers"),
    ("adult", 30_162, 10, "r-gather-outliers"),
    ("square", 8_000, 10, "r-gather-outliers records"),
    ("adult", 30_162, 10, "r-gather-outliers records"),
    ("square", 8_000, 10, "rk-center-outliers"),
    ("adult", 30_162, 10, "rk-center-outliers"),
]
ALGORITHMS: dict[str, Algorithm] = {
    "r-gather": RGather(),
    "rk-center": RkCenter(clusters=100),
    "r-gather-outliers": RGatherOutliers(),
    "r-gather-outliers records": RGatherOutliers(centres="records"),
    "rk-center-outliers": RkCenterOutliers(clusters=100),
}
OUTLIERS = Fraction(1, 20)


def table_of(kind: str, n_records: int) -> pl.DataFrame:
    """Return random numbers, or Adult."""
    if kind == "adult":
        return pl.read_csv(ADULT / "adult.csv", separator=";", infer_schema=False).select(COLUMNS)
    rng = np.random.default_rng(1)
    if kind == "9 normal":
        numbers = rng.standard_normal((n_records, 9))
    elif kind == "9 of 3 factors":
        numbers = rng.standard_normal((n_records, 3)) @ rng.standard_normal((3, 9))
        numbers += 0.2 * rng.standard_normal((n_records, 9))
    elif kind == "9 in groups":
        numbers = 5 * rng.standard_normal((300, 9))[rng.integers(0, 300, n_records)]
        numbers += 0.1 * rng.standard_normal((n_records, 9))
    else:
        numbers = rng.random((n_records, 2 if kind == "square" else 9))
    numbers = numbers.round(6 if kind in ("square", "9 numbers") else 4)
    return pl.DataFrame({f"x{j}": column.astype(str) for j, column in enumerate(numbers.T)})


def problem_of(kind: str, n_records: int, k: int, limit: Fraction) -> Problem:
    """Return the problem, with automatic distances."""
    frame = table_of(kind, n_records)
    table = Table.of(frame, dict.fromkeys(frame.columns, Role.QUASI))
    trees = {name: Suppression().build(sorted(frame[name].unique()), name) for name in frame.columns}
    tally = count(table, trees, {}).tally
    recipes = {
        column.name: automatic_distance([value for value in column.hierarchy.values if value is not None])
        for column in tally.quasi
    }
    metric = combined(tally.quasi, recipes)
    return Problem(tally, (KAnonymity(k=k),), Lm(), max_suppressed=limit, metric=metric)


def solve(kind: str, n_records: int, k: int, name: str, path: Path) -> None:
    """Solve one setting after a small one that compiles, and write what was found."""
    algorithm = ALGORITHMS[name]
    limit = OUTLIERS if "outliers" in name else Fraction(0)
    algorithm.solve(problem_of("square", 300, 10, limit))
    problem = problem_of(kind, n_records, k, limit)
    wall, cpu = perf_counter(), process_time()
    solution = algorithm.solve(problem)
    found = {
        "wall": perf_counter() - wall,
        "cpu": process_time() - cpu,
        "points": problem.tally.n_points,
        "clusters": solution.groups.n_classes,
        "suppressed": solution.suppressed,
        "radius": solution.loss.total,
        "bound": solution.bound,
    }
    path.write_text(json.dumps(found), encoding="utf-8")


def sizes() -> None:
    """Print a row for each setting."""
    need_adult()
    rows: list[list[object]] = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "found.json"
        for kind, n_records, k, name in SETTINGS:
            command = [*itself(__file__), "solve", kind, str(n_records), str(k), name, str(path)]
            _, _, memory = timed_process(command)
            found = json.loads(path.read_text(encoding="utf-8"))
            rows.append(
                [
                    name,
                    kind,
                    f"{n_records:,}",
                    f"{found['points']:,}",
                    k,
                    f"{found['wall']:.2f}",
                    f"{found['cpu']:.2f}",
                    f"{memory:.0f}",
                    f"{found['clusters']:,}",
                    found["suppressed"],
                    f"{found['radius']:.4f}",
                    f"{found['radius'] / found['bound']:.3f}",
                ]
            )
    header = ["algorithm", "table", "records", "points", "r", "wall s", "CPU s", "peak MB", "clusters", "left out"]
    print_table(f"Clusters of least radius ({machine()})", [*header, "radius", "radius / bound"], rows)


def tiny(n_tables: int) -> None:
    """Print mean and worst of radius over optimum, and the least of bound over optimum; end with 1 if a claim fails."""
    sys.path.insert(0, str(ROOT))  # the brute force lives with the tests
    from tests.oracles.clusters.radius_cases import radius_case

    ratios, shares = defaultdict(list), defaultdict(list)
    broken = []
    for seed in range(n_tables):
        case = radius_case(10**6 + seed)
        chosen = {**ALGORITHMS, "rk-center": RkCenter(clusters=case.clusters)}
        chosen["rk-center-outliers"] = RkCenterOutliers(clusters=case.clusters)
        for name, algorithm in chosen.items():
            outliers, limited = "outliers" in name, "rk" in name
            best = case.least(outliers=outliers, limited=limited)
            solution = algorithm.solve(case.problem_with_outliers if outliers else case.problem)
            bound, factor = solution.bound or 0.0, 1.0 if solution.factor is None else solution.factor
            if bound > best * (1 + 1e-9) or solution.loss.total > factor * best * (1 + 1e-9):
                broken.append((seed, name))
            if best > 0:
                ratios[name].append(solution.loss.total / best)
                shares[name].append(bound / best)
    rows: list[list[object]] = [
        [
            name,
            len(found),
            f"{np.mean(found):.3f} / {max(found):.3f}",
            f"{np.mean(shares[name]):.3f} / {min(shares[name]):.3f}",
        ]
        for name, found in ratios.items()
    ]
    header = ["algorithm", "tables with an optimum above 0", "radius / optimum, mean / worst", "bound / optimum"]
    print_table(f"Clusters of least radius, {n_tables:,} tables of up to 8 records", header, rows)
    print(f"\nClaims that do not hold: {broken or 'none'}")
    if broken:
        sys.exit(1)


if __name__ == "__main__":
    if sys.argv[1:2] == ["solve"]:
        solve(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), sys.argv[5], Path(sys.argv[6]))
    elif sys.argv[1:2] == ["tiny"]:
        tiny(int(sys.argv[2]) if len(sys.argv) > 2 else 3_000)
    else:
        sizes()
