"""Lightest factors of tiny graphs by brute force, and a lightest [1,2]-factor by one matching."""

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations, permutations

import rustworkx

Matrix = Sequence[Sequence[int]]


def least_factor(weights: Matrix, least: int, omitted: int = 0, limit: int = 0) -> int:
    """Return the least weight of edges, `least` to 2 at each node; up to `limit` nodes may be omitted at a price.

    A lightest [1,2]-factor needs only pairs and pairs of edges that meet; a 2-factor is made of cycles.
    """
    lightest = _tied if least == 1 else _round_trip

    @cache
    def best(rest: tuple[int, ...], left: int) -> float:
        if not rest:
            return 0
        found = float("inf")
        if left:
            found = omitted + best(rest[1:], left - 1)
        for members in _with_first(rest, 2 if least == 1 else 3, 3 if least == 1 else len(rest)):
            others = tuple(one for one in rest if one not in members)
            found = min(found, lightest(weights, members) + best(others, left))
        return found

    return int(best(tuple(range(len(weights))), limit))


def _with_first(rest: tuple[int, ...], least: int, most: int) -> Iterator[tuple[int, ...]]:
    for size in range(least, most + 1):
        for more in combinations(rest[1:], size - 1):
            yield (rest[0], *more)


def _tied(weights: Matrix, members: tuple[int, ...]) -> int:
    edges = sorted(weights[one][other] for one, other in combinations(members, 2))
    return sum(edges[: len(members) - 1])


def _round_trip(weights: Matrix, members: tuple[int, ...]) -> int:
    first, *others = members
    trips = ((first, *order) for order in permutations(others) if order[0] < order[-1])
    return min(sum(weights[one][other] for one, other in zip(trip, (*trip[1:], first), strict=True)) for trip in trips)


def matched_factor(weights: Matrix) -> int:
    """Return the least weight of a [1,2]-factor, by a matching of two copies of each node, the second one optional.

    A first copy that is matched is worth more than all weights together. No edge joins two second copies. An edge
    that is taken twice is never needed.
    """
    n = len(weights)
    worth = 2 * n * (max(map(max, weights)) + 1)
    graph = rustworkx.PyGraph(multigraph=False)
    graph.add_nodes_from(list(range(2 * n)))
    for one, other in combinations(range(n), 2):
        weight = weights[one][other]
        graph.add_edge(one, other, 2 * worth - weight)
        graph.add_edge(one, n + other, worth - weight)
        graph.add_edge(n + one, other, worth - weight)
    matching = rustworkx.max_weight_matching(graph, max_cardinality=False, weight_fn=int)
    edges = {tuple(sorted((one % n, other % n))) for one, other in matching}
    assert {node for edge in edges for node in edge} == set(range(n))
    return sum(weights[one][other] for one, other in edges)
