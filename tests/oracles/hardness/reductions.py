"""Instances with known optima from problems that are known to be hard: what makes them hard is in `docs/hardness.md`.

Every table has columns that publish a value or a star, so that stars, tree, lm and ncp are the same. Records are
numbered as they stand in the table.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from math import ceil, comb, log2
from pathlib import Path
from random import Random

from shoal.models import DistinctLDiversity, FrequencyLDiversity, KAnonymity, PrivacyModel, TCloseness
from shoal.search.problem import Problem
from tests.oracles.all_partitions import Members
from tests.oracles.hardness.hard_instances import Edge, Vector, table_of, triangles_table
from tests.oracles.local.losses import Pricing
from tests.oracles.local.tables import LocalTable, local_problem
from tests.oracles.plain import Rules

Hyperedge = frozenset[int]
SECRET = "secret"  # noqa: S105  (a column)


@dataclass(frozen=True)
class Instance:
    """A table and what is asked of it, with the least number of stars and classes that reach it.

    Args:
        table: The table.
        rules: The promise.
        threshold: The number of stars that a yes-instance does not exceed, and every no-instance does.
        optimum: The least number of stars, proven.
        planted: Classes that have it.
    """

    table: LocalTable
    rules: Rules
    threshold: int
    optimum: int
    planted: tuple[Members, ...]

    @property
    def solvable(self) -> bool:
        """Whether the answer to the question that the instance was made from is yes."""
        return self.optimum <= self.threshold

    @cached_property
    def problem(self) -> Problem:
        return local_problem(self.table, self.rules, "stars")

    def cost(self, measure: str = "stars") -> float:
        """Return what the planted classes cost."""
        pricing = Pricing(self.table, measure)
        records = self.table.records
        return sum(pricing.paid(pricing.shown([records[number] for number in members])) for members in self.planted)


def k_anonymous(
    vectors: Sequence[Vector], k: int, threshold: int, optimum: int, planted: Sequence[Members]
) -> Instance:
    """Return an instance of k-anonymity."""
    table = table_of(vectors, 1 + max(map(max, vectors)))
    return Instance(table, Rules((KAnonymity(k=k),)), threshold, optimum, tuple(sorted(planted)))


def with_secrets(table: LocalTable, secrets: Sequence[str]) -> LocalTable:
    """Return a table with a sensitive column."""
    records = [{**record, SECRET: secret} for record, secret in zip(table.records, secrets, strict=True)]
    return replace(table, records=records, sensitive=(SECRET,))


# 000 s.3: edges into triangles, or into triangles and stars of three edges


def planted_edges(seed: int, shapes: int, *, claws: bool = False, cycle: int = 0) -> tuple[list[Edge], list[Members]]:
    """Return the edges of random triangles that share no edge, and which edges are one; the order is drawn too.

    With `claws` every second shape is three edges from one vertex instead. With `cycle`, a cycle of so many edges
    (6, 9, 12, ...), on vertices of its own, makes a no-instance: none of its edges is in a triangle or a claw.
    """
    rng = Random(seed)  # noqa: S311  (tables, not secrets)
    n_vertices, found = 4, list[list[Edge]]()
    while len(found) < shapes:
        claw = claws and len(found) % 2 == 1
        corners = rng.sample(range(n_vertices), 4)
        sides = [(corners[3], corner) for corner in corners[:3]] if claw else list(combinations(corners[:3], 2))
        shape = [(min(edge), max(edge)) for edge in sides]
        if any(edge in other for edge in shape for other in found):
            n_vertices += 1
        else:
            found.append(shape)
    around = [(n_vertices + place, n_vertices + (place + 1) % cycle) for place in range(cycle)]
    found += [around[place : place + 3] for place in range(0, cycle, 3)]
    edges = [edge for shape in found for edge in shape]
    rng.shuffle(edges)
    return edges, [tuple(sorted(edges.index(edge) for edge in shape)) for shape in found]


def triangles(edges: Sequence[Edge], parts: Sequence[Members], cycle: int = 0) -> Instance:
    """Return 3-anonymity of three values as edge partition into triangles (Aggarwal et al. 2005, Theorem 1).

    For 3m edges and t = ceil(log2(3m + 1)) blocks, any three records differ in at least 3t columns, and any four in 4t.
    Just 3t is reached by triangles alone: yes-instances have 9mt stars. Every no-instance has at least 3 more. An edge
    of a cycle apart is in no triangle and in no claw, so that its class differs in at least 4 columns of each block, as
    three edges in a row do: with a cycle of c edges the optimum is 9mt + ct.
    """
    t = ceil(log2(len(edges) + 1))
    threshold = 3 * len(edges) * t
    return k_anonymous(triangles_table(edges), 3, threshold, threshold + cycle * t, parts)


def triangles_and_claws(edges: Sequence[Edge], parts: Sequence[Members], cycle: int = 0) -> Instance:
    """Return 3-anonymity of two values as edge partition into triangles and claws (the preliminary table of 000 s.3).

    A record has ones in the columns of its two vertices. A claw, three edges of one vertex, differs in 3 columns just
    as a triangle does, so that this table does not tell them apart: the paper needs three values to go on. But to part
    edges into triangles and claws is hard itself, even without any triangle (Blocki and Williams 2010). Yes-instances
    have 9m stars, and with a cycle of c edges the optimum is 9m + c.
    """
    vertices = sorted({vertex for edge in edges for vertex in edge})
    vectors = [tuple(int(vertex in edge) for vertex in vertices) for edge in edges]
    return k_anonymous(vectors, 3, 3 * len(edges), 3 * len(edges) + cycle, parts)


# 003 s.8.3: hyperedges of k nodes that cover every node once


def planted_hyperedges(
    seed: int, n_classes: int, k: int, more: int, *, lonely: bool = False, split: bool = False
) -> tuple[list[Hyperedge], list[int]]:
    """Return different sets of k nodes out of k x n_classes, and which of them share no node and are most.

    Those are a matching that covers all, unless one node is to be `lonely`, in no set: then there is none, and they are
    one fewer. Up to `more` are added at random. `split`: each takes one of the first n_classes nodes, one of the next,
    and so on.
    """
    rng = Random(seed)  # noqa: S311
    n = k * n_classes
    kinds = [list(range(kind * n_classes, (kind + 1) * n_classes)) for kind in range(k)]
    for kind in kinds:
        rng.shuffle(kind)
    nodes = [node for group in zip(*kinds, strict=True) for node in group]
    if not split:
        rng.shuffle(nodes)
    planted = [frozenset(nodes[place : place + k]) for place in range(0, n, k)]
    alone = nodes[0] if lonely else -1
    planted = [edge for edge in planted if alone not in edge]
    edges = list(planted)
    for _ in range(20 * more):
        edge = frozenset(map(rng.choice, kinds)) if split else frozenset(rng.sample(range(n), k))
        if alone not in edge and edge not in edges and len(edges) < len(planted) + more:
            edges.append(edge)
    rng.shuffle(edges)
    return edges, [edges.index(edge) for edge in planted]


def largest_packing(edges: Sequence[Hyperedge], first: int = 0) -> list[int]:
    """Return a largest choice of sets that share no node, by trying all; `first` is where to begin."""
    if first == len(edges):
        return []
    without = largest_packing(edges, first + 1)
    free = [number for number in range(first + 1, len(edges)) if not edges[number] & edges[first]]
    inside = largest_packing([edges[number] for number in free])
    with_first = [first, *(free[place] for place in inside)]
    return with_first if len(with_first) > len(without) else without


def packed(n: int, edges: Sequence[Hyperedge], chosen: Sequence[int]) -> list[Members]:
    """Return a class for each chosen set, and one of all nodes that are left."""
    covered = {node for number in chosen for node in edges[number]}
    rest = tuple(node for node in range(n) if node not in covered)
    return [*(tuple(sorted(edges[number])) for number in chosen), *([rest] if rest else [])]


def matching(n: int, k: int, edges: Sequence[Hyperedge], chosen: Sequence[int] | None = None) -> Instance:
    """Return k-anonymity as k-dimensional perfect matching (Gionis and Tassa 2009, Theorem 5.2).

    A record for each node, a column for each set: 0 for the nodes in the set, and for the others 1, 2, ..., each k - 1
    times but for the last. Only a class that is one of the sets has a column that is not starred, and just one. So the
    optimum is nm - kp for p sets that share no node, p as large as can be, and n(m - 1) if they cover all.
    """
    chosen = largest_packing(edges) if chosen is None else chosen
    vectors = []
    for node in range(n):
        outside = [sum(other not in edge for other in range(node)) for edge in edges]
        vectors.append(
            tuple(0 if node in edge else 1 + place // (k - 1) for edge, place in zip(edges, outside, strict=True))
        )
    planted = packed(n, edges, chosen)
    return k_anonymous(vectors, k, n * (len(edges) - 1), n * len(edges) - k * len(chosen), planted)


# 004 Lemma 1: k-anonymity as t-closeness


def as_t_closeness(instance: Instance) -> Instance:
    """Return the same optimum as t-closeness by the equal distance, t = 1 - k/n, a whole number over n (Lemma 1).

    Every record has a secret of its own. A class of r of the n records is (n - r)/n from the whole, so that it passes
    if and only if it has k. As a rounded number, 1 - k/n may come out too small, and then classes of k fail.
    """
    n, k = len(instance.table.records), instance.problem.k
    table = with_secrets(instance.table, [f"s{number:03}" for number in range(n)])
    return replace(instance, table=table, rules=Rules((TCloseness(t=Fraction(n - k, n), column=SECRET),)))


# 004 Theorems 3 to 5: graphs cut into halves


def least_half(n: int, edges: Sequence[Edge]) -> Members:
    """Return the half of the vertices with the fewest edges to the other, by trying all."""
    halves = [(0, *others) for others in combinations(range(1, n), n // 2 - 1)]
    return min(halves, key=lambda half: cut(half, edges))


def cut(half: Members, edges: Sequence[Edge]) -> int:
    """Return the number of edges with one end in a set of vertices."""
    return sum((one in half) != (other in half) for one, other in edges)


def planted_halves(seed: int, half: int, crossing: int) -> tuple[list[Edge], Members]:
    """Return two cliques with up to 2(half - 1) edges between them, and the vertices of one.

    It is a least cut: one that swaps a vertices cuts at least 2a(half - a) edges within the cliques, no fewer than
    2(half - 1).
    """
    rng = Random(seed)  # noqa: S311
    vertices = rng.sample(range(2 * half), 2 * half)
    one, other = vertices[:half], vertices[half:]
    assert crossing <= 2 * (half - 1)
    between = rng.sample([(a, b) for a in one for b in other], crossing)
    edges = [*combinations(one, 2), *combinations(other, 2), *between]
    rng.shuffle(edges)
    return edges, tuple(sorted(one))


def ends(n: int, edges: Sequence[Edge]) -> list[Vector]:
    """Return a record for each vertex, a column for each edge: the vertex's own number at its ends, else 0."""
    return [tuple(vertex + 1 if vertex in edge else 0 for edge in edges) for vertex in range(n)]


