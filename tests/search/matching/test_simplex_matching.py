"""Simplex matching against brute force over pairs and triples, and what its charges prove on the way."""

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from itertools import combinations
from random import Random

import numpy as np
import pytest
from numpy.typing import NDArray

from shoal.kernels.clock import clock
from shoal.measures import MEASURES, Stars
from shoal.measures.measure import CellMeasure
from shoal.models import KAnonymity
from shoal.search.local.forms import forms_of
from shoal.search.matching.matching_program import MatchingProgram, OddSets, padded
from shoal.search.matching.odd_sets import odd_sets
from shoal.search.matching.simplex_matching import matched
from shoal.search.matching.small_classes import SmallClasses, row_pair_prices, set_prices
from tests.oracles.local.tables import LocalTable, local_problem
from tests.oracles.plain import Rules
from tests.search.searches import random_tally

MEASURE_NAMES = ("stars", "tree", "lm", "ncp", "monotone-entropy", "nonuniform-entropy")


def small_classes(rng: Random, n: int, *, diverse: bool = False) -> SmallClasses | None:
    """Return the classes of some random records, or None if they cannot be split; if `diverse`, few labels."""
    measure = MEASURES[rng.choice(MEASURE_NAMES)]()
    assert isinstance(measure, CellMeasure)
    tally = random_tally(rng, n, size=rng.choice([1, 2, 3, 8]))
    labels = [rng.randrange(3) if diverse else 0 for _ in range(n)]
    if diverse and max(Counter(labels).values()) * 2 > n:
        return None
    records = zip(np.repeat(np.arange(tally.n_points), tally.counts).tolist(), labels, strict=True)
    kinds = sorted(Counter(records).items())
    point, label = np.array([kind for kind, _ in kinds], dtype=np.int64).T
    copies = np.array([count for _, count in kinds], dtype=np.int64)
    return SmallClasses.of(forms_of(tally.quasi, measure), tally.codes, point, copies, label if diverse else None)


def kinds_of(classes: SmallClasses) -> list[int]:
    """Return the kind of each record."""
    return np.repeat(np.arange(len(classes.copies)), classes.copies).tolist()


def allowed(classes: SmallClasses, kinds: tuple[int, ...]) -> bool:
    """Return whether records of these kinds may be a class of two or three."""
    return all(classes.pairs[one, other] < classes.apart for one, other in combinations(kinds, 2))


def start(classes: SmallClasses) -> OddSets:
    """Return any classes of all records: the first that are found, by trying."""

    def split(left: tuple[int, ...]) -> list[tuple[int, ...]] | None:
        if not left:
            return []
        for size in (2, 3):
            for others in combinations(range(1, len(left)), size - 1):
                members = (left[0], *(left[other] for other in others))
                if allowed(classes, members):
                    rest = split(tuple(left[place] for place in range(1, len(left)) if place not in others))
                    if rest is not None:
                        return [members, *rest]
        return None

    found = split(tuple(kinds_of(classes)))
    assert found is not None
    return np.array([[*one, *[-1] * (3 - len(one))] for one in found], dtype=np.int64)


def least(classes: SmallClasses, limit: int) -> int:
    """Return the least cost by brute force: the first record is suppressed, or with one or two of the others."""

    @cache
    def best(left: tuple[int, ...], may: int) -> float:
        if not left:
            return 0
        costs = [classes.suppressed + best(left[1:], may - 1)] if may else []
        for size in (1, 2):
            for others in combinations(range(1, len(left)), size):
                kinds = (left[0], *(left[other] for other in others))
                if allowed(classes, kinds):
                    own = classes.pairs[kinds] if size == 1 else classes.triples(np.array([kinds]))[0]
                    rest = tuple(left[place] for place in range(1, len(left)) if place not in others)
                    costs.append(int(own) + best(rest, may))
        return min(costs, default=float("inf"))

    return int(best(tuple(kinds_of(classes)), limit))


