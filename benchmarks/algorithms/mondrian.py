"""Mondrian: loss on Adult, cutting alone at growing sizes, and whole runs from file to file."""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl

from benchmarks.measuring import (
    ADULT,
    adult_file,
    itself,
    machine,
    need_adult,
    print_table,
    shoal_program,
    timed_process,
)
from shoal.jobs.job import Job
from shoal.jobs.posing import problem_of
from shoal.jobs.source import read
from shoal.search.algorithms import Mondrian
from shoal.search.engines.local import count
from shoal.search.local.cuts import Mode, cut_down
from shoal.search.problem import Problem

COLUMNS = ("age", "sex", "race", "marital-status", "education", "native-country", "workclass", "occupation")
NUMBERS = ("months", "income")  # of the table in which nearly all records differ; months stands for age
YARDSTICKS = ("trees", "age in ranges, trees", "ranges and sets")
PEERS = {
    ("age in ranges, trees", 5): "0.0921 (qiyuangong)",
    ("age in ranges, trees", 10): "0.1246 (qiyuangong)",
    ("ranges and sets", 5): "0.039 (mosaicrown)",
    ("ranges and sets", 10): "0.0636 (mosaicrown)",
}
REPEATS = 3


def job_file(folder: Path, table: Path, k: int, yardstick: str, cut: str = "median") -> Path:
    """Write a job for a table with Adult's columns, and maybe numbers, and return it."""
    header = table.open(encoding="utf-8").readline().strip().split(";")
    parts = [f'[input]\npath = "{table}"\ndelimiter = ";"']
    for name in header:
        tree = f'{{ type = "levels", path = "{ADULT}/hierarchy_{name}.csv" }}'
        free = '"ranges"' if name in ("age", *NUMBERS) else '"sets"'
        hierarchy = free if yardstick == "ranges and sets" or (name == "age" and yardstick != "trees") else tree
        hierarchy = '"ranges"' if name in NUMBERS else hierarchy
        quasi = name in (*COLUMNS, *NUMBERS)
        parts.append(f'[columns.{name}]\nrole = "{"quasi" if quasi else "insensitive"}"')
        parts[-1] += f"\nhierarchy = {hierarchy}" if quasi else ""
    parts.append(f'[[require]]\nmodel = "k-anonymity"\nk = {k}')
    parts.append(f'[search]\nmeasure = "ncp"\nseed = 7\nalgorithm = {{ name = "mondrian", cut = "{cut}" }}')
    path = folder / f"job-{table.stem}-{k}-{len(yardstick)}-{cut}.toml"
    path.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    return path


def distinct_file(folder: Path, n_records: int) -> Path:
    """Return a file like Adult in which nearly all records differ, made by another process (see `measuring`)."""
    path = folder / f"distinct-{n_records}.csv"
    if not path.exists():
        subprocess.run([*itself(__file__), str(path), str(n_records)], check=True)
    return path


def draw(path: Path, n_records: int) -> None:
    """Write records drawn from Adult, the age in months and an income beside it."""
    rng = np.random.default_rng(1)
    adult = pl.read_csv(ADULT / "adult.csv", separator=";", infer_schema=False)
    table = adult[rng.integers(0, adult.height, n_records)]
    months = table["age"].cast(pl.Int32).to_numpy() * 12 + rng.integers(0, 12, n_records)
    income = np.minimum((np.exp(rng.normal(0, 0.8, n_records)) * 2000).astype(np.int32), 19_999)
    table = table.drop("age", "salary-class").with_columns(months=months, income=income)
    table.write_csv(path, separator=";")


def problem_in(job: Path) -> Problem:
    """Read and count a job's table."""
    source = read(Job.read(job))
    counted = count(source.table, source.hierarchies, source.weights, source.job.watched())
    return problem_of(source.job, counted.tally)


