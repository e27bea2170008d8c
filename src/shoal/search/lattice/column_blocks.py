"""A bound for tables of many columns: the least losses of some columns at a time, added up.

Let x be an allowed release, and S the records that it suppresses. Take some of the columns, at the levels that they
have in x. Whoever is released in x is in a class there that holds a whole class of x, which keeps every promise that
absorbs any class (`PrivacyModel.absorbing`): so the classes that fail there lie within S, and suppressing them alone
is allowed. In these columns it costs at most what x does, if no cell costs more than suppressing it
(`CellMeasure.monotone`). So the least loss of these columns is at most what x loses in them; and where the loss adds
up over cells, the sum over blocks of columns that share none is at most the loss of x.
"""

from dataclasses import replace
from functools import partial
from math import ceil, inf, log

from shoal.kernels.clock import clock
from shoal.measures.measure import CellMeasure
from shoal.search.lattice.boxes import Floor, search
from shoal.search.lattice.lattice import Lattice

_NODES = 50_000  # about as many as one of the first blocks has: a search of them ends within seconds
_SMALL = 1 / 8  # of the time that is left: larger blocks take many times as long


def floor_of(lattice: Lattice) -> Floor | None:
    """Return what finds a bound by blocks of columns; None where there is none, or the columns are too few for it."""
    problem = lattice.problem
    whole = problem.border is None and not problem.tally.populations and not problem.by_record
    measure = problem.measure
    adds_up = isinstance(measure, CellMeasure) and measure.monotone and bool(problem.prunable) and not problem.wildcard
    return partial(_floor, lattice) if whole and adds_up and lattice.n_nodes > _NODES else None


def _floor(lattice: Lattice, deadline: float) -> float:
    """Return the best bound of ever larger blocks, while the last took but a small part of the time that is left."""
    best, most = 0.0, max(ceil(log(lattice.n_nodes) / log(_NODES)), 2)
    for n_blocks in range(min(most, len(lattice.steps)), 1, -1):
        started = clock()
        best = max(best, _sum_of_blocks(lattice, n_blocks, deadline))
        if clock() - started > _SMALL * (deadline - clock()):
            break
    return best


def _sum_of_blocks(lattice: Lattice, n_blocks: int, deadline: float) -> float:
    """Return the sum of the bounds of so many blocks."""
    problem, total = lattice.problem, 0.0
    for number, (columns, tally) in enumerate(problem.tally.dealt(n_blocks)):
        seconds = max((deadline - clock()) / (n_blocks - number), 0.0)
        part = replace(problem, tally=tally, models=problem.prunable, stars=False, enough=-inf, time_limit=seconds)
        total += search(Lattice(part, [lattice.steps[j] for j in columns])).bound
    return total
