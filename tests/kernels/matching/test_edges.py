"""The kernels of the complete graph against plain loops over all pairs."""

from itertools import combinations
from random import Random

import numpy as np
import pytest

from shoal.kernels.matching.edges import Duals, EdgeWeights, edge_weights, edges_within, least_edges, reduce_row, weigh
from tests.search.tallies import distances, forms_by, random_tally

ALL = np.iinfo(np.int64).max


def weights_of(seed: int, n: int) -> tuple[EdgeWeights, list[list[int]]]:
    """Return random records with whole prices, and the weights of all pairs from the definition."""
    rng = Random(seed)  # noqa: S311
    tally = random_tally(rng, n, 4, 6)
    forms = forms_by(tally, "absolute-distance")
    forms = forms._replace(prices=np.rint(2 * forms.prices))
    codes = np.repeat(tally.codes, tally.counts, axis=0)
    places = np.ascontiguousarray((codes + forms.nodes[:-1]).T.astype(np.int32))
    matrix = distances(forms, codes).astype(int).tolist()
    return EdgeWeights(places, forms.nodes, forms.parent, forms.prices.astype(np.int64)), matrix


def duals_of(seed: int, n: int) -> tuple[Duals, list[list[int]]]:
    """Return random duals, and what they take off each pair."""
    rng = Random(seed)  # noqa: S311
    charges = [rng.randint(-2, 3) for _ in range(n)]
    sets = [rng.sample(range(n), rng.randint(1, n)) for _ in range(rng.randint(0, 3))]
    adds = [rng.randint(0, 3) for _ in sets]
    pairs = {pair: rng.randint(1, 3) for pair in combinations(range(n), 2) if rng.random() < 0.1}
    off = [[charges[a] + charges[b] for b in range(n)] for a in range(n)]
    for a, b in combinations(range(n), 2):
        back = sum(add for one, add in zip(sets, adds, strict=True) if a in one and b in one) + pairs.get((a, b), 0)
        off[a][b] = off[b][a] = off[a][b] - back
    own = [[number for number, one in enumerate(sets) if a in one] for a in range(n)]
    tied = [[(b, add) for pair, add in pairs.items() for b in pair if a in pair and b != a] for a in range(n)]
    whole = np.int64
    duals = Duals(
        np.array(charges, dtype=whole),
        np.cumsum([0, *map(len, sets)]),
        np.array([one for some in sets for one in some], dtype=np.int32),
        np.array(adds, dtype=whole),
        np.cumsum([0, *map(len, own)]),
        np.array([one for some in own for one in some], dtype=np.int32),
        np.cumsum([0, *map(len, tied)]),
        np.array([b for some in tied for b, _ in some], dtype=np.int32),
        np.array([add for some in tied for _, add in some], dtype=whole),
    )
    return duals, off


@pytest.mark.parametrize("seed", range(12))
def test_edges_weigh_what_covers_both_ends(seed: int) -> None:
    n = 2 + seed
    weights, matrix = weights_of(seed, n)
    paid, row = np.empty(weights.nodes[-1], dtype=np.int64), np.empty(n, dtype=np.int64)
    for record in range(n):
        weigh(weights, record, paid, row)
        assert row.tolist() == matrix[record]
    edges = np.array(list(combinations(range(n), 2)), dtype=np.int32)
    assert edge_weights(weights, edges).tolist() == [matrix[a][b] for a, b in edges.tolist()]


@pytest.mark.parametrize("seed", range(12))
def test_every_edge_is_looked_at_once(seed: int) -> None:
    n = 2 + seed
    weights, matrix = weights_of(seed, n)
    duals, off = duals_of(seed, n)
    left = {(a, b): matrix[a][b] - off[a][b] for a, b in combinations(range(n), 2)}
    row = np.array(matrix[0], dtype=np.int64)
    reduce_row(duals, 0, row)
    assert row[1:].tolist() == [left[0, b] for b in range(1, n)]

    parts = [least_edges(weights, duals, *ends, n // 2, ALL, n) for ends in ((0, n // 2), (n // 2, n))]
    others, found, negative = (np.concatenate(part) for part in zip(*parts, strict=True))
    seen = [(min(a, b), max(a, b), w) for a in range(n) for b, w in zip(others[a], found[a], strict=True) if b >= 0]
    assert sorted(seen) == sorted((a, b, w) for (a, b), w in left.items())
    assert negative.sum() == sum(min(w, 0) for w in left.values())

    highest = sorted(left.values())[len(left) // 2]
    edges, count = edges_within(weights, duals, n // 2, highest, len(left))
    assert sorted(map(tuple, edges.tolist())) == sorted(pair for pair, w in left.items() if w <= highest)
    assert count == len(edges)
    few, again = edges_within(weights, duals, n // 2, highest, 1)
    assert (len(few), again) == (1, count)


@pytest.mark.parametrize("seed", range(8))
def test_the_least_edges_of_each_record(seed: int) -> None:
    n, most = 9, 3
    weights, matrix = weights_of(seed, n)
    duals, off = duals_of(seed, n)
    _, found, _ = least_edges(weights, duals, 0, n, n - 1, 4, most)
    for a in range(n):
        all_edges = sorted(w for b in range(n) if a != b and (w := matrix[a][b] - off[a][b]) < 4)
        assert found[a].tolist() == [*all_edges, *[4] * most][:most]
