"""The first run on a machine, when kernels are compiled; and what portable kernels cost against native ones."""

import shutil
import tempfile
from pathlib import Path

from benchmarks.measuring import ADULT, ROOT, adult_file, adult_job, machine, print_table, shoal_program, timed_process
from shoal.actions.compile import compile_kernels, compile_portable

ALGORITHMS = ("tightest", "r-gather")
REPEATS = 3


def main() -> None:
    """Compile all kernels of both kinds, then print a first run and those that follow."""
    shoal = shoal_program()
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        _first_runs(shoal, home)
        _kinds(shoal, home)


def _first_runs(shoal: str, home: Path) -> None:
    job, rows = ROOT / "examples" / "hospital" / "job.toml", []
    for algorithm in ("optimal", "tightest"):
        empty = {"NUMBA_CACHE_DIR": str(home / f"empty-{algorithm}")}
        for name in ("first", "second"):
            wall, cpu, memory = timed_process(_command(shoal, job, algorithm, home), empty)
            rows.append([algorithm, name, f"{wall:.2f}", f"{cpu:.2f}", f"{memory:.0f}"])
    print_table(
        f"Runs of the hospital example with an empty cache ({machine()})",
        ["algorithm", "run", "wall s", "CPU s", "peak MB"],
        rows,
    )


def _kinds(shoal: str, home: Path) -> None:
    """Compare kernels made for this processor with portable ones, in turns."""
    native, portable = compile_kernels(), compile_portable(home / "portable")
    files = {"native": native.folder, "portable": next((home / "portable").rglob("*.kernel")).parent}
    sizes = {name: sum(file.stat().st_size for file in folder.iterdir()) / 1e6 for name, folder in files.items()}
    print(
        f"\n{portable.kernels} kernels, all compiled in {portable.seconds:.0f} s; portable {sizes['portable']:.1f} MB."
    )
    generic = home / "generic" / "shoal" / files["portable"].parent.name
    shutil.copytree(files["portable"], generic / files["portable"].name)
    settings = {"native": {}, "portable": {"NUMBA_CPU_NAME": "generic", "NUMBA_CACHE_DIR": str(home / "generic")}}
    rows: list[list[object]] = []
    for title, job in _jobs(home):
        for algorithm in ALGORITHMS:
            spent: dict[str, list[float]] = {"native": [], "portable": []}
            for _ in range(REPEATS):
                for kind, environment in settings.items():
                    spent[kind].append(timed_process(_command(shoal, job, algorithm, home), environment)[1])
            rows.append([title, algorithm, *(f"{min(seconds):.2f}" for seconds in spent.values())])
    print_table("CPU seconds of a run, least of three", ["table", "algorithm", "native", "portable"], rows)


def _jobs(home: Path) -> list[tuple[str, Path]]:
    jobs = [("hospital", ROOT / "examples" / "hospital" / "job.toml")]
    if (ADULT / "adult.csv").is_file():
        jobs.append(("Adult", adult_job(home, adult_file(home, 30_162), 5, 0.0)))
    return jobs


def _command(shoal: str, job: Path, algorithm: str, home: Path) -> list[str]:
    return [shoal, "anonymize", str(job), "--algorithm", algorithm, "--out", f"{home}/release", "--force", "--quiet"]


if __name__ == "__main__":
    main()
