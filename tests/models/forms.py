"""Whether classes satisfy what a model gives to searches: a sufficient test, or the rows of a linear program."""

from collections.abc import Sequence
from itertools import product

import numpy as np

from shoal.kernels.local.classes import RECORD
from shoal.kernels.sufficient_tests import TEST, VALUE, SufficientTests, passes_tests
from shoal.models.linear import Linear
from shoal.models.sufficient_test import SufficientTest
from shoal.search.solver import MatrixEntries, Program

Counts = Sequence[int]

_HAIR = 1e-7


def passing(test: SufficientTest, classes: Sequence[Counts]) -> list[bool]:
    """Put classes, each by the counts of the values, to a sufficient test; each record has a profile of its value."""
    n_values = len(classes[0])
    size = max(n_values, len(test.caps), len(test.parents))
    tests = np.array([(test.kind, 0, 0, size, test.least, test.scale, test.limit)], dtype=TEST)
    known = np.zeros(size, dtype=VALUE)
    for name, own in (
        ("cap", test.caps),
        ("floor", test.floors),
        ("parent", test.parents),
        ("edge", test.edges),
        ("reference", test.references),
    ):
        known[name][: len(own)] = own
    codes = np.arange(n_values, dtype=np.int32)[:, None]
    everything = SufficientTests(tests, known, codes, np.zeros((1, size), dtype=np.int64), np.zeros((1, size)))
    found = []
    for counts in classes:
        records = np.zeros(sum(counts), dtype=RECORD)
        records["profile"] = np.repeat(np.arange(n_values), counts)
        found.append(bool(passes_tests(everything, records, np.arange(len(records)), 0, len(records), 0)))
    return found


def satisfying(linear: Linear, classes: Sequence[Counts]) -> list[bool]:
    """Tell for which classes, each by the counts of the values, there are amounts with which all rows hold."""
    lacking = np.array(classes) @ linear.values.T + linear.opened
    n_rows, n_amounts = linear.amounts.shape
    if n_amounts == 0:
        return [bool((lack <= _HAIR).all()) for lack in lacking]
    if linear.either:
        amounts = np.array(list(product((0, 1), repeat=n_amounts))) @ linear.amounts.T
        return [bool((lack + amounts <= _HAIR).all(axis=1).any()) for lack in lacking]
    return [lack <= _HAIR for lack in _least_lack(linear.amounts, lacking.reshape(len(classes), n_rows))]


def _least_lack(amounts: np.ndarray, lacking: np.ndarray) -> list[float]:
    """Return by how much some row is broken in each class, at least: one program with a part for each class."""
    (n_classes, n_rows), n_amounts = lacking.shape, amounts.shape[1]
    table = np.vstack([amounts.T, np.full(n_rows, -1.0)])  # one more amount, which is taken from every row
    starts = np.arange(n_classes * (n_amounts + 1)) * n_rows
    rows = np.tile(np.arange(n_rows), (n_classes, n_amounts + 1, 1)) + np.arange(n_classes)[:, None, None] * n_rows
    program = Program()
    program.add_rows(np.full(lacking.size, -np.inf), -lacking.reshape(-1))
    costs = np.tile(np.append(np.zeros(n_amounts), 1.0), n_classes)
    entries = MatrixEntries(starts, rows.reshape(-1), np.tile(table.reshape(-1), n_classes))
    program.add_columns(costs, np.zeros(len(costs)), np.full(len(costs), np.inf), entries)
    found = program.solve()
    assert found.status == "optimal"
    least: list[float] = found.values[n_amounts :: n_amounts + 1].tolist()
    return least
