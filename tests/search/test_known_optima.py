"""The exact algorithms on tables made from hard problems, whose optimum is known without any search."""

import pytest

from shoal.models import PrivacyModel
from shoal.search.algorithms import Exact, TwoFactor3
from tests.oracles.hardness.reductions import (
    Instance,
    as_t_closeness,
    bisection,
    matching,
    planted_edges,
    planted_halves,
    planted_hyperedges,
    three_dimensional,
    three_kinds,
    triangles,
    triangles_and_claws,
)


def matched(n_classes: int, k: int, more: int, *, lonely: bool) -> Instance:
    edges, chosen = planted_hyperedges(3, n_classes, k, more, lonely=lonely)
    return matching(k * n_classes, k, edges, chosen)


def of_three_kinds(promise: PrivacyModel) -> Instance:
    triples, chosen = planted_hyperedges(5, 4, 3, 5, split=True)
    return three_dimensional(4, triples, promise, chosen)


INSTANCES = {
    "triangles": triangles(*planted_edges(1, 5)),
    "no triangles": triangles(*planted_edges(1, 3, cycle=6), 6),
    "triangles and claws": triangles_and_claws(*planted_edges(2, 7, claws=True)),
    "neither": triangles_and_claws(*planted_edges(2, 4, claws=True, cycle=6), 6),
    "3-dimensional matching": matched(5, 3, 6, lonely=False),
    "no 3-dimensional matching": matched(5, 3, 6, lonely=True),
    "4-dimensional matching": matched(4, 4, 4, lonely=False),
    "triangles by closeness": as_t_closeness(triangles(*planted_edges(4, 4))),
    "bisection": bisection(10, planted_halves(1, 5, 4)[0], 4),
    **{f"three kinds by {promise.name}": of_three_kinds(promise) for promise in three_kinds()},
}
known = pytest.mark.parametrize("instance", INSTANCES.values(), ids=INSTANCES)


@known
def test_the_optimum_is_found_and_proven(instance: Instance) -> None:
    solution = Exact().solve(instance.problem)
    assert solution.guarantee == "optimal"
    assert solution.loss.total == instance.optimum
    assert (solution.loss.total <= instance.threshold) == instance.solvable


@pytest.mark.parametrize("name", ["triangles", "no triangles", "triangles and claws", "neither"])
def test_a_factor_is_kept(name: str) -> None:
    instance = INSTANCES[name]
    solution = TwoFactor3().solve(instance.problem)
    assert solution.factor is not None
    assert instance.optimum <= solution.loss.total <= solution.factor * instance.optimum
    assert solution.bound is not None
    assert solution.bound <= instance.optimum
