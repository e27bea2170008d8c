"""Each kernel of leftovers against its twin in plain Python."""

from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from shoal.kernels.local.closures import RANGES, TREE, Forms, range_price, set_price
from shoal.kernels.local.leftovers import joined_prices, least_pair_prices
from shoal.measures import CellMeasure
from shoal.models import KAnonymity
from shoal.search.local.forms import forms_of
from tests.oracles.local.random_jobs import random_local
from tests.oracles.local.tables import local_problem
from tests.oracles.plain import Rules

MONOTONE = ("lm", "ncp", "stars", "tree", "monotone-entropy", "nonuniform-entropy")
SEEDS = st.integers(0, 10**6)
quick = settings(deadline=None, max_examples=60)


def random_forms(seed: int, measure: str) -> tuple[Forms, NDArray[np.int32]]:
    """Return the forms of a small random table, and its leaf codes."""
    rng = Random(seed)  # noqa: S311
    table = random_local(rng, rng.randint(1, 8), missing=rng.random() < 0.5)
    problem = local_problem(table, Rules((KAnonymity(k=1),)), measure)
    assert isinstance(problem.measure, CellMeasure)
    return forms_of(problem.tally.quasi, problem.measure), problem.tally.codes


def path(forms: Forms, column: int, node: int) -> list[int]:
    """Return a node and all above it."""
    found = [node]
    while (above := int(forms.parent[forms.nodes[column] + found[-1]])) != found[-1]:
        found.append(above)
    return found


def covering_price(forms: Forms, column: int, leaves: set[int]) -> float:
    """Return the price of the least that covers some leaves."""
    start = int(forms.nodes[column])
    if forms.kinds[column] == TREE:
        node = min(set.intersection(*(set(path(forms, column, leaf)) for leaf in leaves)))
        return float(forms.prices[start + node])
    if forms.kinds[column] == RANGES:
        return range_price(forms, column, min(leaves), max(leaves))
    first, second = (float(sum(forms.adds[row, start + leaf] for leaf in leaves)) for row in (0, 1))
    return set_price(forms, column, len(leaves), first, second, max(leaves))


def seen_leaves(forms: Forms, codes: NDArray[np.int32], column: int) -> NDArray[np.bool_]:
    """Return which leaves of a column occur; the nodes of a tree are more than its leaves."""
    seen = np.zeros(int(codes[:, column].max()) + 1, dtype=np.bool_)
    seen[codes[:, column]] = True
    return seen


@given(SEEDS, st.sampled_from(MONOTONE))
@quick
def test_the_least_price_beside_another_leaf(seed: int, measure: str) -> None:
    forms, codes = random_forms(seed, measure)
    for column in range(codes.shape[1]):
        seen = seen_leaves(forms, codes, column)
        least = least_pair_prices(forms, column, seen)
        leaves = np.flatnonzero(seen).tolist()
        for leaf in leaves:
            pairs = [covering_price(forms, column, {leaf, other}) for other in leaves if other != leaf]
            assert least[leaf] == pytest.approx(min(pairs, default=np.inf))


@given(SEEDS, st.sampled_from((*MONOTONE, "entropy")))
@quick
def test_the_price_beside_given_leaves(seed: int, measure: str) -> None:
    forms, codes = random_forms(seed, measure)
    for column in range(codes.shape[1]):
        members = seen_leaves(forms, codes[: 1 + len(codes) // 2], column)
        prices = joined_prices(forms, column, members)
        chosen = set(np.flatnonzero(members).tolist())
        expected = [covering_price(forms, column, {*chosen, leaf}) for leaf in range(len(members))]
        assert prices == pytest.approx(expected)
