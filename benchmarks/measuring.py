"""What the benchmarks share: the machine, the data, a table of rows, and a process with its peak memory."""

import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from importlib.metadata import version
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import polars as pl

from shoal.jobs.job import Job
from shoal.jobs.posing import problem_of
from shoal.jobs.source import read
from shoal.search.engines.local import count
from shoal.search.problem import Problem

ROOT = Path(__file__).parent.parent
ADULT = Path(os.environ.get("SHOAL_ADULT", ROOT.parent / "shared" / "data" / "adult"))
COLUMNS = (
    "sex",
    "age",
    "race",
    "marital-status",
    "education",
    "native-country",
    "workclass",
    "occupation",
    "salary-class",
)


def machine() -> str:
    """Return one line about where the figures come from."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    packages = ", ".join(f"{name} {version(name)}" for name in ("shoal", "numpy", "numba", "polars"))
    return f"{os.cpu_count()} cores, {memory:.0f} GiB, Python {platform.python_version()}, {packages}"


def need_adult() -> None:
    """End with a clear word where the Adult table is absent."""
    if not (ADULT / "adult.csv").is_file():
        sys.exit(f"Skipped: there is no Adult table in '{ADULT}' (set SHOAL_ADULT to its folder).")


def itself(file: str) -> list[str]:
    """Return the command that runs this benchmark's file in a process of its own."""
    return [sys.executable, "-m", ".".join(Path(file).relative_to(ROOT).with_suffix("").parts)]


def shoal_program() -> str:
    """Return the program that users call, of this environment."""
    return shutil.which("shoal", path=str(Path(sys.executable).parent)) or "shoal"


def rows_of_processes(file: str, settings: Iterable[object]) -> list[list[object]]:
    """Return what a benchmark prints as JSON for each setting, each in a process with a peak memory of its own."""
    commands = [[*itself(file), json.dumps(setting)] for setting in settings]
    return [json.loads(subprocess.run(one, check=True, capture_output=True, text=True).stdout) for one in commands]


def print_table(title: str, header: list[str], rows: Sequence[Sequence[object]]) -> None:
    """Print a Markdown table."""
    print(f"\n### {title}\n")
    print(f"| {' | '.join(header)} |")
    print(f"|{'---|' * len(header)}")
    for row in rows:
        print(f"| {' | '.join(str(cell) for cell in row)} |")


def adult_file(folder: Path, n_records: int) -> Path:
    """Return Adult itself, or a file of `n_records` drawn from it with replacement.

    It is drawn by another process: the peak memory of a process counts as that of all it starts.
    """
    if n_records == 30_162:
        return ADULT / "adult.csv"
    path = folder / f"adult-{n_records}.csv"
    if not path.exists():
        subprocess.run([*itself(__file__), str(path), str(n_records)], check=True)
    return path


def draw(path: Path, n_records: int) -> None:
    """Write records drawn from Adult."""
    table = pl.read_csv(ADULT / "adult.csv", separator=";", infer_schema=False)
    table[np.random.default_rng(1).integers(0, table.height, n_records)].write_csv(path, separator=";")


def adult_sample(
    n_records: int, seed: int, columns: tuple[str, ...], published: str, search: str, promises: str
) -> Problem:
    """Read and count records drawn from Adult without replacement.

    Args:
        n_records: How many.
        seed: Which.
        columns: The quasi columns; `occupation` is sensitive if it is none of them.
        published: What the columns publish: `hierarchies`, or `suppression` of values.
        search: The lines of the job's `[search]`.
        promises: Those of its `[[require]]`.
    """
    parts = ['[input]\npath = "sample.csv"\ndelimiter = ";"']
    for name in columns:
        levels = f'{{ type = "levels", path = "{ADULT}/hierarchy_{name}.csv" }}'
        hierarchy = levels if published == "hierarchies" else '"suppression"'
        parts.append(f'[columns.{name}]\nrole = "quasi"\nhierarchy = {hierarchy}')
    if "occupation" not in columns:
        parts.append('[columns.occupation]\nrole = "sensitive"')
    parts += [f"[[require]]\n{promises}", f"[search]\n{search}"]
    table = pl.read_csv(ADULT / "adult.csv", separator=";", infer_schema=False)
    drawn = np.random.default_rng(seed).choice(table.height, n_records, replace=False)
    with tempfile.TemporaryDirectory() as folder:
        table[drawn].select(*dict.fromkeys([*columns, "occupation"])).write_csv(
            Path(folder) / "sample.csv", separator=";"
        )
        (Path(folder) / "job.toml").write_text("\n\n".join(parts) + "\n", encoding="utf-8")
        source = read(Job.read(Path(folder) / "job.toml"))
        counted = count(source.table, source.hierarchies, source.weights, source.job.watched())
    return problem_of(source.job, counted.tally)


def adult_job(folder: Path, table: Path, k: int, max_suppressed: float, columns: tuple[str, ...] = COLUMNS) -> Path:
    """Write a job file for Adult's quasi columns, and return it."""
    parts = [f'[input]\npath = "{table}"\ndelimiter = ";"']
    for name in COLUMNS:
        hierarchy = f'hierarchy = {{ type = "levels", path = "{ADULT}/hierarchy_{name}.csv" }}'
        parts.append(
            f'[columns.{name}]\nrole = "quasi"\n{hierarchy}'
            if name in columns
            else f'[columns.{name}]\nrole = "sensitive"'
        )
    parts.append(f'[[require]]\nmodel = "k-anonymity"\nk = {k}')
    parts.append(f'[search]\nalgorithm = "optimal"\nmeasure = "lm"\nmax_suppressed = {max_suppressed}\nseed = 7')
    path = folder / f"job-{table.stem}-{k}-{max_suppressed}.toml"
    path.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    return path


def apart(make: Callable[..., Path], folder: Path, n_records: int) -> Path:
    """Make a table in a process of its own: a process that is started begins with the peak memory of who starts it."""
    made = get_context("spawn").Process(target=make, args=(folder, n_records))
    made.start()
    made.join()
    if made.exitcode != 0:
        sys.exit(f"No table of {n_records:,} records could be made.")
    return folder


def timed_process(command: list[str], environment: dict[str, str] | None = None) -> tuple[float, float, float]:
    """Run a command; return its wall seconds, CPU seconds and peak memory in MB."""
    started = time.perf_counter()
    process = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, **(environment or {})}
    )
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"Failed: {' '.join(command)}")
    return time.perf_counter() - started, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


if __name__ == "__main__":
    draw(Path(sys.argv[1]), int(sys.argv[2]))
