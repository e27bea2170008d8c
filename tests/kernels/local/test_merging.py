"""Which classes to join, against plain Python."""

from random import Random

import numpy as np
import pytest

from shoal.kernels.local.merging import nearest_classes
from tests.search.tallies import forms_by, price, random_tally


@pytest.mark.parametrize("seed", range(20))
def test_the_classes_that_cost_least_to_join(seed: int) -> None:
    rng = Random(seed)  # noqa: S311  (tables, not secrets)
    tally = random_tally(rng, 20, 3, 5)
    forms = forms_by(tally, "lm")
    n = tally.n_points
    sizes, most = tally.counts, rng.randint(1, 4)
    asking = np.arange(n)
    trees = (forms.nodes, forms.parent, forms.prices)
    others, costs = nearest_classes(asking, tally.codes, sizes, n, most, *trees)
    for own in range(n):
        joint = []
        for other in range(n):
            if other != own:
                paid = (sizes[own] + sizes[other]) * price(forms, tally.codes[[own, other]])
                paid -= sizes[own] * price(forms, tally.codes[[own]])
                joint.append(paid - sizes[other] * price(forms, tally.codes[[other]]))
        assert costs[own, : n - 1].tolist() == pytest.approx(sorted(joint)[:most])
        assert (others[own] >= 0).sum() == min(most, n - 1)
        assert own not in others[own]


def test_a_class_looks_only_around_itself() -> None:
    tallies = (random_tally(Random(seed), 40, 4, 9) for seed in range(20))  # noqa: S311
    tally = next(tally for tally in tallies if tally.n_points > 20)
    forms = forms_by(tally, "lm")
    others, _ = nearest_classes(
        np.array([0, 9, tally.n_points - 1]), tally.codes, tally.counts, 5, 9, forms.nodes, forms.parent, forms.prices
    )
    assert [sorted(row[row >= 0].tolist()) for row in others] == [
        [1, 2, 3, 4],
        [7, 8, 10, 11],
        list(range(tally.n_points - 5, tally.n_points - 1)),
    ]
