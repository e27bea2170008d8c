"""Cellular clustering: seconds, peak memory and the cost over the bound, on points of several kinds and sizes."""

import resource
import sys
import time
from multiprocessing import get_context

import numpy as np

from benchmarks.measuring import ADULT, adult_sample, machine, print_table
from shoal.clusters.distances.automatic import automatic_distance
from shoal.clusters.distances.combination import combined
from shoal.clusters.searches.cellular import CellularRequest, Opened, cellular, r_cellular, r_cellular_outliers
from shoal.clusters.searches.points import Points
from shoal.kernels.clusters.metrics import NUMBER, Space
from shoal.tables.distinct_rows import distinct_rows

SIZES = (1_000, 3_000, 10_000)
KINDS = ("even, 2 axes", "even, 8 axes", "lumps, 4 axes")
COLUMNS = ("sex", "age", "race", "marital-status", "education", "native-country", "workclass", "salary-class")


def numbers(kind: str, n: int) -> Points:
    """Draw points from a normal distribution, or from a hundred narrow ones."""
    rng, width = np.random.default_rng(n), int(kind.split()[1])
    positions = rng.normal(size=(width, n))
    if kind.startswith("lumps"):
        positions = rng.normal(size=(width, 100))[:, rng.integers(0, 100, n)] + positions / 10
    one = np.ones(width, dtype=np.int64)
    space = Space(True, NUMBER * one, np.arange(width), np.ones(width), np.zeros(0), 0 * one, 0 * one)
    return Points(space, np.ascontiguousarray(positions), np.ones(n, dtype=np.int64))


def adult(n: int) -> Points:
    """Draw records from Adult; distances in standard deviations, and 1 between different categories."""
    promises = 'model = "k-anonymity"\nk = 5'
    tally = adult_sample(n, 1, COLUMNS, "suppression", 'algorithm = "optimal"', promises).tally
    sizes = [column.hierarchy.n_leaves for column in tally.quasi]
    place_of, rows = distinct_rows(list(tally.codes.T), sizes, tally.n_points)
    recipes = {
        column.name: automatic_distance([value for value in column.hierarchy.values if value is not None])
        for column in tally.quasi
    }
    metric = combined(tally.quasi, recipes)
    counts = np.bincount(place_of, weights=tally.counts, minlength=len(rows)).astype(np.int64)
    return Points(metric.space, metric.positions(rows), counts)


def solved(name: str, points: Points) -> tuple[Opened, CellularRequest]:
    """Run one algorithm; `cellular` with a setup cost that leaves some hundred clusters."""
    if name == "cellular":
        return cellular(points, np.full(len(points), 5.0)), CellularRequest(points, setup=5.0)
    request = CellularRequest(points, r=10, limit=points.n_records // 50 if "outliers" in name else 0)
    return (r_cellular_outliers if "outliers" in name else r_cellular)(request), request


def measured(task: tuple[str, str, int]) -> list[object]:
    """Return a row of the table; each in a process of its own, for its peak memory."""
    kind, name, n = task
    points = adult(n) if kind == "Adult" else numbers(kind, n)
    solved(name, numbers("even, 2 axes", 50))  # compiles
    started, used = time.perf_counter(), time.process_time()
    cells, request = solved(name, points)
    wall, cpu = time.perf_counter() - started, time.process_time() - used
    clusters = cells.clusters
    cost = float(clusters.sizes @ clusters.radii(points)) + request.setup * clusters.n_clusters
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    figures = [f"{wall:.2f}", f"{cpu:.2f}", f"{memory:.0f}", f"{clusters.n_clusters:,}", f"{cost / clusters.bound:.3f}"]
    return [kind, f"{n:,}", f"{len(points):,}", name, *figures]


def main(sizes: tuple[int, ...]) -> None:
    """Print a row for each kind, algorithm and size."""
    kinds = [*KINDS, *(["Adult"] if (ADULT / "adult.csv").is_file() else [])]
    tasks = [
        (kind, name, n) for kind in kinds for name in ("cellular", "r-cellular", "r-cellular-outliers") for n in sizes
    ]
    with get_context("spawn").Pool(1, maxtasksperchild=1) as pool:
        rows = list(pool.imap(measured, tasks, chunksize=1))
    header = ["points", "records", "distinct", "algorithm", "wall s", "CPU s", "peak MB", "clusters", "cost / bound"]
    print_table(f"Cellular clustering, r = 10, 2% outliers ({machine()})", header, rows)


if __name__ == "__main__":
    main(tuple(int(text) for text in sys.argv[1:]) or SIZES)
