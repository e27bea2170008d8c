"""Weights in whole units."""

from math import gcd
from random import Random

import numpy as np
import pytest

from shoal.classes.tally import QuasiColumn
from shoal.kernels.matching.edges import edge_weights
from shoal.measures import Stars
from shoal.search.local.forms import forms_of
from shoal.search.matching.pairs import Pairs
from shoal.tables.hierarchies.hierarchy import Hierarchy
from tests.search.tallies import distances, forms_by, random_tally


@pytest.mark.parametrize("measure", ["stars", "tree", "lm", "entropy"])
def test_units_are_common_to_all_weights(measure: str) -> None:
    for seed in range(10):
        tally = random_tally(Random(seed), 8, 3, 5)  # noqa: S311
        forms = forms_by(tally, measure)
        codes = np.repeat(tally.codes, tally.counts, axis=0)
        pairs = Pairs.of(codes, forms, forms.prices, np.zeros(codes.shape[1], dtype=np.bool_), 0.0)
        assert pairs.n == 8
        edges = np.array([(a, b) for b in range(8) for a in range(b)], dtype=np.int32)
        real = distances(forms, codes)[edges[:, 0], edges[:, 1]]
        units = edge_weights(pairs.weights, edges)
        assert (units * pairs.unit <= real * (1 + 1e-12)).all()
        assert units * pairs.unit == pytest.approx(real, abs=codes.shape[1] * pairs.unit if not pairs.exact else 1e-9)
        assert units.max(initial=0) <= pairs.heaviest
        assert pairs.heaviest * pairs.fine <= 2**44
        assert edge_weights(pairs.finely, edges).tolist() == (units * pairs.fine).tolist()
        assert gcd(*pairs.weights.prices.tolist()) in (0, 1)


def test_a_round_trip_of_binary_columns_is_even() -> None:
    hierarchy = Hierarchy.of_rows([("a", "*"), ("b", "*")], "q")
    column = QuasiColumn("q", hierarchy, np.array([1, 1]))
    forms, codes = forms_of([column, column], Stars()), np.array([[0, 1], [1, 1]], dtype=np.int32)
    yes = np.ones(codes.shape[1], dtype=np.bool_)
    assert Pairs.of(codes, forms, forms.prices, yes, 0.0).round_trip == 2
    assert Pairs.of(codes, forms, forms.prices, ~yes, 0.0).round_trip == 1
    assert Pairs.of(codes, forms, forms.prices, yes, 1.0).round_trip == 1
