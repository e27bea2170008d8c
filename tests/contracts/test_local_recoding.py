"""What every algorithm that recodes each class for itself promises, against brute force over all partitions."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import cache
from random import Random

import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from shoal.foundation.errors import InfeasibleError, SpecError
from shoal.measures import MEASURES, CellMeasure
from shoal.models import KAnonymity
from shoal.search.algorithms.algorithm import Algorithm
from shoal.search.engines.local import count
from shoal.search.problem import Problem, Solution
from shoal.tables.table import Role, Table
from tests.contracts.local_variants import VARIANTS
from tests.oracles.checks import close
from tests.oracles.hardness.hard_instances import (
    FANO,
    NO_TRIANGLES,
    Vector,
    blocks,
    copies,
    edge_disjoint_triangles,
    table_of,
    triangles_optimum,
    triangles_table,
    waves,
)
from tests.oracles.local.checks import check_advice, check_case, check_claims, check_texts, check_words, slack
from tests.oracles.local.random_jobs import FORMS, Case, plain_request, random_local, random_request
from tests.oracles.local.tables import LocalTable, full_hierarchy, local_problem
from tests.oracles.plain import Rows, Rules
from tests.oracles.problems import published

algorithms = pytest.mark.parametrize("algorithm", VARIANTS.values(), ids=VARIANTS)
SEEDS = st.integers(0, 10**6)
DEEP = pytest.mark.deep
CELLS = [member.name for member in MEASURES if isinstance(member(), CellMeasure)]


def solved(case: Case, algorithm: Algorithm) -> Solution | None:
    """Return a checked solution of a case that every algorithm must solve, or None if it is not made for such a k."""
    solution = check_case(case, algorithm)
    assert (solution is not None) == made_for(algorithm, case), "refused what every algorithm must solve"
    return solution


def made_for(algorithm: Algorithm, case: Case) -> bool:
    """Tell whether an algorithm takes the k of a case."""
    return algorithm.most_k is None or case.problem.k <= algorithm.most_k


def k_anonymous(table: LocalTable, k: int, measure: str = "stars") -> Case:
    return Case(table, Rules((KAnonymity(k=k),)), measure, Fraction(0))


def of_trees(seed: int, n: int, n_columns: int = 4, *, missing: bool = False) -> LocalTable:
    return random_local(Random(seed), n, forms=("tree",), n_columns=n_columns, missing=missing)  # noqa: S311


@algorithms
@settings(max_examples=50)
@given(seed=SEEDS)
def test_a_release_is_as_good_as_it_says(algorithm: Algorithm, seed: int) -> None:
    check_case(random_request(seed), algorithm)


@algorithms
@settings(max_examples=25)
@given(seed=SEEDS, measure=st.sampled_from(CELLS))
@example(seed=243, measure="entropy")  # one point, which is published as it is
def test_every_release_stands_beside_a_bound(algorithm: Algorithm, seed: int, measure: str) -> None:
    """All forms, weights, suppression, stars, wildcards and promises, if the measure has a price for a cell."""
    solution = check_case(random_request(seed, measure), algorithm)
    assert solution is None or solution.bound is not None


@algorithms
@pytest.mark.parametrize("measure", ["stars", "tree"])
@settings(max_examples=15)
@given(seed=SEEDS)
def test_k_anonymity_of_trees_is_solved(algorithm: Algorithm, measure: str, seed: int) -> None:
    solved(plain_request(seed, measure), algorithm)


@algorithms
@pytest.mark.parametrize("measure", MEASURES.names)
def test_every_measure_is_priced_as_defined(algorithm: Algorithm, measure: str, seeds: Callable[[int], range]) -> None:
    for seed in seeds(3):
        case = random_request(100 + seed, measure=measure)
        check_case(case, algorithm)
        check_case(k_anonymous(case.table, 2, measure), algorithm)


@cache
def short_cases(n: int, number: int) -> list[Case]:
    """Return tables of k to 2k - 1 records, of so many seeds."""
    tables = [(of_trees(seed, n), k) for seed in range(number) for k in {n, (n + 2) // 2}]
    return [k_anonymous(table, k, measure) for table, k in tables for measure in ("stars", "tree")]


@algorithms
@pytest.mark.parametrize("n", [1, 4, 9, *(pytest.param(n, marks=DEEP) for n in (3, 5))])
def test_fewer_than_2k_records_are_one_class(algorithm: Algorithm, n: int, seeds: Callable[[int], range]) -> None:
    for case in short_cases(n, len(seeds(4))):
        solution = solved(case, algorithm)
        if solution is None:
            continue
        assert solution.groups.sizes.tolist() == [n]
        assert case.optimum is not None
        assert close(solution.loss.total, case.optimum)


@algorithms
@pytest.mark.parametrize("limit", [Fraction(0), Fraction(1)])
def test_fewer_than_k_records_are_an_error(algorithm: Algorithm, limit: Fraction) -> None:
    rows = {f"secret{number}": (f"secret{number}", "*") for number in range(4)}
    records = [{"city": f"secret{number % 4}"} for number in range(7)]
    case = Case(LocalTable(records, {"city": rows}), Rules((KAnonymity(k=8),)), "stars", limit)
    with pytest.raises(InfeasibleError) as caught:
        algorithm.solve(case.problem)
    words = str(caught.value)
    check_words(case, words)
    assert "k-anonymity" in words
    assert "7" in words


@algorithms
def test_equal_records_lose_nothing(algorithm: Algorithm) -> None:
    for n, k in ((1, 1), (2, 2), (5, 2), (9, 3)):
        table = of_trees(n, 1)
        solution = solved(k_anonymous(table.with_records([table.records[0]] * n), k), algorithm)
        assert solution is None or solution.loss.total == 0
        assert solution is None or solution.groups.sizes.tolist() == [n]


@cache
def different_cases(k: int, number: int) -> list[Case]:
    """Return tables in which no two records share a value, of so many sizes, some small and some large first."""
    cases = []
    for n in sorted(range(k, 10), key=lambda n: (n + 1) % 3)[:number]:
        rows = {f"v{value}": (f"v{value}", f"half {2 * value // n}", "*") for value in range(n)}
        turned = list(range(n))
        Random(n).shuffle(turned)  # noqa: S311
        records = [{"one": f"v{number}", "other": f"v{turned[number]}"} for number in range(n)]
        table = LocalTable(records, {"one": rows, "other": rows})
        cases += [k_anonymous(table, k, measure) for measure in ("stars", "tree")]
    return cases


@algorithms
@pytest.mark.parametrize("k", [1, 2, pytest.param(3, marks=pytest.mark.deep)])
def test_records_that_all_differ(algorithm: Algorithm, k: int, seeds: Callable[[int], range]) -> None:
    for case in different_cases(k, len(seeds(10 - k))):
        solution = solved(case, algorithm)
        assert k > 1 or solution is None or solution.loss.total == 0


@cache
def corner_cases(number: int) -> list[Case]:
    """Return tables of one column, of one value, with a column of one value, with missing values, without weights."""
    cases = []
    constant: dict[str, Rows] = {"q": {"v": ("v", "*")}}
    for seed in range(number):
        k = 1 + seed % 4
        table = of_trees(seed, 8, 1)
        records = [{**record, "q": "v"} for record in table.records]
        cases.append(k_anonymous(table, k))
        cases.append(k_anonymous(LocalTable(records, {**constant, **table.hierarchies}), k, "tree"))
        cases.append(k_anonymous(LocalTable(records, constant), k))
        cases.append(k_anonymous(of_trees(seed, 8, missing=True), k, "tree" if seed % 2 else "stars"))
        wide = of_trees(seed, 7)
        cases.append(k_anonymous(replace(wide, weights=dict.fromkeys(wide.quasi, 0.0)), k))
    return cases


@algorithms
def test_corners(algorithm: Algorithm, seeds: Callable[[int], range]) -> None:
    for case in corner_cases(len(seeds(8))):
        solution = solved(case, algorithm)
        free = not any(case.table.weights.get(column, 1.0) for column in case.table.quasi)
        assert solution is None or solution.loss.total == 0 or not free


@algorithms
@pytest.mark.parametrize("seed", [*range(3), *(pytest.param(seed, marks=DEEP) for seed in range(3, 10))])
def test_the_order_of_the_records_does_not_matter(algorithm: Algorithm, seed: int) -> None:
    rng = Random(seed)  # noqa: S311
    forms = ("tree",) if seed % 2 else FORMS
    table = random_local(rng, 14, forms=forms, missing=seed % 3 == 0)
    order = rng.sample(range(14), 14)
    answers = []
    for records in (table.records, [table.records[number] for number in order], table.records):
        shuffled = table.with_records(records)
        problem = counted(shuffled, seed)
        try:
            solution = algorithm.solve(problem)
        except SpecError as error:
            check_advice(Case(table, Rules(problem.models), "stars", Fraction(0)), str(error))
            return
        texts = Counter((tuple(record.items()), shown) for record, shown in published(shuffled, problem, solution))
        answers.append((texts, solution.loss, solution.bound, solution.guarantee, solution.factor))
    assert answers[0] == answers[1] == answers[2]


def counted(table: LocalTable, seed: int) -> Problem:
    """Count a table as a run does, in the order of its records."""
    frame = pl.DataFrame(table.records, schema=dict.fromkeys((*table.quasi, *table.sensitive), pl.String))
    roles = {name: Role.QUASI if name in table.quasi else Role.SENSITIVE for name in frame.columns}
    empty = table.with_records([])  # since `count` adds the leaf for a missing value
    hierarchies = {column: full_hierarchy(empty, column) for column in table.quasi}
    tally = count(Table.of(frame, roles), hierarchies, table.weights, table.sensitive).tally
    return Problem(tally, (KAnonymity(k=1 + seed % 4),), MEASURES[("stars", "tree")[seed % 2]]())


@algorithms
@pytest.mark.parametrize("measure", ["stars", "entropy", *(pytest.param(name, marks=DEEP) for name in ("tree", "lm"))])
def test_larger_tables(algorithm: Algorithm, measure: str) -> None:
    """What is published is checked as for small tables; the optimum is not known."""
    for seed, (n, k) in enumerate([(40, 2), (60, 5), (90, 10)]):
        case = k_anonymous(of_trees(seed, n), k, measure)
        try:
            solution = algorithm.solve(case.problem)
        except SpecError as error:
            check_advice(case, str(error))
            assert measure != "stars" or not made_for(algorithm, case)
            continue
        check_texts(case, case.problem, solution)
        if solution.bound is not None:
            assert solution.bound <= solution.loss.total + slack(solution.loss.total)


@pytest.mark.skipif(not VARIANTS, reason="no algorithm to compare")
@pytest.mark.parametrize(
    ("measure", "limit"),
    [
        pytest.param(name, limit, marks=DEEP if (number + bool(limit)) % 2 else [], id=f"{name}-{limit}")
        for number, name in enumerate(("stars", "tree", "lm", "entropy", "monotone-entropy"))
        for limit in (Fraction(0), Fraction(1, 10))
    ],
)
def test_what_one_algorithm_claims_no_other_refutes(measure: str, limit: Fraction) -> None:
    """No release loses less than the optimum: so no bound is above the loss of any, nor a factor below its ratio."""
    for seed, (n, k) in enumerate([(30, 2), (45, 4)]):
        case = replace(k_anonymous(of_trees(50 + seed, n), k, measure), limit=limit)
        found = []
        for algorithm in VARIANTS.values():
            try:
                found.append(algorithm.solve(case.problem))
            except SpecError as error:
                check_advice(case, str(error))
        best = min(solution.loss.total for solution in found)
        for solution in found:
            assert solution.bound is None or solution.bound <= best + slack(best)
            factor = {"optimal": 1.0, "factor": solution.factor, "none": None}[solution.guarantee]
            assert factor is None or solution.loss.total <= factor * best + slack(best)


@algorithms
@pytest.mark.parametrize("seed", [*range(2), *(pytest.param(seed, marks=DEEP) for seed in range(2, 6))])
def test_a_search_that_is_stopped_at_once_still_publishes(algorithm: Algorithm, seed: int) -> None:
    case = plain_request(seed)
    if not made_for(algorithm, case):
        return
    problem = local_problem(case.table, case.rules, case.measure, case.limit, time_limit=0.0)
    try:
        solution = algorithm.solve(problem)
    except InfeasibleError as error:
        check_advice(case, str(error))
        return
    check_texts(case, problem, solution)
    check_claims(case, solution)


def check_known(algorithm: Algorithm, vectors: list[Vector], k: int, least: float, alphabet: int = 2) -> float | None:
    """Assert that a release is right, and its claims too, where the optimum is known from theory; return its loss.

    These tables have many columns: an algorithm may refuse more than 20.
    """
    case = k_anonymous(table_of(vectors, alphabet), k)
    try:
        solution = algorithm.solve(case.problem)
    except SpecError as error:
        assert len(vectors[0]) > 20 or not made_for(algorithm, case)
        check_advice(case, str(error))
        return None
    check_texts(case, case.problem, solution)
    case.__dict__["optimum"] = float(least)
    check_claims(case, solution)
    return solution.loss.total


@algorithms
@pytest.mark.parametrize("k", [2, 3, *(pytest.param(k, marks=pytest.mark.deep) for k in (4, 5))])
def test_families_with_equal_graphs(algorithm: Algorithm, k: int) -> None:
    length = 2 ** (k - 2)
    for vectors, least in ((blocks(k), k * k * length), (waves(k), k * (4 * length - 2))):
        loss = check_known(algorithm, vectors, k, least)
        assert loss is None or close(loss, least)
        check_known(algorithm, copies(vectors, 3), k, 3 * least, 3)


@algorithms
def test_triangles(algorithm: Algorithm, seeds: Callable[[int], range]) -> None:
    for seed in seeds(4):
        edges = edge_disjoint_triangles(Random(seed), 5 + 2 * seed, 2 + seed)  # noqa: S311
        check_known(algorithm, triangles_table(edges), 3, triangles_optimum(len(edges)), 3)
    check_known(algorithm, triangles_table(FANO), 3, triangles_optimum(len(FANO)), 3)
    for graph in NO_TRIANGLES:
        solved(k_anonymous(table_of(triangles_table(graph), 3), 3), algorithm)