def losses(folder: Path) -> None:
    """Print the loss of every variant on Adult."""
    rows: list[list[object]] = []
    for yardstick in YARDSTICKS:
        for k in (5, 10):
            problem = problem_in(job_file(folder, ADULT / "adult.csv", k, yardstick))
            row: list[object] = [yardstick, k]
            for algorithm in (
                Mondrian(),
                Mondrian(categories="order"),
                Mondrian(mode="relaxed"),
                Mondrian(cut="loss"),
                Mondrian(cut="loss", categories="order"),
                Mondrian(cut="loss", mode="relaxed"),
            ):
                row.append(f"{algorithm.solve(problem).loss.total / problem.tally.n_records / len(COLUMNS):.4f}")
            times = []
            for cut in ("median", "loss"):
                started = time.process_time()
                cut_down(problem, mode="strict", cut=cut, categories="hierarchy")
                times.append(f"{time.process_time() - started:.2f}")
            rows.append([*row, " / ".join(times), PEERS.get((yardstick, k), "")])
    header = ["yardstick", "k", "median", "by order", "relaxed", "loss", "loss, by order", "loss, relaxed"]
    title = f"Mondrian, Adult, 8 columns, ncp per cell ({machine()})"
    print_table(title, [*header, "CPU s cutting, median / loss", "peer"], rows)


def growth(folder: Path) -> None:
    """Print the seconds of cutting alone at growing sizes, with the exponent from one size to the next."""
    rows: list[list[object]] = []
    settings: tuple[tuple[Mode, str], ...] = (("strict", "median"), ("relaxed", "median"), ("strict", "loss"))
    before: dict[tuple[Mode, str], tuple[int, float]] = {}
    for n_records in (100_000, 300_000, 1_000_000, 3_000_000, 10_000_000):
        problem = problem_in(job_file(folder, distinct_file(folder, n_records), 10, "trees"))
        for mode, cut in settings if n_records <= 3_000_000 else settings[:2]:
            times = []
            for _ in range(REPEATS):
                wall, cpu = time.perf_counter(), time.process_time()
                found = cut_down(problem, mode=mode, cut="loss" if cut == "loss" else "median", categories="hierarchy")
                times.append((time.process_time() - cpu, time.perf_counter() - wall))
            cpu, wall = min(times)
            last = before.get((mode, cut))
            exponent = f"{np.log(cpu / last[1]) / np.log(n_records / last[0]):.2f}" if last else ""
            before[mode, cut] = n_records, cpu
            sizes = [f"{n_records:,}", f"{problem.tally.n_points:,}", f"{mode}, {cut}", f"{found.parts.n_classes:,}"]
            rows.append([*sizes, f"{wall:.2f}", f"{cpu:.2f}", exponent])
    print_table(
        f"Cutting alone, nearly all records different, 9 columns, k = 10 ({machine()})",
        ["records", "points", "variant", "classes", "wall s", "CPU s", "exponent of the CPU s"],
        rows,
    )


def whole_runs(folder: Path) -> None:
    """Print a row for each table: process start to files written and checked."""
    shoal = shoal_program()
    rows: list[list[object]] = []
    for kind, make in (("Adult, drawn with replacement", adult_file), ("nearly all different", distinct_file)):
        for n_records in (1_000_000, 10_000_000):
            job = job_file(folder, make(folder, n_records), 10, "age in ranges, trees")
            command = [shoal, "anonymize", str(job), "--out", str(folder / "release"), "--force", "--quiet"]
            timed_process(command)  # compiles, and brings the file into the page cache
            wall, cpu, memory = min(timed_process(command) for _ in range(REPEATS))
            peer = {1_000_000: "20 s, 0.93 GB", 10_000_000: "199 s, 7.0 GB"}[n_records] if make is adult_file else ""
            rows.append([kind, f"{n_records:,}", f"{wall:.2f}", f"{cpu:.2f}", f"{memory:.0f}", peer])
    print_table(
        f"Whole run, median cuts, k = 10 ({machine()})",
        ["table", "records", "wall s", "CPU s", "peak MB", "qiyuangong, in memory"],
        rows,
    )


def main() -> None:
    """Print all tables, or those that are named."""
    need_adult()
    chosen = sys.argv[1:] or ["whole_runs", "losses", "growth"]  # a started process inherits the peak memory so far
    with tempfile.TemporaryDirectory() as folder:
        for name in chosen:
            {"losses": losses, "growth": growth, "whole_runs": whole_runs}[name](Path(folder))


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[2].isdigit():
        draw(Path(sys.argv[1]), int(sys.argv[2]))
    else:
        main()
