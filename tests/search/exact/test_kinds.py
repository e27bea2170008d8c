"""Kinds of records: what is alike in all that counts."""

from collections import Counter
from random import Random

import numpy as np
import pytest

from shoal.models import DistinctLDiversity, FrequencyLDiversity, KAnonymity
from shoal.models.model import PrivacyModel, holding
from shoal.search.exact.kinds import Kinds, least_size
from shoal.search.problem import Problem
from tests.oracles.local.random_jobs import random_local
from tests.oracles.local.tables import LocalTable, local_problem
from tests.oracles.plain import Rules

ILLNESS = DistinctLDiversity(l=2, column="illness")


def problem_of(seed: int, *models: PrivacyModel, n: int = 9) -> tuple[LocalTable, Problem]:
    table = random_local(Random(seed), n)  # noqa: S311  (tables, not secrets)
    return table, local_problem(table, Rules(models), "stars")


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize(
    ("models", "seen"),
    [
        ((KAnonymity(k=2),), ()),
        ((ILLNESS,), ("illness",)),
        ((DistinctLDiversity(l=1, column="illness", others="known"),), ("illness", "wage")),
    ],
    ids=["k", "illness", "both"],
)
def test_records_of_a_kind_agree_in_what_counts(
    seed: int, models: tuple[PrivacyModel, ...], seen: tuple[str, ...]
) -> None:
    table, problem = problem_of(seed, *models)
    kinds = Kinds.of(problem)
    alike = Counter(tuple(record[name] for name in (*table.quasi, *seen)) for record in table.records)
    assert sorted(kinds.counts.tolist()) == sorted(alike.values())
    assert kinds.n_records == len(table.records)
    assert kinds.n_profiles == len({key[len(table.quasi) :] for key in alike})
    assert np.array_equal(kinds.kind_of[kinds.points], np.arange(len(kinds)))
    assert np.array_equal(problem.tally.codes[kinds.points], kinds.codes)


@pytest.mark.parametrize("seed", range(20))
def test_parts_hold_as_many_records_of_each_kind_as_asked(seed: int) -> None:
    rng = Random(seed)  # noqa: S311
    _, problem = problem_of(seed, ILLNESS)
    kinds = Kinds.of(problem)
    entries = [(kind, label, 1) for kind, count in enumerate(kinds.counts) for label in range(rng.randint(0, count))]
    parts = kinds.parts(*(np.array([entry[i] for entry in entries], dtype=np.int64) for i in range(3)))
    assert np.array_equal(np.bincount(parts.points, weights=parts.counts), problem.tally.counts)
    found = Counter[tuple[int, int]]()
    for point, label, count in zip(parts.points, parts.classes, parts.counts, strict=True):
        if label >= 0:
            found[int(kinds.kind_of[point]), int(label)] += int(count)
    assert found == {(kind, label): 1 for kind, label, _ in entries}


@pytest.mark.parametrize("seed", range(20))
def test_no_class_below_the_least_size_passes(seed: int) -> None:
    models = (FrequencyLDiversity(l=2, column="illness"), DistinctLDiversity(l=1, column="wage"))
    _, problem = problem_of(seed, *models)
    kinds = Kinds.of(problem)
    size = least_size(problem, kinds)
    assert size >= problem.k
    totals = np.bincount(kinds.profiles, weights=kinds.counts).astype(np.int64)
    every = np.array([row for row in np.ndindex(*(totals + 1)) if sum(row) > 0])
    passing = holding(models, kinds.classes(every))
    least = every[passing].sum(axis=1).min(initial=kinds.n_records)
    assert size == max(least, problem.k)
