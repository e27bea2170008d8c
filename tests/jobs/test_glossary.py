from typing import get_args

from shoal.clusters.objectives import LOWERED, Objective
from shoal.jobs.glossary import meaning


def test_objectives_of_clusters_are_told_too() -> None:
    for name in get_args(Objective):
        assert meaning(name) == LOWERED[name]


def test_of_what_is_not_known_nothing_is_told() -> None:
    assert meaning("nonsense") == ""
