"""Annealing over the nodes of a large lattice: a good node early, for a search that cannot end."""

from collections.abc import Callable
from math import exp
from random import Random

from shoal.kernels.clock import clock
from shoal.search.lattice.cells import Node
from shoal.search.lattice.lattice import Lattice, NodeOutcome

_TRIES = 350  # for each column
_HOT, _COLD = 0.02, 0.0007  # the first and the last temperature, as shares of the loss of the first node
_EXCHANGES = 0.5  # the share of moves that also turn a second column the other way


def anneal(lattice: Lattice, start: NodeOutcome, evaluate: Callable[[Node], NodeOutcome], stop: float) -> None:
    """Walk from an allowed node to neighbours, to worse ones ever more rarely, until `stop` by the clock of searches.

    A move raises or lowers the level of one column, or raises one and lowers another. It cools down with the moves that
    are tried, or with the time if that is shorter. Random numbers are the same in every run, so that equal tables have
    equal answers where no time limit ends it.

    Args:
        lattice: The lattice.
        start: An allowed node.
        evaluate: Returns the evaluation of a node; who calls keeps the best.
        stop: When to end.
    """
    random, n_columns = Random(0), len(lattice.steps)  # noqa: S311  (no secret)
    positions = [levels.index(level) for levels, level in zip(lattice.steps, start.node, strict=True)]
    loss, tries, started = start.loss, _TRIES * n_columns, clock()
    for number in range(tries):
        now = clock()
        if now >= stop:
            return
        done = max(number / tries, (now - started) / (stop - started))
        temperature = start.loss * _HOT * (_COLD / _HOT) ** done
        moved, step = positions.copy(), random.choice((-1, 1))
        column, other = random.randrange(n_columns), random.randrange(n_columns)
        moved[column] += step
        if other != column and random.random() < _EXCHANGES:
            moved[other] -= step
        if any(not 0 <= place < len(levels) for place, levels in zip(moved, lattice.steps, strict=True)):
            continue
        found = evaluate(tuple(levels[place] for levels, place in zip(lattice.steps, moved, strict=True)))
        if found.feasible and (found.loss <= loss or random.random() < exp((loss - found.loss) / temperature)):
            positions, loss = moved, found.loss
