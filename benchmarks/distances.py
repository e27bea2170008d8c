"""Measure metric spaces: building them, distances of each kind, and the texts of centres."""

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from benchmarks.measuring import ADULT, machine, need_adult, print_table
from shoal.classes.tally import Tally
from shoal.clusters.metric import Metric
from shoal.jobs.arguments import request
from shoal.jobs.source import metric_of, read
from shoal.kernels.clusters.metrics import distances_between
from shoal.search.engines.local import count

N = 10_000
ROWS = 1_000


def measured(frame: pl.DataFrame, **asked: Any) -> tuple[Metric, Tally, list[float]]:
    """Return the metric space of a frame, its tally, and the CPU seconds of reading, counting and building."""
    job = request(frame, quasi=frame.columns, k=5, algorithm="mdav", **asked)
    source, reading = _timed(lambda: read(job, frame))
    counted, counting = _timed(lambda: count(source.table, source.hierarchies, source.weights))
    metric, building = _timed(lambda: metric_of(source.job, counted.tally))
    if metric is None:
        sys.exit("mdav needs a metric")
    return metric, counted.tally, [reading, counting, building]


def _timed(work: Callable[[], Any]) -> tuple[Any, float]:
    started = time.process_time()
    return work(), time.process_time() - started


def row(name: str, frame: pl.DataFrame, **asked: Any) -> list[object]:
    """Return one row of the table: a frame, its points, and CPU seconds of each step."""
    measured(frame.head(100), **asked)  # compiles
    metric, tally, seconds = measured(frame, **asked)
    positions, placing = _timed(lambda: metric.positions(tally.codes))
    some, space = np.ascontiguousarray(positions[:, :ROWS]), metric.space
    distances_between(space, some[:, :2].copy(), some)
    _, apart = _timed(lambda: distances_between(space, some, positions))
    middles = (positions + positions[:, ::-1])[:, :N] / 2
    if all(axis.width == 1 and axis.table is None for axis in metric.axes):
        rounded, rounding = _timed(lambda: metric.rounded(middles))
    else:
        rounded, rounding = _timed(lambda: metric.rounded(positions[:, :N]))
    _, telling = _timed(lambda: metric.texts(rounded))
    pairs = some.shape[1] * positions.shape[1] * len(metric.axes)
    shown = [f"{value:.3f}" for value in (*seconds, placing, rounding, telling)]
    return [name, f"{positions.shape[1]:,}", len(metric.axes), *shown, f"{apart / pairs * 1e9:.2f}"]


def main() -> None:
    """Print the table."""
    need_adult()
    print(machine())
    rng = np.random.default_rng(1)
    adult = pl.read_csv(ADULT / "adult.csv", separator=";", infer_schema=False)
    normal = pl.DataFrame({f"x{i}": rng.normal(size=N) * 1000 for i in range(11)})
    holed = normal.with_columns(pl.when(pl.all() < 1500).then(pl.all()))
    earth = pl.DataFrame({"lat": rng.integers(-9000, 9000, N) / 100, "lon": rng.integers(-18000, 18000, N) / 100})
    codes = pl.DataFrame({"zip": [f"{code:05d}" for code in rng.permutation(100_000)[:N]]})
    few = pl.DataFrame({"zip": [f"{code:03d}" for code in rng.integers(0, 1000, N)], "row": [str(i) for i in range(N)]})
    rows = [
        row("Adult, 9 columns", adult),
        row("10,000 x 11 numbers", normal),
        row("the same, 7% missing", holed),
        row("10,000 places", earth, distances={"lat": {"type": "place", "longitude": "lon"}}),
        row("1,000 codes, tree; row number", few, distances={"zip": "tree"}),
        row("10,000 codes, tree", codes, distances={"zip": "tree"}),
    ]
    with tempfile.TemporaryDirectory() as folder:
        rows.append(_matrix(Path(folder), rng))
    header = ["table", "points", "axes", "read s", "count s", "metric s", "positions s"]
    print_table(
        "Metric spaces, CPU seconds",
        [*header, f"round {N:,} s", f"tell {N:,} s", "ns for a distance along an axis"],
        rows,
    )


def _matrix(folder: Path, rng: np.random.Generator) -> list[object]:
    names = [f"v{i}" for i in range(1000)]
    places = rng.random((1000, 2)) * 100
    apart = np.ceil(np.sqrt(((places[:, None] - places[None]) ** 2).sum(axis=2)) * 1000) / 1000
    pl.DataFrame({"": names, **dict(zip(names, apart.T, strict=True))}).write_csv(folder / "far.csv")
    frame = pl.DataFrame({"who": names})
    return row(
        "a matrix of 1,000 values", frame, distances={"who": {"type": "matrix", "path": str(folder / "far.csv")}}
    )


if __name__ == "__main__":
    main()
