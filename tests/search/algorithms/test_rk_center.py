"""(k, r)-center: a limited number of clusters of at least r records, within twice the least radius."""

from collections.abc import Callable

import numpy as np
import pytest

from shoal.foundation.errors import InfeasibleError
from shoal.search.algorithms import RGather, RkCenter
from tests.oracles.clusters.metrics import metric_problem
from tests.oracles.clusters.radius_cases import radius_case

SLACK = 1 + 1e-9


def test_random_tables_in_spaces_of_all_kinds(seeds: Callable[[int], range]) -> None:
    for seed in range(1_000, 1_000 + len(seeds(150))):
        case = radius_case(seed)
        solution = RkCenter(clusters=case.clusters).solve(case.problem)
        best, diameter = case.least(limited=True), case.least(limited=True, diameter=True)
        assert solution.groups.sizes.min() >= case.r
        assert solution.groups.n_classes <= case.clusters
        assert solution.bound is not None
        assert solution.bound <= diameter / 2 * SLACK
        assert solution.loss.total <= min(2 * best, diameter, 2 * solution.bound) * SLACK
        assert solution.factor == 2 or solution.loss.total <= best * SLACK


def test_a_limit_that_does_not_bind_changes_nothing(seeds: Callable[[int], range]) -> None:
    for seed in seeds(40):
        case = radius_case(seed)
        free, limited = RGather(effort=0).solve(case.problem), RkCenter(clusters=99, effort=0).solve(case.problem)
        assert (free.loss, free.bound) == (limited.loss, limited.bound)
        assert free.parts.classes.tolist() == limited.parts.classes.tolist()


def test_too_few_records() -> None:
    with pytest.raises(InfeasibleError, match="k-anonymity fails"):
        RkCenter(clusters=2).solve(metric_problem(np.zeros((3, 3)), k=4))