def bisection(n: int, edges: Sequence[Edge], most: int, half: Members | None = None) -> Instance:
    """Return (n/2)-anonymity as minimum bisection, for n >= 4 (Liang and Yuan 2013, Theorem 3).

    A class keeps the columns of the edges that have no end in it. Two halves with c edges between them cost
    n(|E| + c)/2. `most` is the question: whether so many edges between them are enough.
    """
    half = least_half(n, edges) if half is None else half
    other = tuple(vertex for vertex in range(n) if vertex not in half)
    optimum = n * (len(edges) + cut(half, edges)) // 2
    return k_anonymous(ends(n, edges), n // 2, n * (len(edges) + most) // 2, optimum, [half, other])


def padded(n: int, edges: Sequence[Edge], most: int, new: int) -> Instance:
    """Return the bisection among `new` more records, at least n/2 that are all alike (Theorem 4).

    So k = n/2 is a smaller share of the records, a third at most. As many columns again for each old record set old and
    new apart: a class with both stars them all, which costs more than one class of all old records.
    """
    old = bisection(n, edges, most)
    apart = n * len(edges)
    vectors = [(*vector, *(0,) * apart) for vector in ends(n, edges)] + [(n + 1,) * (len(edges) + apart)] * new
    planted = [*old.planted, tuple(range(n, n + new))]
    return k_anonymous(vectors, n // 2, old.threshold, old.optimum, planted)


def half_clique(n: int, edges: Sequence[Edge], new: int) -> Instance:
    """Return k-anonymity for k = n/2 of n + new records, 2 <= new < n/2: is there a clique of n/2 (Theorem 5)?

    The new records differ from all others everywhere. One class has old records alone, the complement of a set V2 of
    vertices, and saves its number of records times the edges within V2; the other class is all stars.
    """
    inside = {
        some: sum(one in some and other in some for one, other in edges)
        for size in range(max(n // 2 - new, 0), n // 2 + 1)
        for some in combinations(range(n), size)
    }
    best = max(inside, key=lambda some: (n - len(some)) * inside[some])
    vectors = ends(n, edges) + [(n + 1 + number,) * len(edges) for number in range(new)]
    worst, clique = (n + new) * len(edges), comb(n // 2, 2)
    planted = [tuple(v for v in range(n) if v not in best), (*best, *range(n, n + new))]
    optimum = worst - (n - len(best)) * inside[best]
    return k_anonymous(vectors, n // 2, worst - n // 2 * clique, optimum, planted)


# 004 Theorems 6 and 7: three-dimensional matching


def three_dimensional(
    n: int, triples: Sequence[Hyperedge], promise: PrivacyModel, chosen: Sequence[int] | None = None
) -> Instance:
    """Return 3D-matching of 3n elements for a promise that needs three records of three kinds (Theorem 6).

    The elements 0 to n - 1 are of the first kind, the next n of the second, and so on; the kind is the secret. A column
    for each triple has 0 for its elements and a number of its own for every other. A class of three or more
    has at most one column without stars, and only if it is one of the triples. So the optimum is 3nm - 3p for p triples
    that share no element, and 3n(m - 1) if they cover all. `promise` is one of `three_kinds`.
    """
    chosen = largest_packing(triples) if chosen is None else chosen
    m = len(triples)
    planted = packed(3 * n, triples, chosen)
    found = k_anonymous(kinds(n, triples), 3, 3 * n * (m - 1), 3 * n * m - 3 * len(chosen), planted)
    table = with_secrets(found.table, [str(1 + element // n) for element in range(3 * n)])
    return replace(found, table=table, rules=Rules((promise,)))


def three_kinds(t: Fraction = Fraction(1, 4)) -> tuple[PrivacyModel, ...]:
    """Return the promises for which it is the same problem: t-closeness for t < 1/3, and others.

    Fewer than three records are at least 1/3 from the whole, or have fewer than three secrets; the elements that no
    triple covers are of each kind as many, so that they pass together.
    """
    return (
        TCloseness(t=t, column=SECRET),
        FrequencyLDiversity(l=Fraction(3), column=SECRET),
        DistinctLDiversity(l=3, column=SECRET),
        KAnonymity(k=3),
    )


def kinds(n: int, triples: Sequence[Hyperedge]) -> list[Vector]:
    """Return a record for each element: 0 in the columns of its triples, and its own number in all others."""
    return [tuple(0 if element in triple else element + 1 for triple in triples) for element in range(3 * n)]


def four_values(
    n: int, triples: Sequence[Hyperedge], t: Fraction, folder: Path, chosen: Sequence[int] | None = None
) -> Instance:
    """Return 3D-matching as t-closeness for 1/3 <= t < 1/2, by a matrix of distances (Theorem 7).

    To the table of Theorem 6 come 6nt/(1 - 2t) records with a fourth secret, half as far from the three others as these
    are from each other, and a value of their own in every column. Each of them is close enough alone. Old records
    are as before: fewer than three without a new one are too far. The matrix is written into the folder.
    """
    old = three_dimensional(n, triples, KAnonymity(k=3), chosen)
    new = 6 * n * t / (1 - 2 * t)
    assert new.denominator == 1
    vectors = kinds(n, triples) + [(3 * n + 1 + number,) * len(triples) for number in range(int(new))]
    path = folder / "distances.csv"
    path.write_text(",1,2,3,4\n1,0,1,1,0.5\n2,1,0,1,0.5\n3,1,1,0,0.5\n4,0.5,0.5,0.5,0\n", encoding="utf-8")
    promise = TCloseness(t=t, column=SECRET, distance="matrix", distances=str(path))
    alone = [(number,) for number in range(3 * n, len(vectors))]
    found = k_anonymous(vectors, 1, old.threshold, old.optimum, [*old.planted, *alone])
    secrets = [*(str(record[SECRET]) for record in old.table.records), *["4"] * int(new)]
    return replace(found, table=with_secrets(found.table, secrets), rules=Rules((promise,)))
