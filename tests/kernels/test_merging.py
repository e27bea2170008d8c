"""Which classes to join and which records to leave out, against plain Python."""

from random import Random

import numpy as np
import pytest

from shoal.kernels.merging import best_trims, nearest_classes
from tests.spaces.tallies import forms_by, price, random_tally


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


@pytest.mark.parametrize("seed", range(30))
def test_the_part_whose_suppression_saves_most(seed: int) -> None:
    rng = Random(seed)  # noqa: S311
    tally = random_tally(rng, 40, 3, 5)
    forms = forms_by(tally, "tree")._replace(full=rng.choice([0.5, 1.5, 4.0]))
    order = np.array(rng.sample(range(tally.n_points), tally.n_points))
    codes, counts = tally.codes[order], tally.counts[order]
    cuts = sorted(rng.sample(range(1, len(order)), min(len(order) - 1, 3))) if len(order) > 1 else []
    offsets = np.array([0, *cuts, len(order)])
    openness = np.array([rng.random() < 0.8 for _ in range(len(offsets) - 1)])
    k = rng.randint(1, 4)
    best, gains = best_trims(offsets, counts, codes, openness, k, forms.full, forms.nodes, forms.parent, forms.prices)
    for c in range(len(offsets) - 1):
        own = list(range(offsets[c], offsets[c + 1]))
        size = int(counts[own].sum())
        saved = {}
        for part in own:
            rest = [other for other in own if other != part]
            if openness[c] and rest and size - counts[part] >= k:
                left = size - int(counts[part])
                paid = size * price(forms, codes[own]) - left * price(forms, codes[rest])
                saved[part] = paid / counts[part] - forms.full
        if max(saved.values(), default=0.0) <= 1e-12:
            assert best[c] == -1 or gains[c] < 1e-12
        else:
            assert saved[int(best[c])] == pytest.approx(max(saved.values()))
            assert gains[c] == pytest.approx(max(saved.values()))
