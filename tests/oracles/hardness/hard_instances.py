"""Instances with known optima: the two families with equal graphs, and edge partition into triangles (000 s.3, s.4)."""

from collections.abc import Sequence
from itertools import combinations
from math import ceil, log2
from random import Random

from tests.oracles.local.tables import LocalTable

Vector = tuple[int, ...]
Edge = tuple[int, int]

FIGURE_2 = (
    "0012 0012 0021",
    "1002 2001 1002",
    "1200 2100 2100",
    "2010 1020 1020",
    "0210 0120 0210",
)
"""The table of 000 Figure 2: the edges (3, 4), (1, 4), (1, 2), (1, 3), (2, 3), ranked from 1."""


def table_of(vectors: Sequence[Vector], alphabet: int = 2) -> LocalTable:
    """Return a table of which any cell may be suppressed, one record for each vector."""
    rows = {str(letter): (str(letter), "*") for letter in range(alphabet)}
    names = [f"c{number}" for number in range(len(vectors[0]))]
    records = [dict(zip(names, map(str, vector), strict=True)) for vector in vectors]
    return LocalTable(records, dict.fromkeys(names, rows))


def blocks(k: int) -> list[Vector]:
    """Return the first family: vector i has ones in block i alone, of k blocks; any two differ in 2l places.

    All k vectors are one class, in which every place differs: the optimum of k-anonymity is k * kl stars.
    """
    length = 2 ** (k - 2)
    return [tuple(int(place // length == i) for place in range(k * length)) for i in range(k)]


def waves(k: int) -> list[Vector]:
    """Return the second family: vector i is cut into 2^i equal blocks, ones and zeros in turn; it has the same graph.

    The vectors agree in two of the 4l places, the first, where all have a one, and the last, where all have a zero:
    the optimum of k-anonymity is k * (4l - 2) stars. (The paper counts 4kl, these two as well.)
    """
    length = 2**k
    return [tuple(int(place // (length >> i) % 2 == 0) for place in range(length)) for i in range(1, k + 1)]


def distances(vectors: Sequence[Vector]) -> set[int]:
    """Return the numbers of places in which two vectors differ."""
    return {sum(a != b for a, b in zip(one, other, strict=True)) for one, other in combinations(vectors, 2)}


def copies(vectors: Sequence[Vector], times: int) -> list[Vector]:
    """Return several copies of vectors that no solution mixes: each has its own letter in as many places more.

    A record of a class with records of two copies pays for all these places, which is no less than what it pays in
    its own copy. So the optimum is that of one copy, times their number.
    """
    return [(*vector, *(number,) * len(vector)) for number in range(times) for vector in vectors]


def triangles_table(edges: Sequence[Edge], ranks: int | None = None) -> list[Vector]:
    """Return the reduction of edge partition into triangles to 3-anonymity by suppression (000 Theorem 1).

    There is a record for each edge and t = ceil(log2(3m + 1)) blocks of one column per vertex, for 3m edges. In
    block i the ends of an edge show 1 and 2, or 2 and 1 if digit i of its rank is 1; ranks begin at 1. The least
    number of stars is 9mt if the edges can be split into triangles, and more if they cannot.
    """
    vertices = sorted({vertex for edge in edges for vertex in edge})
    digits = ceil(log2((ranks or len(edges)) + 1))
    vectors = []
    for rank, (one, other) in enumerate(edges, 1):
        vector: list[int] = []
        for digit in f"{rank:0{digits}b}":
            ends = {one: 1, other: 2} if digit == "0" else {one: 2, other: 1}
            vector += [ends.get(vertex, 0) for vertex in vertices]
        vectors.append(tuple(vector))
    return vectors


def triangles_optimum(n_edges: int) -> int:
    """Return 9mt, the optimum of the reduction where the edges can be split into triangles."""
    return 3 * n_edges * ceil(log2(n_edges + 1))


def edge_disjoint_triangles(rng: Random, n_vertices: int, most: int) -> list[Edge]:
    """Return the edges of random triangles that share no edge, in any order: they can be split into triangles."""
    edges: list[Edge] = []
    found = list(combinations(range(n_vertices), 3))
    rng.shuffle(found)
    for triangle in found:
        sides = list(combinations(triangle, 2))
        if len(edges) < 3 * most and not set(sides) & set(edges):
            edges += sides
    rng.shuffle(edges)
    return edges


FANO: tuple[Edge, ...] = tuple(combinations(range(7), 2))
"""All edges between 7 vertices: the lines of the Fano plane part them into 7 triangles."""

NO_TRIANGLES: tuple[tuple[Edge, ...], ...] = (
    ((0, 1), (0, 2), (0, 3)),
    ((0, 1), (1, 2), (2, 3)),
    ((0, 1), (0, 2), (0, 3), (1, 2), (2, 3), (3, 4)),
    ((0, 3), (0, 4), (0, 5), (1, 3), (1, 4), (1, 5)),
)
"""Graphs with 3m edges that cannot be split into triangles."""
