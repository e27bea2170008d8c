"""What every solution must keep, checked on the published records against the brute force."""

import math
from collections import Counter
from fractions import Fraction
from itertools import product

from shoal.foundation.errors import InfeasibleError
from shoal.search.algorithms import AttributeSuppression, Exhaustive, Optimal, TupleSuppression
from shoal.search.algorithms.algorithm import Algorithm
from shoal.search.problem import Problem, Solution
from tests.oracles.full_domain import FullDomain, Judged, matches, nodes, stars_stand
from tests.oracles.plain import Key, Node, Record
from tests.oracles.problems import problem_of, published
from tests.oracles.promises import keep_together, keeps


def close(one: float, other: float) -> bool:
    """Tell whether two losses are the same but for rounding."""
    return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-9)


def node_of(space: FullDomain, solution: Solution) -> Node:
    """Return the level vector of a solution."""
    return tuple(solution.levels[column] for column in space.table.quasi)


def check_release(space: FullDomain, problem: Problem, solution: Solution) -> Judged:
    """Assert that a solution is an allowed release, is what it says it is, and costs what it says."""
    table = space.table
    node = node_of(space, solution)
    classes: dict[Key, list[Record]] = {}
    gone = []
    for record, shown in published(table, problem, solution):
        if shown is None:
            gone.append(record)
        else:
            assert shown == table.key(record, node)
            classes.setdefault(shown, []).append(record)
    assert solution.groups.n_classes == solution.recoding.n_classes == len(classes) > 0
    assert sorted(solution.groups.sizes.tolist()) == sorted(map(len, classes.values()))
    assert len(gone) == solution.suppressed <= int(problem.max_suppressed * len(table.records))
    _check_promises(space, node, classes, gone)
    judged = Judged(node, frozenset(classes), len(gone), stars_allowed=True)
    assert close(solution.loss.total, space.loss(problem.measure.name, judged))
    if solution.bound is not None:
        assert solution.bound <= solution.loss.total + 1e-9
    return judged


def _check_promises(space: FullDomain, node: Node, classes: dict[Key, list[Record]], gone: list[Record]) -> None:
    table, rules = space.table, space.rules
    reference = table.records if rules.stars else [record for members in classes.values() for record in members]
    cells = [table.key(person, node) for person in table.people]
    outside = sum(cell not in classes for cell in cells)
    for key in classes:
        seen = [other for other in classes if matches(key, other)] if rules.wildcard else [key]
        members = [record for other in seen for record in classes[other]]
        covered = sum(cell in seen for cell in cells)
        for model in rules.models:
            assert keeps(model, members, reference, table.sensitive, covered, outside), model
    if not (rules.stars and gone):
        assert all(keep_together(model, list(classes.values())) for model in rules.models)
    if rules.stars and gone:
        everyone = {key: list(members) for key, members in classes.items()}
        for record in gone:
            everyone.setdefault(table.key(record, node), []).append(record)
        assert stars_stand(table, rules, everyone, set(classes), Counter(cells))


def searched(space: FullDomain, algorithm: Algorithm) -> list[Node]:
    """Return the level vectors that an algorithm may choose from."""
    if isinstance(algorithm, TupleSuppression):
        return [(0,) * len(space.table.quasi)]
    if isinstance(algorithm, AttributeSuppression):
        return list(product(*({0, space.table.height(column)} for column in space.table.quasi)))
    return list(nodes(space.table))


def check(
    space: FullDomain, algorithm: Algorithm, measure: str = "lm", limit: Fraction = Fraction(0)
) -> Solution | None:
    """Solve, and assert that the answer is right: a release as good as it says, or none if there is none."""
    problem = problem_of(space.table, space.rules, measure, limit)
    among = searched(space, algorithm)
    least = space.optimum(measure, limit, among)
    try:
        solution = algorithm.solve(problem)
    except InfeasibleError:
        assert least is None
        return None
    assert least is not None
    assert check_release(space, problem, solution).node in among
    assert solution.loss.total >= least - 1e-9
    if solution.bound is not None:
        assert solution.bound <= least + 1e-9
    if solution.guarantee == "optimal":
        assert solution.bound == solution.loss.total
        assert close(solution.loss.total, least)
    return solution


def check_optimal(space: FullDomain, measure: str = "lm", limit: Fraction = Fraction(0)) -> None:
    """Assert that the two searches of the whole lattice find the optimum of the brute force, or none."""
    for algorithm in (Optimal(), Exhaustive()):
        solution = check(space, algorithm, measure, limit)
        assert solution is None or solution.guarantee == "optimal"
