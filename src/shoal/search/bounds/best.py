"""The best bound that is known: of all columns together, or of blocks of them.

The classes of a release are as large, and have the same sensitive values, whichever columns one looks at. So they are
an allowed release of the records with some columns alone, which costs what they cost there. Where the loss adds up
over cells, the sum of the bounds of blocks of columns, of which no two share a column, is a bound for all columns.
With many columns it is far the better one: charges are held down by the cheapest patterns, and these are stars in
most columns. Where missing values match everything, who is in a class depends on all columns, and nothing is added
up.
"""

from dataclasses import replace
from operator import attrgetter

import numpy as np

from shoal.foundation.progress import Progress, silent
from shoal.kernels.clock import clock
from shoal.kernels.local.closures import Forms
from shoal.measures.measure import CellMeasure
from shoal.search.bounds.bounds import FULL, QUICK, Bound, Effort, lower_bound
from shoal.search.local.forms import forms_of
from shoal.search.local.partition import cell_measure
from shoal.search.problem import Problem

_MANY = 10  # columns, above which blocks give more
_COLUMNS = 6  # of a block: with fewer the bound is lower, with more it takes longer
_FIRST = 0.7  # the share of the time for the better bound; the rest is for that of the witness


def local_bound(
    problem: Problem,
    forms: Forms,
    *,
    effort: Effort = FULL,
    seconds: float | None = None,
    progress: Progress = silent,
) -> Bound:
    """Return the better bound: of all columns together, or of blocks of them.

    With many columns, blocks of them are bounded. The witness is of the bound of all columns together.

    Args:
        problem: The problem; its measure prices single cells.
        forms: What a class may be published as, with the prices of that measure.
        effort: How much work it is worth.
        seconds: After that, the bound that is known by then is returned.
        progress: Called with the share of the work that is done.
    """
    if len(problem.tally.quasi) <= _MANY or problem.wildcard or problem.border is not None:
        return lower_bound(problem, forms, effort=effort, seconds=seconds, progress=progress)
    started = clock()
    blocks = _by_blocks(problem, effort, None if seconds is None else started + _FIRST * seconds, progress)
    left = None if seconds is None else max(started + seconds - clock(), 0.0)
    whole = lower_bound(problem, forms, effort=effort, seconds=left, progress=progress)
    return replace(max(whole, blocks, key=attrgetter("total")), witness=whole.witness)


def _by_blocks(problem: Problem, effort: Effort, deadline: float | None, progress: Progress) -> Bound:
    """Return the sum of the bounds of the blocks."""
    measure, total = cell_measure(problem, "bounds"), 0.0
    blocks = problem.tally.dealt(-(-len(problem.tally.quasi) // _COLUMNS))
    for number, (_, tally) in enumerate(blocks):
        progress("bounding the loss by blocks of columns", number / len(blocks))
        seconds = None if deadline is None else max((deadline - clock()) / (len(blocks) - number), 0.0)
        forms = forms_of(tally.quasi, measure)
        part = replace(problem, tally=tally)
        total += lower_bound(part, forms, effort=effort, seconds=seconds).total
    return Bound(total, "columns")


def best_bound(
    problem: Problem, own: float | None = None, *, effort: Effort = QUICK, deadline: float = np.inf
) -> float | None:
    """Return the best lower bound that costs little compared with the search, or None if nothing is proven.

    For a measure without prices of cells, when the time is up, and if none is wanted, it is what the search has proven
    itself.

    Args:
        problem: The problem.
        own: The bound that the algorithm has proven.
        effort: How much work it is worth.
        deadline: When the search must end, by the clock of searches.
    """
    measure, left = problem.measure, deadline - clock()
    if problem.unbounded or not isinstance(measure, CellMeasure) or left <= 0:
        return own
    forms = forms_of(problem.tally.quasi, measure)
    found = local_bound(problem, forms, effort=effort, seconds=left).total
    return found if own is None else max(found, own)
