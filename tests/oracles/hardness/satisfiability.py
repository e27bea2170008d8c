"""r-gather from satisfiability: graphs in which a radius of 1 is as hard to find as an assignment (001 s.2.1)."""

from collections.abc import Iterable, Sequence
from itertools import combinations, product
from random import Random

import numpy as np

from tests.oracles.clusters.gathering import Matrix

Clause = tuple[int, ...]
"""Literals: variable v is v + 1, its negation -(v + 1)."""


def true_under(clauses: Iterable[Clause], values: Sequence[bool]) -> bool:
    """Tell whether an assignment makes all clauses true."""
    return all(any(values[abs(literal) - 1] == (literal > 0) for literal in clause) for clause in clauses)


def satisfiable(clauses: Sequence[Clause], n_variables: int) -> bool:
    """Tell whether some assignment makes all clauses true."""
    return any(true_under(clauses, values) for values in product((False, True), repeat=n_variables))


def random_clauses(seed: int, n_variables: int, n_clauses: int) -> list[Clause]:
    """Return clauses of up to three literals in which no literal stands more than three times."""
    draw = Random(seed)  # noqa: S311
    clauses: list[Clause] = []
    every = [sign * (variable + 1) for variable in range(n_variables) for sign in (1, -1)]
    while len(clauses) < n_clauses:
        free = [literal for literal in every if sum(literal in clause for clause in clauses) < 3]
        variables = draw.sample(range(1, n_variables + 1), draw.randint(1, min(3, n_variables)))
        clause = tuple(variable * draw.choice((1, -1)) for variable in variables)
        if set(clause) <= set(free):
            clauses.append(clause)
    return clauses


def graph_of(clauses: Sequence[Clause], n_variables: int, r: int) -> Matrix:
    """Return the distances in the graph of a formula whose literals stand in at most three clauses each.

    Each variable has a vertex for true and one for false, joined to each other and to r - 2 vertices of its own; each
    clause has a vertex that is joined to its literals. For r > 6, clusters of at least r around vertices have a radius
    of 1 if and only if the formula can be satisfied, and of at least 2 else: the two vertices of a variable cannot both
    be centres, since r - 2 + 2 + 6 < 2r; one must be, for the sake of the r - 2; nothing else has r within 1.
    """
    literals = 2 * n_variables
    n = literals + n_variables * (r - 2) + len(clauses)
    links = np.full((n, n), np.inf)
    np.fill_diagonal(links, 0)

    def join(a: int, b: int) -> None:
        links[a, b] = links[b, a] = 1

    for variable in range(n_variables):
        join(2 * variable, 2 * variable + 1)
        for extra in range(r - 2):
            own = literals + variable * (r - 2) + extra
            join(own, 2 * variable)
            join(own, 2 * variable + 1)
    for number, clause in enumerate(clauses):
        for literal in clause:
            join(n - len(clauses) + number, 2 * (abs(literal) - 1) + (literal < 0))
    for middle in range(n):
        links = np.minimum(links, links[:, middle, None] + links[None, middle])
    return np.where(np.isfinite(links), links, 2.0 * n)


def radius_1_exists(matrix: Matrix, r: int) -> bool:
    """Tell whether there are clusters of at least r and radius 1 around records, by trying all sets of centres."""
    near = matrix <= 1
    centres = [vertex for vertex in range(len(matrix)) if near[vertex].sum() >= r]
    for size in range(1, len(matrix) // r + 1):
        for chosen in combinations(centres, size):
            if near[list(chosen)].any(axis=0).all() and _served(near, chosen, r):
                return True
    return False


def _served(near: "np.ndarray[tuple[int, ...], np.dtype[np.bool_]]", centres: Sequence[int], r: int) -> bool:
    """Tell whether r records can be given to each centre, each to one: by augmenting paths."""
    owner: dict[int, int] = {}

    def found(slot: int, seen: set[int]) -> bool:
        for record in np.flatnonzero(near[centres[slot // r]]).tolist():
            if record not in seen:
                seen.add(record)
                if record not in owner or found(owner[record], seen):
                    owner[record] = slot
                    return True
        return False

    return all(found(slot, set()) for slot in range(len(centres) * r))
