"""Simplex matching against brute force over pairs and triples, and what its charges prove on the way."""

from collections.abc import Callable
from functools import cache
from itertools import combinations
from random import Random

import numpy as np
import pytest
from numpy.typing import NDArray

from shoal.kernels.clock import clock
from shoal.measures import MEASURES
from shoal.measures.measure import CellMeasure
from shoal.search.local.forms import forms_of
from shoal.search.matching.matching_program import MatchingProgram, OddSets, padded
from shoal.search.matching.odd_sets import odd_sets
from shoal.search.matching.simplex_matching import matched
from shoal.search.matching.small_classes import SmallClasses, row_pair_prices, set_prices
from tests.search.searches import random_tally

MEASURE_NAMES = ("stars", "tree", "lm", "ncp", "monotone-entropy", "nonuniform-entropy")


def small_classes(rng: Random, n: int, *, diverse: bool = False) -> SmallClasses | None:
    """Return the classes of some random records, or None if they cannot be split; if `diverse`, few labels."""
    measure = MEASURES[rng.choice(MEASURE_NAMES)]()
    assert isinstance(measure, CellMeasure)
    tally = random_tally(rng, n, size=rng.choice([2, 3, 8]))
    labels = np.array([rng.randrange(3) for _ in range(n)]) if diverse else np.arange(n)
    if np.bincount(labels).max() * 2 > n:
        return None
    point = np.repeat(np.arange(tally.n_points), tally.counts)
    return SmallClasses.of(forms_of(tally.quasi, measure), tally.codes, point, labels)


def start(classes: SmallClasses) -> OddSets:
    """Return any classes of all records: the first that are found, by trying."""

    def split(left: list[int]) -> list[tuple[int, ...]] | None:
        if not left:
            return []
        for size in (1, 2):
            for others in combinations(left[1:], size):
                members = (left[0], *others)
                if len(set(classes.labels[list(members)].tolist())) == len(members):
                    rest = split([record for record in left if record not in members])
                    if rest is not None:
                        return [members, *rest]
        return None

    found = split(list(range(len(classes.point))))
    assert found is not None
    return np.array([[*one, *[-1] * (3 - len(one))] for one in found], dtype=np.int64)


def least(classes: SmallClasses, limit: int) -> int:
    """Return the least cost by brute force: the first record is suppressed, or with one or two of the others."""
    labels = classes.labels.tolist()

    @cache
    def best(left: frozenset[int], may: int) -> float:
        if not left:
            return 0
        first = min(left)
        rest = left - {first}
        costs = [classes.suppressed + best(rest, may - 1)] if may else []
        for size in (1, 2):
            for others in combinations(sorted(rest), size):
                if len({labels[first], *(labels[other] for other in others)}) == size + 1:
                    sets = np.array([[first, *others]])
                    own = classes.pairs[first, others[0]] if size == 1 else classes.triples(sets)[0]
                    costs.append(int(own) + best(rest - set(others), may))
        return min(costs, default=float("inf"))

    return int(best(frozenset(range(len(labels))), limit))


@pytest.mark.parametrize("diverse", [False, True])
def test_the_cheapest_classes_are_found(diverse: bool, seeds: Callable[[int], range]) -> None:
    rng, solved = Random(5), 0  # noqa: S311  (tables, not secrets)
    while solved < len(seeds(150)):
        classes = small_classes(rng, rng.randint(2, 7), diverse=diverse)
        if classes is None:
            continue
        limit = rng.choice([0, 0, 1, 2])
        found = matched(classes, start(classes), limit, clock() + 60)
        optimum, off = least(classes, limit), 0 if classes.grid.exact else 16 * len(classes.point)
        assert found.optimal
        assert abs(found.cost - optimum) <= off
        assert found.bound is not None
        assert found.bound <= optimum
        solved += 1


def test_charges_never_prove_too_much(seeds: Callable[[int], range]) -> None:
    """Whatever the dual values are, what they are lowered to proves at most the least cost."""
    for seed in seeds(80):
        rng = Random(seed)  # noqa: S311
        classes = small_classes(rng, rng.randint(3, 7))
        assert classes is not None
        limit, n = rng.choice([0, 2]), len(classes.point)
        program = MatchingProgram(classes, start(classes), limit)
        program.cut([np.array(sorted(rng.sample(range(n), 3)))])
        n_rows = n + 1 + len(program.inside)
        duals = np.array([rng.uniform(-2, 5) for _ in range(n_rows)])
        charges, bound = program.settled(program.charges(duals))
        assert bound <= least(classes, limit)
        everything = [padded(np.array(list(combinations(range(n), size)))) for size in (2, 3)]
        beyond = np.concatenate([program.beyond(charges, sets) for sets in everything])
        slack = max(int(np.median(beyond)), 0)
        near = program.within(charges, slack)
        assert np.count_nonzero(near[:, 1] >= 0) == np.count_nonzero(beyond <= slack)


def test_a_deadline_leaves_the_start() -> None:
    classes = small_classes(Random(1), 6)  # noqa: S311
    assert classes is not None
    begun = start(classes)
    found = matched(classes, begun, 0, clock() - 1)
    assert found.sets is begun
    assert found.bound is None
    assert not found.optimal


def edges(*pairs: tuple[int, ...]) -> OddSets:
    return np.array([[*pair, *[-1] * (3 - len(pair))] for pair in pairs], dtype=np.int64)


def test_a_triangle_of_halves_is_an_odd_set() -> None:
    sets, values = edges((0, 1), (1, 2), (0, 2), (3, 4)), np.array([0.5, 0.5, 0.5, 1.0])
    assert [members.tolist() for members in odd_sets(sets, values, 5)] == [[0, 1, 2]]


def test_a_triple_inside_ties_an_odd_set_well_enough() -> None:
    sets = edges((0, 1), (1, 2), (0, 2), (0, 1, 2))
    values = np.array([1 / 3, 1 / 3, 1 / 3, 1 / 3])
    assert [members.tolist() for members in odd_sets(sets, values, 3)] == [[0, 1, 2]]
    assert odd_sets(edges((0, 1, 2)), np.array([1.0]), 3) == []
    even = edges((0, 1), (1, 2), (2, 3), (0, 3))
    assert odd_sets(even, np.full(4, 0.5), 4) == []


@pytest.mark.parametrize("measure", MEASURE_NAMES)
def test_prices_of_pairs_and_triples(measure: str) -> None:
    """Prices of pairs come from tables, those of sets from closures."""
    for seed in range(5):
        tally = random_tally(Random(seed), 9)  # noqa: S311
        own = MEASURES[measure]()
        assert isinstance(own, CellMeasure)
        forms, n = forms_of(tally.quasi, own), tally.n_points
        everyone: NDArray[np.int64] = np.array([[a, b] for a in range(n) for b in range(n)])
        both = set_prices(forms, tally.codes, everyone).reshape(n, n)
        assert np.allclose(row_pair_prices(forms, tally.codes), both)
        threes = np.array([[a, b, b] for a, b in everyone.tolist()])
        assert np.allclose(set_prices(forms, tally.codes, threes), both.ravel())
