"""People: the records of a table as persons of whom earlier releases told something."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.local.exchanging import close_members, join_prices, own_prices
from shoal.kernels.local.states import Columns
from shoal.search.local.cuts import leaf_order
from shoal.search.local.forms import forms_of
from shoal.search.local.partition import cell_measure
from shoal.search.local.states import encoding_of
from shoal.search.problem import Problem


class Members(NamedTuple):
    """The members of each class, one class after another."""

    offsets: NDArray[np.int64]
    persons: NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class People:
    """The persons of a table, one record each.

    Args:
        problem: What is asked of the release.
        points: The point of each person.
        values: The code of each person's sensitive value.
        held: What an earlier release bound each person to, a signature or a cohort; -1 for a newcomer.
        homes: The class of each person in the release before this one; -1 if there was none.
        states: The closure of each person alone.
        columns: The meaning of states.
        places: `places[person, column]`, where the person's value stands in an order in which like values are near.
        spans: How many places each column has.
    """

    problem: Problem
    points: NDArray[np.int32]
    values: NDArray[np.int64]
    held: NDArray[np.int64]
    homes: NDArray[np.int64]
    states: NDArray[np.int64]
    columns: Columns
    places: NDArray[np.int32]
    spans: NDArray[np.int64]

    @classmethod
    def of(
        cls,
        problem: Problem,
        points: NDArray[np.int32],
        values: NDArray[np.int64],
        held: NDArray[np.int64],
        homes: NDArray[np.int64],
    ) -> "People":
        """Work out the closure of everybody alone."""
        quasi, codes = problem.tally.quasi, problem.tally.codes[points]
        encoding = encoding_of(quasi, forms_of(quasi, cell_measure(problem, "m-invariance")))
        places = np.empty_like(codes)
        for j, column in enumerate(quasi):
            place = np.empty(column.hierarchy.n_leaves, dtype=np.int32)
            place[leaf_order(column.hierarchy)] = np.arange(len(place), dtype=np.int32)
            places[:, j] = place[codes[:, j]]
        spans = 1 + places.max(axis=0, initial=0).astype(np.int64)
        return cls(problem, points, values, held, homes, encoding.states(codes), encoding.columns, places, spans)

    def __len__(self) -> int:
        return len(self.points)

    def members(self, label: NDArray[np.int64], n_classes: int) -> Members:
        """Return who is in each class, by the class of everybody; -1 is none."""
        order = np.argsort(label, kind="stable")
        order = order[np.searchsorted(label[order], 0) :]
        return Members(np.searchsorted(label[order], np.arange(n_classes + 1)).astype(np.int64), order)

    def closed(self, members: Members) -> NDArray[np.int64]:
        """Return the closure of each class."""
        return close_members(self.columns, self.states, members.offsets, members.persons)

    def prices(self, closed: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return what a record costs in a class with each of these closures."""
        return own_prices(self.columns, closed)

    def raised(self, closed: NDArray[np.int64], persons: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return by how much the price of each class rises if each of some persons joins it."""
        return join_prices(self.columns, closed, self.states[persons], self.prices(closed))
