"""Full-domain releases that suppress single records of a class: against every class without every set of records."""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from math import inf
from random import Random

import pytest

from shoal.foundation.errors import InfeasibleError, SpecError
from shoal.measures import MEASURES
from shoal.models import (
    AlphaKAnonymity,
    DistinctLDiversity,
    EntropyLDiversity,
    FrequencyLDiversity,
    KAnonymity,
    PrivacyModel,
    RecursiveClDiversity,
    TCloseness,
)
from shoal.search.algorithms import AttributeSuppression, Exhaustive, Incognito, Optimal, Samarati
from shoal.search.algorithms.algorithm import Algorithm
from shoal.search.lattice.lattice import Lattice
from shoal.search.lattice.minimal import minimal_nodes
from shoal.search.problem import Problem, Solution
from tests.oracles.full_domain import lower, nodes
from tests.oracles.losses import CELLS
from tests.oracles.plain import Key, Node, PlainTable, Record, Rules
from tests.oracles.problems import problem_of, published
from tests.oracles.promises import keeps
from tests.oracles.random_tables import random_table

MODELS: tuple[tuple[PrivacyModel, ...], ...] = (
    (KAnonymity(k=2),),
    (FrequencyLDiversity(l=2, column="illness"),),
    (KAnonymity(k=2), FrequencyLDiversity(l=Fraction(3, 2), column="illness")),
    (KAnonymity(k=3), EntropyLDiversity(l=Fraction(3, 2), column="illness")),
    (AlphaKAnonymity(alpha=Fraction(1, 2), k=2, column="illness", value="a"),),
    (KAnonymity(k=2), RecursiveClDiversity(c=2, l=2, column="illness"), DistinctLDiversity(l=2, column="illness")),
)
LIMITS = (Fraction(0), Fraction(1, 5), Fraction(2, 5), Fraction(3, 4))


class Case:
    """A table, and what is left of each class of each level vector."""

    def __init__(self, seed: int) -> None:
        rng = Random(seed)  # noqa: S311
        self.models, self.limit = MODELS[seed % len(MODELS)], rng.choice(LIMITS)
        self.measure = rng.choice(["lm", "stars", "tree"])
        self.table = random_table(rng, n_records=rng.randint(4, 9))
        asked = problem_of(self.table, Rules(self.models), self.measure, self.limit)
        self.problem: Problem = replace(asked, by_record=True)

    def left(self, node: Node) -> dict[Key, list[Record]]:
        """Return the most records of each class that keep the promises."""
        classes: dict[Key, list[Record]] = {}
        for record in self.table.records:
            classes.setdefault(self.table.key(record, node), []).append(record)
        return {key: found for key, members in classes.items() if (found := self._most(members))}

    def _most(self, members: list[Record]) -> list[Record]:
        for number in range(len(members), 0, -1):
            for some in map(list, combinations(members, number)):
                if all(keeps(model, some, some, self.table.sensitive) for model in self.models):
                    return some
        return []

    def loss(self, node: Node, left: dict[Key, list[Record]]) -> float:
        """Return the loss of a release; infinite if it is not allowed."""
        kept = [record for members in left.values() for record in members]
        gone = len(self.table.records) - len(kept)
        if not kept or gone > int(self.limit * len(self.table.records)):
            return inf
        weights = [self.table.weights.get(column, 1.0) for column in self.table.quasi]
        paid = gone * sum(weights)
        for record in kept:
            for column, level, weight in zip(self.table.quasi, node, weights, strict=True):
                paid += weight * float(CELLS[self.measure](self.table, column, record[column], level))
        return paid

    def losses(self) -> dict[Node, float]:
        return {node: self.loss(node, self.left(node)) for node in nodes(self.table)}


def cases(number: int) -> Iterator[Case]:
    return map(Case, range(number))


def check(case: Case, solution: Solution) -> Node:
    """Assert that a solution is what it says it is."""
    node = tuple(solution.levels[column] for column in case.table.quasi)
    classes: dict[Key, list[Record]] = {}
    for record, shown in published(case.table, case.problem, solution):
        if shown is not None:
            assert shown == case.table.key(record, node)
            classes.setdefault(shown, []).append(record)
    for members in classes.values():
        assert all(keeps(model, members, members, case.table.sensitive) for model in case.models)
    assert sorted(solution.groups.sizes.tolist()) == sorted(map(len, classes.values()))
    assert solution.suppressed == len(case.table.records) - sum(map(len, classes.values()))
    assert solution.loss.total == pytest.approx(case.loss(node, classes))
    return node


def test_each_class_of_each_node_loses_the_fewest_records() -> None:
    for case in cases(36):
        lattice = Lattice(case.problem)
        assert lattice.inherits
        assert not case.problem.selects
        for node, least in case.losses().items():
            found, left = lattice.evaluate(node), case.left(node)
            assert found.n_released == len(left)
            assert found.suppressed == found.surely == len(case.table.records) - sum(map(len, left.values()))
            assert found.feasible == (least < inf)
            assert found.settled
            assert found.bound == (found.loss if found.feasible else inf)
            if found.feasible:
                assert found.loss == pytest.approx(least)
                assert check(case, lattice.solution(node, guarantee="none")) == node
            assert found.hopeless == (found.suppressed > case.problem.limit)


