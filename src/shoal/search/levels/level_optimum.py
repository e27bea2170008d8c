"""The best release of one level for each column with stars in single cells, proven, of a few records."""

from math import inf

from shoal.foundation.progress import Progress, silent
from shoal.search.exact.kinds import Kinds
from shoal.search.exact.subsets import SubsetSearch
from shoal.search.lattice.diagnosis import infeasible
from shoal.search.lattice.lattice import Lattice
from shoal.search.levels.at_levels import at_levels
from shoal.search.levels.level_bounds import LevelBounds
from shoal.search.levels.level_search import Found
from shoal.search.local.forms import forms_of, offset_of
from shoal.search.local.partition import cell_measure
from shoal.search.problem import Problem

_MOST_PAIRS = 1_000_000_000  # pairs of a subset and a class in it, over all levels: some seconds
_MOST_CHOICES = 400  # choices of levels, each of which takes some milliseconds at least


def level_optimum(problem: Problem, name: str, deadline: float = inf, progress: Progress = silent) -> Found | None:
    """Return the best classes at the best levels; None if there are too many records, or the time is up.

    Every choice of levels is solved by the best partition of all subsets, but those whose nodes, with the least stars,
    cost at least as much as what is known. Whether there is a release does not depend on the levels. Where missing
    values match everything, classes overlap, and nothing is proven in this way; nor of sampling weights, nor of a part
    of a table.

    Args:
        problem: The problem; its measure prices single cells.
        name: The name of the algorithm, for messages.
        deadline: When to stop, by the clock of searches.
        progress: Called with what is done.
    """
    tally, best, left = problem.tally, None, _MOST_PAIRS
    missing = any(column.hierarchy.missing_leaf >= 0 for column in tally.quasi)
    if problem.border is not None or tally.weighted or (problem.wildcard and missing):
        return None
    bounds, offset = LevelBounds(problem, name), offset_of(tally.quasi, cell_measure(problem, name))
    for number, (floor, levels) in enumerate(bounds.ascending()):
        if best is not None and floor >= best.loss:
            break
        if best is not None and bounds.stars(levels) >= best.loss:
            continue
        at = at_levels(problem, levels, name)
        search = SubsetSearch(at, forms_of(at.tally.quasi, cell_measure(at, name)), Kinds.of(at))
        if number >= _MOST_CHOICES or not search.affordable():
            return None
        left -= search.n_pairs()
        found = search.best(deadline) if left >= 0 else None
        if found is None:
            return None
        if found.loss == inf:
            raise infeasible(Lattice(problem), local=True, proven=True)
        if best is None or found.loss + offset < best.loss:
            best = Found(found.loss + offset, levels, found.parts)
        progress(f"solving all subsets at the levels of columns: {number + 1} choices")
    return best
