"""The promises of a problem as sufficient tests that a compiled search applies to one class at a time."""

import numpy as np

from shoal.foundation.parallel import THREADS
from shoal.kernels.sufficient_tests import TEST, VALUE, SufficientTests
from shoal.models.k_anonymity import KAnonymity
from shoal.models.model import SensitiveModel
from shoal.models.sufficient_test import SufficientTest
from shoal.search.problem import Problem


def sufficient_tests_of(problem: Problem) -> SufficientTests | None:
    """Return the tests of all promises beyond the number of records, or None if one of them has no test."""
    found = []
    for model in problem.models:
        if isinstance(model, KAnonymity):
            continue
        if not isinstance(model, SensitiveModel) or model.others == "known" or model.entity is not None:
            return None
        sufficient_test = _sufficient_test(problem, model)
        if sufficient_test is None:
            return None
        found.append(sufficient_test)
    return _flat(problem, found)


def no_sufficient_tests(problem: Problem) -> SufficientTests:
    """Return an empty set of tests, for a search that goes by the number of records alone."""
    return _flat(problem, [])


def _sufficient_test(problem: Problem, model: SensitiveModel) -> tuple[int, SufficientTest] | None:
    tally = problem.tally
    number = [column.name for column in tally.sensitive].index(model.column)
    column = tally.sensitive[number]
    values = tally.profile_codes[:, number]
    reference = np.bincount(values, weights=tally.totals, minlength=len(column.values)).astype(np.int64)
    sufficient_test = model.sufficient_test(column, reference)
    return None if sufficient_test is None else (number, sufficient_test)


def _flat(problem: Problem, found: list[tuple[int, SufficientTest]]) -> SufficientTests:
    """Return the tests with the values of all of them in one array."""
    tally = problem.tally
    lengths = [
        max(len(tally.sensitive[number].values), len(sufficient_test.caps), len(sufficient_test.parents))
        for number, sufficient_test in found
    ]
    ends = np.cumsum([0, *lengths])
    values = np.zeros(ends[-1], dtype=VALUE)
    tests = np.zeros(len(found), dtype=TEST)
    for test, start, end, (number, sufficient_test) in zip(range(len(found)), ends, ends[1:], found, strict=False):
        tests[test] = (
            sufficient_test.kind,
            number,
            start,
            end,
            sufficient_test.least,
            sufficient_test.scale,
            sufficient_test.limit,
        )
        for name, own in (
            ("cap", sufficient_test.caps),
            ("floor", sufficient_test.floors),
            ("parent", sufficient_test.parents),
            ("edge", sufficient_test.edges),
            ("reference", sufficient_test.references),
        ):
            values[name][start : start + len(own)] = own
    return SufficientTests(
        tests=tests,
        values=values,
        codes=tally.profile_codes,
        counts=np.zeros((THREADS, max(lengths, default=1)), dtype=np.int64),
        shares=np.zeros((THREADS, max(lengths, default=1))),
    )
