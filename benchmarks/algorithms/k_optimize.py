"""k-Optimize on all of Adult: cut points, time in a warm process, memory, loss and gap, for several k."""

import json
import resource
import sys
import time
from fractions import Fraction

import polars as pl

from benchmarks.measuring import ADULT, machine, need_adult, print_table, rows_of_processes
from shoal.measures import Classification, Discernibility
from shoal.models import KAnonymity
from shoal.search.algorithms import KOptimize
from shoal.search.engines.local import count
from shoal.search.problem import Problem
from shoal.search.single_dimensional.steps import column_steps
from shoal.tables.hierarchies import Levels, Ranges
from shoal.tables.table import Role, Table

SIX = ("sex", "race", "marital-status", "workclass", "education", "tens")  # of age: 40 cut points in all
EIGHT = ("sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation")
ROWS = (
    *(("discernibility", SIX, "ranges", 15, k, limit) for k in (2, 5, 10, 50, 100) for limit in (0, 1)),
    *(("classification", SIX, "ranges", 15, k, limit) for k in (2, 5, 10, 50, 100) for limit in (0, 1)),
    *(("discernibility", EIGHT, "given", 99, k, limit) for k in (5, 50) for limit in (0, 1)),
    *(("classification", EIGHT, "given", 99, k, limit) for k in (5, 50) for limit in (0, 1)),
    ("discernibility", EIGHT, "ranges", 6, 5, 0),
    ("discernibility", EIGHT, "ranges", 6, 5, 1),
    ("discernibility", EIGHT, "ranges", 99, 5, 1),
)
SECONDS = 60.0


def asked(measure: str, columns: tuple[str, ...], hierarchies: str, k: int, limit: int) -> Problem:
    """Read and count the table, with ranges in the order of the values or with the given hierarchies."""
    frame = pl.read_csv(ADULT / "adult.csv", separator=";", infer_schema=False)
    frame = frame.with_columns(tens=(pl.col("age").cast(pl.Int64) // 10 * 10).cast(pl.String))
    frame = frame.select(*columns, "salary-class")
    values = {name: frame[name].unique().to_list() for name in columns}
    recipes = {
        name: Ranges() if hierarchies == "ranges" else Levels(path=str(ADULT / f"hierarchy_{name}.csv"))
        for name in columns
    }
    built = {name: recipe.build(values[name], name) for name, recipe in recipes.items()}
    table = Table.of(frame, {name: Role.QUASI if name in columns else Role.SENSITIVE for name in frame.columns})
    label = ("salary-class",) if measure == "classification" else ()
    price = Classification(column="salary-class") if label else Discernibility()
    tally = count(table, built, {}, label).tally
    return Problem(tally, (KAnonymity(k=k),), price, Fraction(limit), time_limit=SECONDS)


def row(measure: str, columns: list[str], hierarchies: str, cuts: int, k: int, limit: int) -> list[object]:
    """Solve once, after a small problem that loads the kernels."""
    problem = asked(measure, tuple(columns), hierarchies, k, limit)
    KOptimize(cuts=1).solve(problem)
    wall, cpu = time.perf_counter(), time.process_time()
    solution = KOptimize(cuts=cuts).solve(problem)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    assert solution.bound is not None
    return [
        measure,
        f"{len(columns)}, {hierarchies}",
        candidates(problem, cuts),
        k,
        f"{limit:.0%}",
        f"{wall:.1f}",
        f"{cpu:.1f}",
        f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f}",
        f"{solution.nodes_checked:,}",
        f"{solution.loss.total:,.0f}",
        solution.suppressed,
        "proved" if solution.guarantee == "optimal" else f"{solution.loss.total / solution.bound:.2f}",
    ]


def candidates(problem: Problem, cuts: int) -> int:
    """Return the number of cut points."""
    return sum(column_steps(column, cuts).n_steps for column in problem.tally.quasi)


def main() -> None:
    """Print a row for each setting, each from its own process, for its own peak memory."""
    need_adult()
    rows = rows_of_processes(__file__, ROWS)
    print_table(
        f"k-Optimize, Adult, at most {SECONDS:.0f} s ({machine()})",
        [
            "measure",
            "columns",
            "cut points",
            "k",
            "limit",
            "wall s",
            "CPU s",
            "peak MB",
            "looks",
            "loss",
            "suppressed",
            "loss / bound",
        ],
        rows,
    )


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(json.dumps(row(*json.loads(sys.argv[1]))))
    else:
        main()
