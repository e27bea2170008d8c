"""No class that breaks a promise passes its screen, and none that keeps it clearly is refused."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from random import Random

import numpy as np
import pytest
from numpy.typing import NDArray

from shoal.classes.grouping import Grouping
from shoal.classes.tally import Tally
from shoal.kernels.local.classes import RECORD
from shoal.kernels.sufficient_tests import passes_tests
from shoal.measures import Lm
from shoal.models import KAnonymity, TCloseness
from shoal.models.model import PrivacyModel, SensitiveModel
from shoal.search.local.sufficient_tests import sufficient_tests_of
from shoal.search.problem import Problem
from tests.oracles.problems import tally_of
from tests.oracles.random_tables import AS_OTHERS, MODEL_MAKERS, random_table

SCREENED = [name for name in MODEL_MAKERS if name not in ("k-anonymity", "k-map", "delta-presence", *AS_OTHERS)]


def by_record(tally: Tally) -> Tally:
    """Return the tally with a point for each record."""
    points = np.repeat(np.arange(tally.n_points), tally.counts)
    counts = np.ones(len(points), dtype=np.int64)
    return replace(tally, codes=tally.codes[points], profiles=tally.profiles[points], counts=counts)


def groups_of(tally: Tally, members: NDArray[np.int64]) -> Grouping:
    """Return the members as one class and all other records as another."""
    labels = np.ones(tally.n_points, dtype=np.int32)
    labels[members] = 0
    return Grouping.of(tally, labels, 1 + int(labels.any()))


def judged(model: PrivacyModel, tally: Tally, rng: Random) -> list[tuple[bool, bool]]:
    """Return, for random classes, whether the model holds and whether the screen lets them pass."""
    problem = Problem(tally, (KAnonymity(k=1), model), Lm())
    sufficient_tests = sufficient_tests_of(problem)
    assert sufficient_tests is not None
    records = np.zeros(tally.n_points, dtype=RECORD)
    records["profile"] = tally.profiles
    verdicts = []
    for _ in range(20):
        sample = rng.sample(range(tally.n_points), rng.randint(1, tally.n_points))
        members = np.array(sample, dtype=np.int64)
        tested = bool(passes_tests(sufficient_tests, records, members, 0, len(sample), 0)) and len(sample) >= problem.k
        verdicts.append((bool(model.holds(groups_of(tally, members))[0]), tested))
        assert not sufficient_tests.counts.any()
    return verdicts


@pytest.mark.parametrize("name", SCREENED)
def test_what_passes_a_screen_keeps_the_promise(name: str, seeds: Callable[[int], range]) -> None:
    rng = Random(name)  # noqa: S311  (tables, not secrets)
    verdicts: list[tuple[bool, bool]] = []
    while len(verdicts) < len(seeds(2_000)):
        model = MODEL_MAKERS[name](rng)
        if isinstance(model, SensitiveModel) and model.others == "ignored":
            tally = by_record(tally_of(random_table(rng, n_records=rng.randint(2, 30))))
            verdicts += judged(model, tally, rng)
    assert all(held for held, tested in verdicts if tested)
    kept = [tested for held, tested in verdicts if held]
    assert sum(kept) >= 0.9 * len(kept)


def test_exact_limits_pass(seeds: Callable[[int], range]) -> None:
    rng = Random(3)  # noqa: S311
    for name in ("distinct-l-diversity", "frequency-l-diversity", "alpha-k-anonymity", "recursive-cl-diversity"):
        for _ in seeds(60):
            model = MODEL_MAKERS[name](rng)
            if isinstance(model, SensitiveModel) and model.others == "ignored":
                tally = by_record(tally_of(random_table(rng, n_records=12)))
                assert all(held == tested for held, tested in judged(model, tally, rng))


def test_promises_that_only_the_model_itself_can_tell() -> None:
    tally = by_record(tally_of(random_table(Random(1), n_records=9)))  # noqa: S311
    column = tally.sensitive[0].name
    known = TCloseness(t=Fraction(1, 2), column=column, others="known")
    assert sufficient_tests_of(Problem(tally, (known,), Lm())) is None
    assert sufficient_tests_of(Problem(tally, (KAnonymity(k=2),), Lm())) is not None
