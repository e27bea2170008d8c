"""What every algorithm promises that publishes clusters, in metric spaces of all kinds."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray

from shoal.clusters.distances.automatic import completed
from shoal.clusters.distances.combination import combined
from shoal.foundation.errors import InfeasibleError
from shoal.measures import Lm
from shoal.models import KAnonymity
from shoal.search.algorithms.algorithm import Algorithm
from shoal.search.engines.local import count
from shoal.search.problem import Problem, Solution
from shoal.tables.hierarchies import Suppression
from shoal.tables.table import Role, Table
from tests.contracts.cluster_variants import CLUSTERING
from tests.oracles.clusters.gathering import least, least_sum, one_by_one
from tests.oracles.clusters.metrics import KINDS, metric_problem, random_matrix

SLACK = 1 + 1e-9
every_algorithm = pytest.mark.parametrize("algorithm", CLUSTERING.values(), ids=CLUSTERING.keys())


def leaves_out(algorithm: Algorithm) -> bool:
    """Tell whether an algorithm may leave records out; others are compared with clusters of all records."""
    return algorithm.name.endswith("-outliers")


def least_size(algorithm: Algorithm, k: int) -> int:
    """Return k, or the largest that an algorithm takes."""
    return min(k, algorithm.most_k or k)


def centres_of(solution: Solution) -> list[tuple[str, ...]]:
    """Return what the classes are published as."""
    columns = [
        [subsets.labels[cell] for cell in solution.recoding.cells[:, j]]
        for j, subsets in enumerate(solution.recoding.shown)
    ]
    return [tuple(map(str, row)) for row in zip(*columns, strict=True)]


def lost(algorithm: Algorithm, far: NDArray[np.float64], owner: NDArray[np.signedinteger]) -> float:
    """Return the objective, by how far each record is from its centre."""
    clusters = [far[owner == cluster] for cluster in range(owner.max() + 1)]
    if algorithm.objective == "radius":
        return float(max(part.max() for part in clusters))
    if algorithm.objective == "cellular":
        return float(sum(len(part) * part.max() + getattr(algorithm, "setup", 0.0) for part in clusters))
    return float(sum((part**2).sum() for part in clusters))


def optimum(algorithm: Algorithm, problem: Problem, records: NDArray[np.float64]) -> float:
    """Return the objective of the best clusters around records: in a space of a matrix there is nothing else."""
    left_out = problem.limit if leaves_out(algorithm) else 0
    if algorithm.objective == "radius":
        return least(records, problem.k, left_out=left_out, clusters=getattr(algorithm, "clusters", None))
    setup = getattr(algorithm, "setup", 0.0)
    return least_sum(records, problem.k, str(algorithm.objective), setup=setup, left_out=left_out)


def check(algorithm: Algorithm, problem: Problem, matrix: NDArray[np.float64]) -> Solution:
    """Assert that a solution is what it says it is, by the published centres and the distances alone."""
    solution = algorithm.solve(problem)
    parts, spread = solution.parts, solution.spread
    assert spread is not None
    points, classes = np.repeat(parts.points, parts.counts), np.repeat(parts.classes, parts.counts)
    assert np.bincount(points, minlength=len(matrix)).tolist() == problem.tally.counts.tolist()
    inside = classes >= 0
    sizes = np.bincount(classes[inside], minlength=solution.groups.n_classes)
    assert sizes.tolist() == solution.groups.sizes.tolist() == spread.sizes.tolist()
    assert sizes.min() >= problem.k
    assert len(sizes) <= getattr(algorithm, "clusters", len(points))
    assert int((~inside).sum()) == solution.suppressed <= problem.limit
    assert solution.suppressed == 0 or leaves_out(algorithm)
    centres = np.array([int(text[1:]) for (text,) in centres_of(solution)])
    far = matrix[points[inside], centres[classes[inside]]]
    radii = np.zeros(len(sizes))
    np.maximum.at(radii, classes[inside], far)
    assert spread.radii[:, -1].tolist() == radii.tolist()
    assert solution.loss.total == pytest.approx(lost(algorithm, far, classes[inside]), rel=1e-12)
    assert solution.bound is None or solution.bound <= solution.loss.total * SLACK
    return solution


def drawn(seed: int, algorithm: Algorithm, most: int = 8) -> tuple[Problem, NDArray[np.float64]]:
    """Return a problem of a few records and its matrix."""
    draw = Random(seed)  # noqa: S311  (tables, not secrets)
    counts = [draw.choice((1, 1, 1, 2, 3)) for _ in range(draw.randint(2, 7))]
    while sum(counts) > most:
        counts.pop()
    matrix = random_matrix(KINDS[seed % len(KINDS)], len(counts), seed)
    limit = draw.choice((Fraction(0), Fraction(1, 5), Fraction(2, 5), Fraction(1))) if leaves_out(algorithm) else 0
    k = least_size(algorithm, draw.randint(1, min(3, sum(counts))))
    return metric_problem(matrix, counts, k, Fraction(limit)), matrix


@every_algorithm
def test_a_solution_is_what_it_says_and_keeps_its_claims(algorithm: Algorithm, seeds: Callable[[int], range]) -> None:
    for seed in seeds(35):
        problem, matrix = drawn(7_000 + seed, algorithm)
        solution = check(algorithm, problem, matrix)
        best = optimum(algorithm, problem, one_by_one(matrix, problem.tally.counts.tolist()))
        assert best <= solution.loss.total * SLACK
        if solution.bound is not None:
            assert solution.bound <= best * SLACK
        if solution.guarantee == "optimal":
            assert solution.loss.total <= best * SLACK
        if solution.factor is not None:
            assert solution.loss.total <= solution.factor * best * SLACK


@pytest.mark.parametrize(
    ("algorithm", "kind"),
    [
        pytest.param(algorithm, kind, marks=pytest.mark.deep if (i + j) % 3 else [], id=f"{kind}-{name}")
        for i, (name, algorithm) in enumerate(CLUSTERING.items())
        for j, kind in enumerate(KINDS)
    ],
)
def test_larger_tables(algorithm: Algorithm, kind: str) -> None:
    """The quick run takes every third pair: each algorithm in two or three kinds of spaces."""
    matrix = random_matrix(kind, 30, 1)
    counts = np.random.default_rng(1).integers(1, 4, 30).tolist()
    limit = Fraction(1, 10) if leaves_out(algorithm) else Fraction(0)
    for k in (2, 7):
        check(algorithm, metric_problem(matrix, counts, least_size(algorithm, k), limit), matrix)


@every_algorithm
def test_records_at_one_place_lose_nothing(algorithm: Algorithm) -> None:
    problem = metric_problem(np.zeros((1, 1)), [9], least_size(algorithm, 3))
    solution = check(algorithm, problem, np.zeros((1, 1)))
    assert solution.spread is not None
    assert not solution.spread.radii.any()


@every_algorithm
@pytest.mark.parametrize("limit", [Fraction(0), Fraction(1)])
def test_as_many_records_as_k_and_fewer(algorithm: Algorithm, limit: Fraction) -> None:
    matrix, limit = random_matrix("euclid", 4, 1), limit if leaves_out(algorithm) else Fraction(0)
    if algorithm.most_k is None:
        assert check(algorithm, metric_problem(matrix, [1, 2, 1, 1], 5, limit), matrix).groups.sizes.tolist() == [5]
    with pytest.raises(InfeasibleError, match="k-anonymity fails: asked is k = 6"):
        algorithm.solve(metric_problem(matrix, [1, 2, 1, 1], 6, limit))


@every_algorithm
def test_equal_questions_have_equal_answers(algorithm: Algorithm, seeds: Callable[[int], range]) -> None:
    for seed in seeds(6):
        problem, _ = drawn(seed, algorithm, most=20)
        one, other = (algorithm.solve(replace(problem, seed=seed)) for _ in range(2))
        assert centres_of(one) == centres_of(other)
        assert one.parts.classes.tolist() == other.parts.classes.tolist()
        assert (one.loss, one.bound, one.factor) == (other.loss, other.bound, other.factor)


@every_algorithm
def test_no_time_is_no_excuse(algorithm: Algorithm, seeds: Callable[[int], range]) -> None:
    for seed in seeds(8):
        problem, matrix = drawn(seed, algorithm)
        solution = check(algorithm, replace(problem, time_limit=0.0), matrix)
        best = optimum(algorithm, problem, one_by_one(matrix, problem.tally.counts.tolist()))
        assert solution.bound is None or solution.bound <= best * SLACK
        assert solution.factor is None or solution.loss.total <= solution.factor * best * SLACK


def people(seed: int) -> list[dict[str, Any]]:
    draw = Random(seed)  # noqa: S311
    return [{"age": str(draw.randint(20, 40)), "sex": draw.choice("fm")} for _ in range(24)]


def counted(records: list[dict[str, Any]], k: int) -> tuple[Problem, NDArray[np.int32]]:
    """Return the problem of some records with automatic distances, and the point of each."""
    table = Table.of(pl.DataFrame(records), dict.fromkeys(("age", "sex"), Role.QUASI))
    values = {name: sorted({record[name] for record in records}) for name in ("age", "sex")}
    hierarchies = {name: Suppression().build(found, name) for name, found in values.items()}
    found = count(table, hierarchies, {})
    return Problem(
        found.tally,
        (KAnonymity(k=k),),
        Lm(),
        metric=combined(found.tally.quasi, completed(dict.fromkeys(values), values)),
    ), found.point_of


@every_algorithm
def test_the_order_of_records_does_not_matter(algorithm: Algorithm) -> None:
    records = people(3)
    shown = []
    for order in (records, Random(1).sample(records, len(records))):  # noqa: S311
        problem, points = counted(order, least_size(algorithm, 3))
        solution = algorithm.solve(problem)
        texts, seen = centres_of(solution), Counter[Any]()
        first = {int(point): record for point, record in zip(points, order, strict=True)}
        for point, owner, amount in zip(
            solution.parts.points, solution.parts.classes, solution.parts.counts, strict=True
        ):
            record = first[int(point)]
            seen[record["age"], record["sex"], texts[owner] if owner >= 0 else None] += int(amount)
        shown.append((seen, solution.loss, solution.bound))
    assert shown[0] == shown[1]


@every_algorithm
def test_numbers_and_categories_are_measured_from_what_is_published(algorithm: Algorithm) -> None:
    """Numbers in units of their range, categories 1 apart, added up as squares."""
    records = people(4)
    problem, points = counted(records, least_size(algorithm, 3))
    solution = algorithm.solve(problem)
    unit = np.ptp([float(record["age"]) for record in records])
    texts, parts = centres_of(solution), solution.parts
    first = {int(point): record for point, record in zip(points, records, strict=True)}
    far, owner = [], []
    for point, cluster, amount in zip(parts.points, parts.classes, parts.counts, strict=True):
        if cluster >= 0:
            record, (age, sex) = first[int(point)], texts[cluster]
            gap = (float(record["age"]) - float(age)) / unit
            far += [float(np.sqrt(gap**2 + (record["sex"] != sex)))] * int(amount)
            owner += [int(cluster)] * int(amount)
    assert solution.loss.total == pytest.approx(lost(algorithm, np.array(far), np.array(owner)))
