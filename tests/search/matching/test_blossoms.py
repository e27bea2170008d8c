"""Cuts: every factor keeps them, and what breaks one is found."""

from collections.abc import Callable
from functools import cache
from itertools import combinations, product
from random import Random

import numpy as np
import pytest
from numpy.typing import NDArray

from shoal.search.matching.blossoms import Cut, Fractions, broken

N = 6
EDGES = np.array(list(combinations(range(N), 2)), dtype=np.int32)


@cache
def factors(least: int) -> list[tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]]:
    """Return edges, spare edges and omitted records of all factors of six records, up to two of them omitted."""
    found = []
    for chosen in product((0, 1), repeat=len(EDGES)):
        edges = np.array(chosen)
        ends = np.bincount(EDGES[edges > 0].ravel(), minlength=N)
        omitted = ends < least
        if ends.max() <= 2 and not ends[omitted].any() and omitted.sum() <= 2:
            spare = (ends == 1).astype(float)
            found.append((edges.astype(float), spare[: N if least == 1 else 0], omitted.astype(float)))
    return found


def held(
    cut: Cut, edges: NDArray[np.float64], spare: NDArray[np.float64], omitted: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return what one or many factors have of what a cut counts."""
    counted = np.asarray(cut.inside[EDGES].all(axis=1))
    counted[cut.teeth] = True
    return edges[..., counted].sum(-1) + spare[..., cut.spares].sum(-1) + omitted[..., cut.inside].sum(-1)


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("least", [1, 2])
def test_what_is_found_is_broken_and_no_factor_breaks_it(
    least: int, exact: bool, seeds: Callable[[int], range]
) -> None:
    """Halves in two triangles, which are joined somehow."""
    n_cuts = 0
    edges, spare, omitted = (np.array(part) for part in zip(*factors(least), strict=True))
    for seed in seeds(60):
        rng = Random(seed)  # noqa: S311
        solution = mixed(rng, least)
        fractions = Fractions.of(EDGES, *solution)
        for cut in broken(fractions, exact=exact):
            n_cuts += 1
            assert (len(cut.teeth) + len(cut.spares)) % 2 == 1
            assert held(cut, *solution) > cut.side
            assert held(cut, edges, spare, omitted).max() <= cut.side
    assert n_cuts > 10 * len(seeds(60)) / 60


def mixed(rng: Random, least: int) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return two triangles of halves; a record of each are or have spare edges, or are half omitted."""
    order = rng.sample(range(N), N)
    edges = np.zeros(len(EDGES))
    place = {tuple(edge): number for number, edge in enumerate(EDGES.tolist())}

    def put(one: int, other: int, value: float) -> None:
        edges[place[min(one, other), max(one, other)]] += value

    a, b, c, d, e, f = order
    for one, other in ((a, b), (b, c), (a, c), (d, e), (e, f), (d, f)):
        put(one, other, 0.5)
    spare, omitted = np.zeros(N if least == 1 else 0), np.zeros(N)
    for one, other in ((a, d), (b, e), (c, f)):
        if least == 1 and rng.random() < 0.5:
            spare[[one, other]] = 1.0
        elif rng.random() < 0.2:
            omitted[[one, other]] = 0.5
        else:
            put(one, other, 1.0)
    return edges, spare, omitted


def test_whole_values_break_nothing() -> None:
    for least in (1, 2):
        for factor in factors(least)[::40]:
            fractions = Fractions.of(EDGES, *factor)
            assert fractions.whole
            assert len(fractions.chosen) == factor[0].sum()
            assert broken(fractions, exact=True) == []
