"""Cutting a cycle against all ways to cut it."""

from collections.abc import Iterator
from random import Random

import pytest

from shoal.kernels.matching.cycles import cut_cycle
from tests.search.tallies import forms_by, price, random_tally


def cuttings(n: int, least: int, most: int) -> Iterator[list[int]]:
    """Go through the places of cuts, ascending, with so many records between them, going round."""
    for number in range(2**n):
        cuts = [place for place in range(n) if number >> place & 1]
        sizes = [(after - before) % n or n for before, after in zip(cuts, [*cuts[1:], *cuts[:1]], strict=True)]
        if cuts and all(least <= size <= most for size in sizes):
            yield cuts


@pytest.mark.parametrize("least", [2, 3])
@pytest.mark.parametrize("n", range(2, 11))
def test_no_cutting_costs_less(n: int, least: int) -> None:
    if n < least:
        return
    rng = Random(n)  # noqa: S311
    for _ in range(3):
        tally = random_tally(rng, n, 4, 5)
        forms = forms_by(tally, "tree")
        codes = tally.codes.repeat(tally.counts, axis=0)[rng.sample(range(n), n)]

        def cost(cuts: list[int]) -> float:
            total = 0.0
            for before, after in zip(cuts, [*cuts[1:], cuts[0] + n], strict=True):
                members = [place % n for place in range(before, after)]
                total += len(members) * price(forms, codes[members])  # noqa: B023
            return total

        found = cut_cycle(codes, forms.nodes, forms.parent, forms.prices, least, 2 * least - 1).tolist()
        ways = list(cuttings(n, least, 2 * least - 1))
        assert found in ways
        assert cost(found) == pytest.approx(min(map(cost, ways)))
