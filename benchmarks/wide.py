"""Many columns: how far the search stays exact, and what a time limit leaves, on a made-up table of 30,000 records."""

import time
from fractions import Fraction

import numpy as np

from benchmarks.measuring import machine, print_table
from shoal.classes.tally import QuasiColumn, Tally
from shoal.measures import Lm
from shoal.models import KAnonymity
from shoal.search.lattice.boxes import search
from shoal.search.lattice.column_blocks import floor_of
from shoal.search.lattice.lattice import Lattice
from shoal.search.problem import Problem
from shoal.tables.distinct_rows import distinct_rows
from shoal.tables.hierarchies import Hierarchy

DOMAINS = (2, 4, 6, 9, 16, 40)
SECONDS = 30.0


def hierarchy_of(size: int) -> Hierarchy:
    """Return a hierarchy that groups three neighbours at a time."""
    rows = []
    for value in range(size):
        widths = [3**power for power in range(1, 5) if 3**power < size]
        rows.append([f"v{value}", *(f"g{width}.{value // width}" for width in widths), "*"])
    return Hierarchy.of_rows(rows, "made-up hierarchy")


def tally_of(n_records: int, n_columns: int) -> Tally:
    """Return a table whose columns share four hidden causes."""
    random = np.random.default_rng(0)
    causes = random.normal(size=(n_records, 4))
    quasi, codes = [], []
    for j in range(n_columns):
        size = DOMAINS[j % len(DOMAINS)]
        values = causes @ (random.normal(size=4) * (random.random(4) < 0.5)) + random.normal(size=n_records) * 0.7
        column = np.searchsorted(np.quantile(values, np.linspace(0, 1, size + 1)[1:-1] ** 1.5), values).astype(np.int32)
        codes.append(column)
        quasi.append(QuasiColumn(f"c{j}", hierarchy_of(size), np.bincount(column, minlength=size)))
    point_of, points = distinct_rows(codes, [column.hierarchy.n_leaves for column in quasi], n_records)
    nobody = np.zeros(len(points), dtype=np.int32)
    return Tally(tuple(quasi), (), points, nobody, np.zeros((1, 0), dtype=np.int32), np.bincount(point_of))


def main() -> None:
    """Print a row for each number of columns and limit of suppression."""
    rows: list[list[object]] = []
    for n_columns in (9, 12, 15, 24):
        tally = tally_of(30_000, n_columns)
        for limit in (Fraction(0), Fraction(1, 20), Fraction(1)):
            problem = Problem(tally, (KAnonymity(k=5),), Lm(), limit, time_limit=SECONDS)
            lattice = Lattice(problem)
            started = time.perf_counter()
            found = search(lattice, floor=floor_of(lattice))
            seconds = time.perf_counter() - started
            scale = tally.n_records * n_columns
            assert found.best is not None
            loss, bound = found.best.loss / scale, found.bound / scale
            state = "optimal" if found.complete else f"at most {loss / bound:.2f} x"
            rows.append(
                [
                    n_columns,
                    f"{lattice.n_nodes:.1e}",
                    f"{float(limit):.0%}",
                    f"{seconds:.1f}",
                    lattice.nodes_checked,
                    f"{loss:.4f}",
                    f"{bound:.4f}",
                    state,
                ]
            )
    print_table(
        f"Many columns, {SECONDS:.0f} s at most ({machine()})",
        ["columns", "nodes", "limit", "wall s", "nodes checked", "lm", "bound", "proven"],
        rows,
    )


if __name__ == "__main__":
    main()
