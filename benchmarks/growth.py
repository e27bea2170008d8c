"""How time grows with records, columns, k and classes: CPU seconds, exponents, and a picture of each."""

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import polars as pl
from docs.site.pictures.chart import ChartAxis, Curve, chart

import shoal
from benchmarks.measuring import ADULT, COLUMNS, ROOT, need_adult, print_table

_RECORDS = (10_000, 30_000, 100_000, 300_000, 1_000_000)
_COLUMNS = (2, 4, 6, 8)
_KS = (2, 5, 20, 100)
_KINDS = (100, 1_000, 10_000)
_ALGORITHMS = ("optimal", "mondrian", "top-down")
_PICTURES = ROOT / "docs" / "pictures"
Points = list[tuple[float, float]]


def drawn(n_records: int, n_columns: int, n_kinds: int | None = None) -> pl.DataFrame:
    """Return records drawn from Adult with replacement; with `n_kinds`, from so many of its different rows alone."""
    table = pl.read_csv(ADULT / "adult.csv", separator=";", infer_schema=False).select(COLUMNS[:n_columns])
    choices = table if n_kinds is None else table.unique(maintain_order=True).head(n_kinds)
    return choices[np.random.default_rng(1).integers(0, choices.height, n_records)]


def seconds(work: Callable[[], Any]) -> float:
    """Return the CPU seconds of some work, the least of two runs after a first one."""
    work()
    found = []
    for _ in range(2):
        started = time.process_time()
        work()
        found.append(time.process_time() - started)
    return min(found)


def released(table: pl.DataFrame, k: int, algorithm: str) -> Callable[[], Any]:
    """Return the work of releasing a table in memory, certificate included."""
    quasi = {name: {"type": "levels", "path": str(ADULT / f"hierarchy_{name}.csv")} for name in table.columns}
    return lambda: shoal.anonymize(table, quasi=quasi, k=k, algorithm=algorithm, max_suppressed=0.05, seed=1)


def counted(table: pl.DataFrame) -> Callable[[], Any]:
    """Return the work of counting the classes of a table that is in memory."""
    return lambda: shoal.check(table, quasi=table.columns)


def exponent(points: Sequence[tuple[float, float]]) -> float:
    """Return the slope of the line that fits the logarithms best."""
    xs, ys = np.log([x for x, _ in points]), np.log([y for _, y in points])
    return float(np.polyfit(xs, ys, 1)[0])


def series() -> Iterator[tuple[str, ChartAxis, str, dict[str, Points]]]:
    """Yield each picture: its name, its axis, what is fixed, and the points of each curve."""
    records = {name: [(float(n), seconds(released(drawn(n, 6), 5, name))) for n in _RECORDS] for name in _ALGORITHMS}
    checked = [(float(n), seconds(counted(drawn(n, 6)))) for n in _RECORDS]
    yield "records", ChartAxis("records", log=True), "6 columns, k = 5", {**records, "check": checked}
    columns = {
        name: [(float(n), seconds(released(drawn(30_000, n), 5, name))) for n in _COLUMNS] for name in _ALGORITHMS
    }
    yield "columns", ChartAxis("columns", log=True), "30,000 records, k = 5", columns
    ks = {name: [(float(k), seconds(released(drawn(30_000, 6), k, name))) for k in _KS] for name in _ALGORITHMS}
    yield "k", ChartAxis("k", log=True), "30,000 records, 6 columns", ks
    kinds = {
        name: [(float(n), seconds(released(drawn(30_000, 8, n), 5, name))) for n in _KINDS] for name in _ALGORITHMS
    }
    yield "different-rows", ChartAxis("different rows", log=True), "30,000 records, 8 columns, k = 5", kinds


def main() -> None:
    """Print a table for each picture, and draw it if `--draw` is given."""
    need_adult()
    for name, axis, fixed, curves in series():
        xs = [x for x, _ in next(iter(curves.values()))]
        rows = [
            [curve, *(f"{y:.3f}" for _, y in points), f"{exponent(points):.2f}", f"{exponent(points[-2:]):.2f}"]
            for curve, points in curves.items()
        ]
        print_table(
            f"{axis.title.capitalize()}: {fixed}",
            ["", *(axis.written(x) for x in xs), "exponent", "of the last step"],
            rows,
        )
        print(f"\n![CPU seconds against {axis.title}](pictures/growth-{name}.svg)")
        told = f"CPU seconds against {axis.title}, both logarithmic: " + "; ".join(
            f"{row[0]} {row[-2]}" for row in rows
        )
        named = [Curve(f"{curve}, exponent {exponent(points):.2f}", tuple(points)) for curve, points in curves.items()]
        picture = chart(f"{axis.title.capitalize()} ({fixed})", told, axis, ChartAxis("CPU seconds", log=True), named)
        if "--draw" in sys.argv:
            (_PICTURES / f"growth-{name}.svg").write_text(picture, encoding="utf-8")


if __name__ == "__main__":
    main()
