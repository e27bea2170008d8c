"""The brute force over sets agrees with that over partitions."""

from random import Random

import pytest

from shoal.models import KAnonymity
from tests.oracles.all_partitions import Partitions
from tests.oracles.checks import close
from tests.oracles.local.random_jobs import random_local
from tests.oracles.plain import Rules
from tests.oracles.subsets import least_loss


@pytest.mark.parametrize("measure", ["stars", "tree", "lm", "ncp", "entropy", "monotone-entropy"])
def test_the_optimum_is_the_same(measure: str) -> None:
    for seed in range(20):
        rng = Random(f"{measure} {seed}")  # noqa: S311  (tables, not secrets)
        table = random_local(rng, rng.randint(2, 7), missing=rng.random() < 0.3)
        k = rng.randint(1, 4)
        found, expected = least_loss(table, k, measure), Partitions(table, Rules((KAnonymity(k=k),))).optimum(measure)
        assert (found is None) == (expected is None)
        assert found is None or expected is None or close(found, expected)
