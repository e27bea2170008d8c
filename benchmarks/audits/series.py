"""What it costs to attack a series: persons, releases, and how many of them it tells of.

python -m benchmarks.audits.series [persons] [releases] [levels|anew]
"""

import resource
import sys
import time

import numpy as np
import polars as pl

import shoal

TURNOVER = 0.05  # the share of persons who leave from each release to the next, and of those who come
VALUES = 14  # different sensitive values
PLACES = 20  # persons in a class, about


def tables(n_persons: int, n_releases: int, way: str) -> tuple[list[pl.DataFrame], list[pl.DataFrame]]:
    """Return the releases, and the lists of who is in each: of the same classes each time, or of new ones."""
    rng = np.random.default_rng(1)
    n_ever = int(n_persons * (1 + TURNOVER * n_releases * 2))
    having, place = rng.integers(0, VALUES, n_ever), rng.integers(0, n_persons // PLACES, n_ever)
    there, come = np.arange(n_persons), n_persons
    releases, lists = [], []
    for _ in range(n_releases):
        at = place if way == "levels" else rng.integers(0, n_persons // PLACES, n_ever)
        known = {"place": at[there].astype(str)}
        lists.append(pl.DataFrame({"person": there.astype(str), **known}))
        releases.append(pl.DataFrame({**known, "ill": having[there].astype(str)}))
        stay = rng.random(len(there)) > TURNOVER
        new = int((~stay).sum())
        there, come = np.concatenate([there[stay], np.arange(come, come + new)]), come + new
    return releases, lists


def main(n_persons: int, n_releases: int, way: str) -> None:
    """Attack one series."""
    releases, lists = tables(n_persons, n_releases, way)
    began = time.process_time()
    found = shoal.attack(releases, quasi=["place"], sensitive=["ill"], persons=lists, truth=["person"], l=3, k=5)
    told = found.series["ill"].as_dict()
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(
        f"{n_persons} persons, {n_releases} releases, {way}: {time.process_time() - began:.1f} CPU s, {memory:.1f} GB"
    )
    print(
        ", ".join(
            f"{name} {told[name]}" for name in ("persons", "exact", "certain", "above", "below", "width", "untried")
        )
    )


if __name__ == "__main__":
    asked = sys.argv[1:] + ["1000000", "24", "levels"][len(sys.argv) - 1 :]
    main(int(asked[0]), int(asked[1]), asked[2])
