"""Parallel: work that two cores share; compiled loops release the interpreter's lock."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

THREADS = 2


def side_by_side(n: int, work: Callable[[int, int], object]) -> None:
    """Call `work` with the bounds of equal parts of `n`, one for each core, at the same time."""
    ends = [n * i // THREADS for i in range(THREADS + 1)]
    with ThreadPoolExecutor(THREADS) as pool:
        for done in [pool.submit(work, ends[i], ends[i + 1]) for i in range(THREADS)]:
            done.result()
