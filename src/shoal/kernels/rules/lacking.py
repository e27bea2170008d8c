"""Lacking: how far a class is from its promises."""

from shoal.kernels import inner_kernel
from shoal.kernels.rules.filling import Assignment, assign
from shoal.kernels.sufficient_tests import SufficientTests, lack

HAIR = 1e-9  # a smaller change does not count


@inner_kernel
def class_lack(assignment: Assignment, sufficient_tests: SufficientTests, c: int, least: int) -> float:
    """Return how far a class is from its promises, roughly in records; 0 if it keeps them or is empty.

    O(records x tests).
    """
    size = assignment.sizes[c]
    if size == 0:
        return 0.0
    missing = float(max(least - size, 0))
    counts = sufficient_tests.counts[0]
    for s in range(sufficient_tests.tests.shape[0]):
        column = sufficient_tests.tests[s].column
        i = assignment.heads[c]
        while i >= 0:
            counts[sufficient_tests.codes[assignment.profile[i], column]] += 1
            i = assignment.after[i]
        missing += lack(sufficient_tests.tests[s], sufficient_tests.values, counts, size, sufficient_tests.shares[0])
        i = assignment.heads[c]
        while i >= 0:
            counts[sufficient_tests.codes[assignment.profile[i], column]] = 0
            i = assignment.after[i]
    return missing


@inner_kernel
def lack_after(assignment: Assignment, sufficient_tests: SufficientTests, record: int, c: int, least: int) -> float:
    """Return what a class would lack if a record joined it, or left it if it is in it."""
    old = assignment.label[record]
    assign(assignment, record, -1 if old == c else c)
    found = class_lack(assignment, sufficient_tests, c, least)
    assign(assignment, record, old)
    return found
