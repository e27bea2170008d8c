"""The two simple local recodings, m-approximation and top-down: Adult, and tables of up to 1,000,000 records."""

import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import polars as pl

from benchmarks.measuring import ADULT, COLUMNS, itself, machine, need_adult, print_table, timed_process
from shoal.jobs.arguments import request
from shoal.jobs.posing import problem_of
from shoal.jobs.source import read
from shoal.search.algorithms import ALGORITHMS
from shoal.search.engines.local import count
from shoal.search.problem import Problem

LEVELS = {name: {"type": "levels", "path": str(ADULT / f"hierarchy_{name}.csv")} for name in COLUMNS}
FREE = {name: "ranges" if name == "age" else "sets" for name in COLUMNS}
STARRED = dict.fromkeys(COLUMNS, "suppression")
PUBLISHED: dict[str, Mapping[str, object]] = {"trees": LEVELS, "free": FREE, "starred": STARRED}
ALPHA = {"model": "alpha-k-anonymity", "alpha": 0.3, "k": 10, "column": "occupation"}
CLOSE = {"model": "t-closeness", "t": 0.3, "column": "occupation"}
SETTINGS: dict[str, tuple[str, int, str, dict[str, object] | None]] = {
    "Adult, hierarchies, lm": ("trees", 5, "lm", None),
    "Adult, hierarchies, ncp": ("trees", 10, "ncp", None),
    "Adult, ranges and sets, ncp": ("free", 10, "ncp", None),
    "Adult, every column starred, stars": ("starred", 5, "stars", None),
    "Adult, (0.3, 10)-anonymity, lm": ("trees", 10, "lm", ALPHA),
    "Adult, t = 0.3, lm": ("trees", 10, "lm", CLOSE),
    "1,000,000, hierarchies, lm": ("trees", 10, "lm", None),
    "1,000,000, (0.3, 10)-anonymity, lm": ("trees", 10, "lm", ALPHA),
}


def independent(path: Path, n_records: int) -> None:
    """Write records whose columns are drawn from Adult's one by one: far more different ones than Adult has."""
    table = pl.read_csv(ADULT / "adult.csv", separator=";", infer_schema=False)
    rng = np.random.default_rng(1)
    drawn = [table[name][rng.integers(0, table.height, n_records)].alias(name) for name in COLUMNS]
    pl.DataFrame(drawn).write_csv(path, separator=";")


def problem(path: Path, title: str) -> Problem:
    """Read and count a table for one of the settings; with a promise on it, occupation is sensitive."""
    kind, k, measure, promise = SETTINGS[title]
    columns = PUBLISHED[kind]
    watched = ["occupation"] if promise is not None else []
    job = request(
        path,
        quasi={name: columns[name] for name in COLUMNS if name not in watched},
        sensitive=watched,
        k=k,
        require=[promise] if promise is not None else [],
        measure=measure,
    )
    source = read(job)
    counted = count(source.table, source.hierarchies, source.weights, source.job.watched())
    return problem_of(source.job, counted.tally)


def solve(path: Path, title: str, name: str) -> str:
    """Solve three times in one process, and return the best time and what came out, with tabs between."""
    asked, times = problem(path, title), []
    for _ in range(3):
        wall, cpu = time.perf_counter(), time.process_time()
        solution = ALGORITHMS[name]().solve(asked)
        times.append((time.perf_counter() - wall, time.process_time() - cpu))
    wall, cpu = min(times)
    total, bound = solution.loss.total, solution.bound
    ratio = f"{total / bound:.2f}" if bound else "-"
    factor = f"{solution.factor:.3g}" if solution.factor else "-"
    shown = [asked.tally.n_points, f"{wall:.2f}", f"{cpu:.2f}", f"{solution.loss.share:.4f}", ratio, factor]
    return "\t".join(map(str, [*shown, solution.groups.n_classes]))


def main() -> None:
    """Print a row for each setting and algorithm, each in a process of its own for its peak memory.

    The large table is drawn by another process too: the peak memory of a process counts as that of all it starts.
    """
    need_adult()
    rows: list[list[object]] = []
    with tempfile.TemporaryDirectory() as folder:
        large = Path(folder) / "independent.csv"
        subprocess.run([*itself(__file__), str(large), "1000000"], check=True)
        for title, (_, k, _, _) in SETTINGS.items():
            path = large if title.startswith("1,") else ADULT / "adult.csv"
            for name in ("m-approximation", "top-down"):
                out = Path(folder) / "out"
                command = [*itself(__file__), str(path), title, name, str(out)]
                _, _, memory = timed_process(command)
                rows.append([title, k, name, *out.read_text().split("\t"), f"{memory:.0f}"])
    print_table(
        f"Simple local recodings, 9 columns, 8 where occupation is sensitive ({machine()})",
        [
            "table",
            "k",
            "algorithm",
            "points",
            "wall s",
            "CPU s",
            "loss (share)",
            "loss / bound",
            "factor",
            "classes",
            "MB",
        ],
        rows,
    )


if __name__ == "__main__":
    if len(sys.argv) == 3:
        independent(Path(sys.argv[1]), int(sys.argv[2]))
    elif len(sys.argv) > 1:
        Path(sys.argv[4]).write_text(solve(Path(sys.argv[1]), sys.argv[2], sys.argv[3]))
    else:
        main()
