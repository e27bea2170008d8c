"""The cut that lowers the loss most against looking at every cut."""

from itertools import pairwise
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.kernels.local.gains import choose_gains
from shoal.kernels.local.slices import Slices
from shoal.models import KAnonymity
from shoal.search.local.cuts import Categories, entries_of, terms_of
from tests.oracles.local.losses import Pricing
from tests.oracles.local.random_jobs import random_local
from tests.oracles.local.tables import LocalTable, local_problem
from tests.oracles.mondrian import Members, PlainMondrian
from tests.oracles.plain import Rules

MEASURES = ("lm", "ncp", "stars", "tree", "entropy", "monotone-entropy", "nonuniform-entropy")


class AllCuts:
    """Every cut of the whole table that leaves k records on both sides, with the loss that it leaves."""

    def __init__(self, seed: int, measure: str, categories: Categories) -> None:
        rng = Random(seed)  # noqa: S311
        self.table: LocalTable = random_local(rng, rng.randint(2, 16), missing=rng.random() < 0.3)
        rules = Rules((KAnonymity(k=rng.randint(1, 3)),))
        self.problem = local_problem(self.table, rules, measure)
        self.plain = PlainMondrian(self.table, rules, self.problem, by_order=True)
        self.along = categories == "hierarchy"
        self.pricing = Pricing(self.table, measure)
        self.whole: Members = dict(enumerate(self.problem.tally.counts.tolist()))

    def loss(self, members: Members) -> float:
        return self.pricing.paid(self.pricing.shown(self.plain.records(members)))

    def sides(self, column: str) -> list[list[Members]]:
        """Return the cuts along a column: up to a value; and a node, or a value of a set, and the rest."""
        groups = self.plain.groups(column, self.whole)
        taken = [sides[0] for _, sides in self.plain.halves(groups)]
        if self.table.form(column) == "sets":
            taken += groups
        elif self.along and self.table.form(column) == "tree":
            for level in range(self.table.height(column) + 1):
                labels = {
                    point: self.table.label(column, self.plain.record(point)[column], level) for point in self.whole
                }
                for label in set(labels.values()):
                    taken.append({point: self.whole[point] for point in self.whole if labels[point] == label})
        rests = [{point: n for point, n in self.whole.items() if point not in mine} for mine in taken]
        pairs = [list(pair) for pair in zip(taken, rests, strict=True)]
        return [pair for pair in pairs if min(sum(side.values()) for side in pair) >= self.problem.k]

    def bests(self) -> list[float]:
        """Return the least loss that a cut along each column leaves, ascending."""
        left = [[sum(map(self.loss, sides)) for sides in self.sides(column)] for column in self.table.quasi]
        return sorted(min(losses) for losses in left if losses)


@settings(max_examples=100)
@given(st.integers(0, 10**6), st.sampled_from(MEASURES), st.sampled_from(["hierarchy", "order"]))
def test_the_best_cut_of_each_column_is_found(seed: int, measure: str, categories: Categories) -> None:
    every = AllCuts(seed, measure, categories)
    terms = terms_of(every.problem, mode="strict", cut="loss", categories=categories)
    tally = every.problem.tally
    slices = Slices(np.array([0]), np.array([tally.n_points]), np.array([tally.n_records]))
    before, bests = every.loss(every.whole), every.bests()
    for skip in range(len(bests) + 1):
        entries = entries_of(tally)
        cuts, left = choose_gains(entries, slices, np.array([skip]), terms)
        if skip == len(bests):
            assert (cuts.ways[0], left[0]) == (0, 0) or any(best > before for best in bests)
            continue
        if cuts.ways[0] == 0:
            assert left[0] == -1
            assert bests[skip] > before
            continue
        sides: list[Members] = [{}, {}]
        for point, target in enumerate(entries.targets[: tally.n_points].tolist()):
            sides[target][point] = every.whole[point]
        assert min(sum(side.values()) for side in sides) >= every.problem.k
        assert sum(map(every.loss, sides)) == pytest.approx(bests[skip])
        assert bests[skip] <= before + 1e-6
    assert all(one <= other for one, other in pairwise(bests))
