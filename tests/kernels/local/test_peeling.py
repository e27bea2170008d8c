"""The largest part of each group that passes, against all parts of it."""

from collections.abc import Callable
from itertools import product
from random import Random

import numpy as np
import pytest

from shoal.kernels.local.peeling import peel_groups
from shoal.models import (
    AlphaKAnonymity,
    DeltaDisclosure,
    DistinctLDiversity,
    EntropyLDiversity,
    FrequencyLDiversity,
    RecursiveClDiversity,
    TCloseness,
)
from shoal.models.model import PrivacyModel
from tests.search.searches import ILLNESSES, Search, random_tally

LARGEST: list[PrivacyModel] = [
    FrequencyLDiversity(l=2, column="illness"),
    FrequencyLDiversity(l="2.5", column="illness"),  # type: ignore[arg-type]
    AlphaKAnonymity(alpha="0.6", k=3, column="illness"),  # type: ignore[arg-type]
    DistinctLDiversity(l=2, column="illness"),
    EntropyLDiversity(l="1.7", column="illness"),  # type: ignore[arg-type]
    RecursiveClDiversity(c=2, l=2, column="illness"),
]
OTHERS: list[PrivacyModel] = [
    TCloseness(t="0.3", column="illness"),  # type: ignore[arg-type]
    TCloseness(t="0.2", column="illness", distance="ordered"),  # type: ignore[arg-type]
    DeltaDisclosure(delta=1, column="illness"),
]


def shown(search: Search, counts: tuple[int, ...]) -> bool:
    """Return whether a class with so many records of each illness passes, by peeling it: then it is left whole."""
    profiles = np.repeat(np.arange(len(ILLNESSES)), counts).astype(np.int32)
    label = np.full(len(profiles), -1, dtype=np.int64)
    order = np.arange(len(profiles))
    peel_groups(order, np.zeros_like(order), profiles, search.sufficient_tests, 1, label, 0)
    return bool((label == 0).all())


@pytest.mark.parametrize("model", LARGEST + OTHERS, ids=str)
def test_the_largest_part_of_each_group(model: PrivacyModel, seeds: Callable[[int], range]) -> None:
    for seed in seeds(24):
        rng = Random(seed)  # noqa: S311  (tables, not secrets)
        least = rng.randint(1, 4)
        search = Search.of(random_tally(rng, 40), "ncp", least, model)
        groups = [tuple(rng.choice([0, 1, 1, 2, 5]) for _ in ILLNESSES) for _ in range(4)]
        keys = np.repeat(np.arange(4), [sum(counts) for counts in groups])
        profiles = np.concatenate([np.repeat(np.arange(4), counts) for counts in groups]).astype(np.int32)
        place = np.array(rng.sample(range(len(keys)), len(keys)))  # the order of records is another
        own = np.empty_like(profiles)
        own[place] = profiles
        label = np.full(len(keys), -1, dtype=np.int64)
        n_classes = peel_groups(place, keys, own, search.sufficient_tests, least, label, 7)
        assert sorted(set(label[label >= 0])) == list(range(7, n_classes))
        for group, counts in enumerate(groups):
            inside = label[place[keys == group]]
            taken = np.bincount(profiles[keys == group][inside >= 0], minlength=4)
            assert len(set(inside[inside >= 0])) <= 1
            if taken.sum() > 0:
                assert taken.sum() >= least
                assert shown(search, tuple(taken.tolist()))
            if model in LARGEST:
                parts = product(*(range(count + 1) for count in counts))
                best = max(sum(part) for part in parts if sum(part) == 0 or shown(search, part))
                assert taken.sum() == (best if best >= least else 0)


def test_a_large_group_is_thinned_out_in_large_steps() -> None:
    search = Search.of(random_tally(Random(2), 400), "ncp", 2, EntropyLDiversity(l=2, column="illness"))  # noqa: S311
    profiles = np.repeat(np.arange(2), [100_000, 30_000]).astype(np.int32)
    order = np.arange(len(profiles))
    label = np.full(len(profiles), -1, dtype=np.int64)
    assert peel_groups(order, np.zeros_like(order), profiles, search.sufficient_tests, 2, label, 0) in (0, 1)
    taken = np.bincount(profiles[label == 0], minlength=2)
    assert taken[0] == taken[1] > 20_000  # not the 30,000 that are possible
