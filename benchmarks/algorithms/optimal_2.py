"""Optimal 2-anonymity and 2-diversity of samples of Adult.

`python -m benchmarks.algorithms.optimal_2` runs all; `optimal_2.py 500 1000` runs samples of these sizes only. With
`ties` in front of the sizes, the column `native-country` stands in place of `age`, so that many records are alike.
"""

import resource
import sys
import time

from benchmarks.measuring import adult_sample, machine, need_adult, print_table
from shoal.search.algorithms import Optimal2, Tightest

COLUMNS = ("age", "sex", "race", "marital-status", "education", "workclass")
TIES = ("native-country", *COLUMNS[1:])
ALIKE = 'model = "k-anonymity"\nk = 2'
DIVERSE = 'model = "frequency-l-diversity"\nl = 2\ncolumn = "occupation"'
SETTINGS = [
    ("2-anonymity", ALIKE, "suppression", "stars"),
    ("2-anonymity", ALIKE, "hierarchies", "tree"),
    ("2-anonymity", ALIKE, "hierarchies", "monotone-entropy"),
    ("2-diversity", DIVERSE, "suppression", "stars"),
    ("2-diversity", DIVERSE, "hierarchies", "tree"),
]
TIED = [*SETTINGS[-2:], ("2-diversity", DIVERSE, "hierarchies", "lm")]
SEEDS = (0, 1)


def row(
    columns: tuple[str, ...], name: str, promise: str, published: str, measure: str, n_records: int, seed: int
) -> list[object]:
    """Solve one sample."""
    problem = adult_sample(n_records, seed, columns, published, f'measure = "{measure}"\ntime_limit = 120', promise)
    wall, cpu = time.perf_counter(), time.process_time()
    solution = Optimal2().solve(problem)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    tightest = Tightest().solve(adult_sample(n_records, seed, columns, published, f'measure = "{measure}"', promise))
    return [
        name,
        published,
        measure,
        f"{n_records:,}",
        f"{problem.tally.n_points:,}",
        f"{solution.loss.total:.6g}",
        f"{solution.bound:.6g}",
        solution.guarantee,
        f"{tightest.loss.total / solution.loss.total:.4f}",
        f"{wall:.1f}",
        f"{cpu:.1f}",
        f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f}",
    ]


def main() -> None:
    """Run all settings of the sizes asked for."""
    need_adult()
    print(machine())
    row(COLUMNS, *SETTINGS[0], 50, 0)  # compiles, or reads what was compiled
    ties = sys.argv[1:2] == ["ties"]
    columns, settings = (TIES, TIED) if ties else (COLUMNS, SETTINGS)
    sizes = [int(word) for word in sys.argv[1 + ties :]] or [200, 500, 1_000, 2_000]
    header = ["promise", "published", "measure", "records", "points", "loss", "bound", "guarantee"]
    header += ["tightest / loss", "s", "CPU s", "peak MiB"]
    rows = [row(columns, *setting, size, seed) for size in sizes for setting in settings for seed in SEEDS]
    print_table("Optimal 2-anonymity and 2-diversity", header, rows)


if __name__ == "__main__":
    main()
