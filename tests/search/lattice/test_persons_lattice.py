"""Searches with promises that count persons, against brute force over all generalizations of small tables."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import combinations
from random import Random
from typing import Any

import pytest

from shoal.foundation.errors import InfeasibleError, SpecError
from shoal.models import (
    AlphaKAnonymity,
    BetaLikeness,
    DeltaDisclosure,
    DistinctLDiversity,
    FrequencyLDiversity,
    KAnonymity,
    KEAnonymity,
    PrivacyModel,
    PSensitiveKAnonymity,
    RecursiveClDiversity,
    TCloseness,
)
from shoal.search.algorithms import ALGORITHMS, Samarati
from shoal.search.algorithms.algorithm import Algorithm
from shoal.search.lattice.lattice import Lattice
from shoal.search.lattice.minimal import minimal_nodes
from shoal.search.problem import Problem
from tests.oracles.checks import node_of, searched
from tests.oracles.full_domain import FullDomain, lower, nodes
from tests.oracles.losses import loss
from tests.oracles.persons import VALUES, kept_by_hand, persons_of
from tests.oracles.plain import Key, Node, PlainTable, Record, Rules
from tests.oracles.problems import problem_of, published
from tests.oracles.random_tables import random_rows

FULL_DOMAIN = [kind.name for kind in ALGORITHMS if not (kind.local or kind.alike or kind.objective)]
OTHERS = [kind.name for kind in ALGORITHMS if (kind.local or kind.alike) and not kind.objective and kind.name != "auto"]
LIMITS = [Fraction(0), Fraction(1, 4), Fraction(1, 2)]
OF: dict[str, Any] = {"column": "value", "entity": "id"}
MAKERS: list[Callable[[Random], PrivacyModel]] = [
    lambda rng: DistinctLDiversity(l=rng.randint(2, 3), **OF),
    lambda rng: PSensitiveKAnonymity(p=2, k=rng.randint(2, 3), **OF),
    lambda rng: FrequencyLDiversity(l=Fraction(rng.randint(5, 9), 4), **OF),
    lambda rng: AlphaKAnonymity(alpha=Fraction(rng.randint(2, 5), 6), k=2, **OF),
    lambda rng: RecursiveClDiversity(c=Fraction(rng.randint(2, 6), 2), l=2, **OF),
    lambda rng: KEAnonymity(k=2, e=rng.randint(1, 2), **OF),
    lambda rng: TCloseness(t=Fraction(rng.randint(1, 6), 10), **OF),
    lambda rng: TCloseness(t=Fraction(rng.randint(1, 4), 10), distance="ordered", **OF),
    lambda rng: BetaLikeness(beta=Fraction(rng.randint(1, 6), 4), **OF),
    lambda rng: DeltaDisclosure(delta=Fraction(rng.randint(3, 9), 4), **OF),
]


def case(seed: int, maker: int) -> tuple[PlainTable, Rules]:
    """Return a table in which persons have several records, at different places of the lattice, and its promises."""
    rng = Random(seed)  # noqa: S311  (tables, not secrets)
    hierarchies = {f"q{j}": random_rows(rng, rng.randint(2, 4), rng.randint(1, 2)) for j in range(rng.randint(1, 2))}
    people = "abcdef"[: rng.randint(2, 6)]
    records: list[Record] = [
        {
            **{column: rng.choice(list(rows)) for column, rows in hierarchies.items()},
            "value": rng.choice(VALUES[: rng.randint(2, 4)]),
            "id": rng.choice(people),
        }
        for _ in range(rng.randint(4, 10))
    ]
    models = [MAKERS[maker](rng)]
    if rng.random() < 0.3:
        models += KAnonymity(k=2, entity="id").counted()
    return PlainTable(records, hierarchies, ("value", "id")), Rules(tuple(models), stars=rng.random() < 0.4)


def stands(rules: Rules, classes: list[list[Record]]) -> bool:
    """Tell whether these classes are a release that keeps every promise, the persons of each counted by hand."""
    persons = [persons_of([(str(record["value"]), str(record["id"])) for record in one]) for one in classes]
    everybody = [held for one in persons for held in one]
    sizes = [len(one) for one in classes]
    return all(
        size >= model.k
        if isinstance(model, KAnonymity)
        else len(one) >= model.l
        if not getattr(model, "entity", None) and isinstance(model, DistinctLDiversity)
        else kept_by_hand(model, one, everybody)
        for model in rules.models
        for one, size in zip(persons, sizes, strict=True)
    )


def allowed(table: PlainTable, rules: Rules, limit: int) -> Iterator[tuple[Node, frozenset[Key]]]:
    """Go through all generalizations, each with all sets of its classes that may be released."""
    for node in nodes(table):
        classes: dict[Key, list[Record]] = {}
        for record in table.records:
            classes.setdefault(table.key(record, node), []).append(record)
        for number in range(1, len(classes) + 1):
            for kept in combinations(classes, number):
                gone = [record for key in classes if key not in kept for record in classes[key]]
                stars = [gone] if gone and rules.stars else []
                if len(gone) <= limit and stands(rules, [*(classes[key] for key in kept), *stars]):
                    yield node, frozenset(kept)


def check(space: FullDomain, algorithm: Algorithm, limit: Fraction) -> None:
    """Solve, and assert that the answer is a release that stands, as good as it says; or that there is none."""
    table, rules = space.table, space.rules
    problem = problem_of(table, rules, "lm", limit)
    among = searched(space, algorithm)
    good = [one for one in allowed(table, rules, problem.limit) if one[0] in among]
    found = [loss("lm", table, *one) for one in good]
    try:
        solution = algorithm.solve(problem)
    except InfeasibleError:
        assert not found
        return
    assert found
    released, gone = classes_of(table, problem, node_of(space, solution), solution)
    assert len(gone) <= problem.limit
    assert stands(rules, [*released, *([gone] if gone and rules.stars else [])])
    assert solution.loss.total >= min(found) - 1e-9
    if solution.bound is not None:
        assert solution.bound <= min(found) + 1e-9
    if isinstance(algorithm, Samarati):
        assert sum(node_of(space, solution)) == min(sum(node) for node, _ in good)
    if solution.guarantee == "optimal":
        assert solution.loss.total == pytest.approx(min(found))


def classes_of(
    table: PlainTable, problem: Problem, node: Node, solution: Any
) -> tuple[list[list[Record]], list[Record]]:
    """Return the records of each released class, and those that are suppressed."""
    classes: dict[Key, list[Record]] = {}
    gone = []
    for record, key in published(table, problem, solution):
        if key is None:
            gone.append(record)
        else:
            assert key == table.key(record, node)
            classes.setdefault(key, []).append(record)
    return list(classes.values()), gone


@pytest.mark.parametrize("maker", range(len(MAKERS)))
@pytest.mark.parametrize("name", FULL_DOMAIN)
def test_every_full_domain_search_is_right_for_persons(name: str, maker: int, seeds: Callable[[int], range]) -> None:
    for seed in seeds(12):
        check(FullDomain(*case(1_000 * maker + seed, maker)), ALGORITHMS[name](), LIMITS[seed % len(LIMITS)])


@pytest.mark.parametrize("maker", range(len(MAKERS)))
def test_all_minimal_generalizations_for_persons_are_found(maker: int, seeds: Callable[[int], range]) -> None:
    for seed in seeds(12):
        table, rules = case(20_000 + 1_000 * maker + seed, maker)
        problem = problem_of(table, Rules(rules.models), "lm", LIMITS[seed % len(LIMITS)])
        good = {node for node, _ in allowed(table, Rules(rules.models), problem.limit)}
        minimal = {node for node in good if not any(lower(other, node) for other in good)}
        assert set(minimal_nodes(Lattice(problem))) == minimal


@pytest.mark.parametrize("name", OTHERS)
def test_other_searches_refuse_to_count_persons(name: str) -> None:
    table, rules = case(1, 0)
    algorithm = ALGORITHMS[name]()
    with pytest.raises(SpecError, match="persons"):
        algorithm.solve(problem_of(table, rules))