@pytest.mark.parametrize("diverse", [False, True])
def test_the_cheapest_classes_are_found(diverse: bool, seeds: Callable[[int], range]) -> None:
    rng, solved = Random(5), 0  # noqa: S311  (tables, not secrets)
    while solved < len(seeds(150)):
        classes = small_classes(rng, rng.randint(2, 8), diverse=diverse)
        if classes is None:
            continue
        limit = rng.choice([0, 0, 1, 2])
        found = matched(classes, start(classes), limit, clock() + 60)
        optimum, off = least(classes, limit), 0 if classes.grid.exact else 16 * classes.n_records
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
        limit, n = rng.choice([0, 2]), len(classes.copies)
        program = MatchingProgram(classes, start(classes), limit)
        odd = [np.array(one) for one in chosen_kinds(n) if classes.copies[list(one)].sum() % 2]
        program.cut([rng.choice(odd)] if odd else [])
        n_rows = n + 1 + len(program.inside)
        duals = np.array([rng.uniform(-2, 5) for _ in range(n_rows)])
        charges, bound = program.settled(program.charges(duals))
        assert bound <= least(classes, limit)
        records = kinds_of(classes)
        everything = [sorted({one for one in combinations(records, size) if allowed(classes, one)}) for size in (2, 3)]
        beyond = np.concatenate([program.beyond(charges, padded(np.array(sets))) for sets in everything if sets])
        slack = max(int(np.median(beyond)), 0)
        near = program.within(charges, slack, 10_000)
        assert near is not None
        assert np.count_nonzero(near[:, 1] >= 0) == np.count_nonzero(beyond <= slack)


def chosen_kinds(n: int) -> list[tuple[int, ...]]:
    """Return all sets of up to three of `n` kinds."""
    return [one for size in (1, 2, 3) for one in combinations(range(n), size)]


def test_many_copies_are_few_kinds() -> None:
    """Three kinds of 1,001 records each, any two of which cost one star: one class of three, one of each kind."""
    letters = {letter: (letter, "*") for letter in "abc"}
    table = LocalTable([{"q": letter} for letter in "abc"], {"q": letters})
    tally = local_problem(table, Rules((KAnonymity(k=1),)), "stars", Fraction(0)).tally
    copies, kinds = np.full(3, 1_001), np.arange(3)
    classes = SmallClasses.of(forms_of(tally.quasi, Stars()), tally.codes, kinds, copies, kinds)
    begun = np.repeat([[0, 1, 2]], 1_001, axis=0)
    found = matched(classes, begun, 0, clock() + 60)
    assert found.optimal
    assert found.cost * classes.unit == 3_003
    alike = SmallClasses.of(forms_of(tally.quasi, Stars()), tally.codes, kinds, copies)
    found = matched(alike, begun, 0, clock() + 60)
    assert found.optimal
    assert found.cost == 0
    assert found.bound == 0


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
    assert [members.tolist() for members in odd_sets(sets, values, np.ones(5, dtype=np.int64))] == [[0, 1, 2]]


def test_an_odd_set_counts_the_copies_of_its_kinds() -> None:
    """Two and a half pairs of the kinds 0 and 1 of five records, half a pair from each to the kind 2 of one record."""
    sets, values = edges((0, 1), (0, 2), (1, 2)), np.array([2.5, 0.5, 0.5])
    assert [members.tolist() for members in odd_sets(sets, values, np.array([3, 3, 1]))] == [[0, 1, 2]]
    assert odd_sets(edges((0, 1), (2, 3)), np.array([2.0, 1.0]), np.array([2, 2, 1, 1])) == []


def test_a_triple_inside_ties_an_odd_set_well_enough() -> None:
    sets = edges((0, 1), (1, 2), (0, 2), (0, 1, 2))
    values = np.array([1 / 3, 1 / 3, 1 / 3, 1 / 3])
    assert [members.tolist() for members in odd_sets(sets, values, np.ones(3, dtype=np.int64))] == [[0, 1, 2]]
    assert odd_sets(edges((0, 1, 2)), np.array([1.0]), np.ones(3, dtype=np.int64)) == []
    even = edges((0, 1), (1, 2), (2, 3), (0, 3))
    assert odd_sets(even, np.full(4, 0.5), np.ones(4, dtype=np.int64)) == []


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
