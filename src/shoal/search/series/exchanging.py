"""Exchanging: persons of the same value change places where that lowers the loss; every class shows what it showed."""

import numpy as np
from numpy.typing import NDArray

from shoal.foundation.progress import Progress
from shoal.kernels.local.exchanging import exchange_alike
from shoal.search.series.signatures import SignatureClasses

_WINDOW = 12  # persons of a pool on either side that are tried
_ENOUGH = 0.0005  # of the persons: with fewer exchanges in an order of the table, no other order is tried


def exchange(classes: SignatureClasses, rng: np.random.Generator, progress: Progress, rounds: int) -> None:
    """Exchange persons of the same value: in classes of one signature, or newcomers, who may have any.

    Two exchanged persons leave every class with the same values, so that no promise on values is touched.

    Args:
        classes: The classes; who is in which changes.
        rng: Draws the orders in which persons near each other are found.
        progress: Called with the share of the work that is done.
        rounds: How many orders are tried at most.
    """
    people = classes.people
    pools = (_coming, _within) if (people.held >= 0).any() else (_coming,)  # newcomers alone may go anywhere
    idle = 0
    for turn in range(rounds):
        progress("exchanging persons of the same value", turn / rounds)
        columns = people.places[:, rng.permutation(people.places.shape[1])]
        order = np.lexsort(columns.T)
        rank = np.empty(len(order), dtype=np.int64)
        rank[order] = np.arange(len(order))
        done = 0
        for pool_of in pools:  # the second knows what the first has changed
            pool = pool_of(classes)
            done += _exchanged(classes, pool, order, rank, turn) if (pool >= 0).any() else 0
        idle = idle + 1 if done <= _ENOUGH * len(people) else 0
        if idle == 2:
            return


def _coming(classes: SignatureClasses) -> NDArray[np.int64]:
    """Return the pool of each newcomer, by value: they have any signature that comes of it."""
    people = classes.people
    return np.where((classes.label >= 0) & (people.held < 0), people.values, -1)


def _within(classes: SignatureClasses) -> NDArray[np.int64]:
    """Return the pool of each person, by signature and value."""
    inside = np.flatnonzero(classes.label >= 0)
    pool = np.full(len(classes.label), -1, dtype=np.int64)
    pool[inside] = classes.owned[classes.label[inside]] * classes.n_values + classes.people.values[inside]
    return pool


def _exchanged(
    classes: SignatureClasses, pool: NDArray[np.int64], order: NDArray[np.int64], rank: NDArray[np.int64], turn: int
) -> int:
    """Exchange persons within pools, by one order; return how often that was done."""
    people = classes.people
    queue = order[pool[order] >= 0]
    found, own = np.unique(pool[queue], return_inverse=True)
    by_pool = np.argsort(own, kind="stable")
    queue, own = queue[by_pool], own[by_pool]
    starts = np.searchsorted(own, np.arange(len(found) + 1)).astype(np.int64)
    numbered = np.full(len(people), -1, dtype=np.int64)
    numbered[queue] = own
    members = people.members(classes.label, classes.n_classes)
    place = np.full(len(people), -1, dtype=np.int64)
    place[members.persons] = np.arange(len(members.persons))
    prices = people.prices(people.closed(members))
    arrays = classes.label, members.offsets, members.persons, prices, rank, numbered, starts, queue, place
    return int(exchange_alike(people.columns, people.states, *arrays, turn, _WINDOW))