@pytest.mark.parametrize(
    "algorithm", [Optimal(), Exhaustive(), Samarati(), Incognito(), AttributeSuppression()], ids=lambda one: one.name
)
def test_the_best_release_is_found(algorithm: Algorithm) -> None:
    n_solved = n_partly = 0
    for case in cases(60):
        losses = case.losses()
        if isinstance(algorithm, AttributeSuppression):
            tops = [case.table.height(column) for column in case.table.quasi]
            losses = {
                node: one
                for node, one in losses.items()
                if all(level in (0, top) for level, top in zip(node, tops, strict=True))
            }
        least = min(losses.values())
        if least == inf:
            with pytest.raises(InfeasibleError, match="No generalization keeps every promise"):
                algorithm.solve(case.problem)
            continue
        solution = algorithm.solve(case.problem)
        node = check(case, solution)
        assert solution.loss.total == pytest.approx(losses[node])
        if solution.guarantee == "optimal":
            assert solution.loss.total == pytest.approx(least)
        assert isinstance(algorithm, Samarati | Incognito) or solution.guarantee == "optimal"
        n_solved += 1
        classes = {case.table.key(record, node) for record in case.table.records}
        n_partly += solution.suppressed > 0 and len(classes) == solution.groups.n_classes
    assert n_solved > 15
    assert n_partly > 2


def test_minimal_nodes_are_those_of_brute_force() -> None:
    for case in cases(36):
        allowed = [node for node, loss in case.losses().items() if loss < inf]
        least = {node for node in allowed if not any(lower(other, node) for other in allowed)}
        assert set(minimal_nodes(Lattice(case.problem))) == least


def test_the_advice_is_the_fewest_records_of_all_nodes() -> None:
    n_told = 0
    for case in cases(120):
        if min(case.losses().values()) < inf:
            continue
        with pytest.raises(InfeasibleError) as told:
            Optimal().solve(case.problem)
        top = tuple(case.table.height(column) for column in case.table.quasi)
        left = sum(map(len, case.left(top).values()))
        suppression = told.value.diagnosis["suppression"]
        assert suppression["records"] == (len(case.table.records) - left if left else None)
        assert suppression.get("exact", True)
        n_told += left > 0
    assert n_told > 5


SKEWED = PlainTable(
    [{"q": "x", "illness": value, "wage": value} for value in "aaab"], {"q": {"x": ("x", "*")}}, ("illness", "wage")
)


@pytest.mark.parametrize(
    ("models", "words"),
    [
        ((TCloseness(t=Fraction(1, 2), column="illness"),), "'t-closeness' is none, as it is asked for"),
        ((FrequencyLDiversity(l=2, column="illness", others="known"),), "'frequency-l-diversity' is none, as it is"),
        (
            (FrequencyLDiversity(l=2, column="illness"), FrequencyLDiversity(l=2, column="wage")),
            "these are about more than one column, or about one value among others",
        ),
    ],
    ids=str,
)
def test_other_promises_are_refused(models: tuple[PrivacyModel, ...], words: str) -> None:
    problem = replace(problem_of(SKEWED, Rules(models), "lm", Fraction(1, 2)), by_record=True)
    with pytest.raises(SpecError, match=words) as told:
        Optimal().solve(problem)
    assert str(told.value).startswith("suppress = 'records' takes promises that look at the values of one sensitive")
    assert "Use suppress = 'classes', or an algorithm that recodes each class on its own" in str(told.value)


@pytest.mark.parametrize("changes", [{"stars": True}, {"wildcard": True}], ids=str)
def test_classes_that_depend_on_each_other_are_refused(changes: dict[str, bool]) -> None:
    models = (FrequencyLDiversity(l=2, column="illness"),)
    asked = problem_of(SKEWED, Rules(models, **changes), "lm", Fraction(1, 2))
    with pytest.raises(SpecError, match="let classes depend on each other"):
        Optimal().solve(replace(asked, by_record=True))


def test_measures_that_do_not_add_up_or_charge_more_for_a_class_are_refused() -> None:
    models = (FrequencyLDiversity(l=2, column="illness"),)
    asked = replace(problem_of(SKEWED, Rules(models), "lm", Fraction(1, 2)), by_record=True)
    with pytest.raises(SpecError, match="'entropy' may charge more for a class than for suppressing it"):
        Optimal().solve(replace(asked, measure=MEASURES["entropy"]()))
    with pytest.raises(
        SpecError, match="needs a loss that is a sum over cells, such as 'lm', but the measure depends on"
    ):
        Optimal().solve(replace(asked, measure=MEASURES["discernibility"]()))
