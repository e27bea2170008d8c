"""What every algorithm that generalizes all records alike promises, against brute force on small tables."""

from collections.abc import Callable
from fractions import Fraction
from random import Random

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.foundation.errors import InfeasibleError
from shoal.measures import MEASURES
from shoal.models import MODELS, KAnonymity
from shoal.search.algorithms import ALGORITHMS, Exhaustive, Incognito, Optimal, Samarati
from shoal.search.engines.local import count
from shoal.search.lattice.lattice import Lattice
from shoal.search.lattice.minimal import Preference, minimal_nodes
from shoal.search.problem import Problem
from shoal.tables.table import Role, Table
from tests.models.cases import WHOLE
from tests.oracles.checks import check, check_optimal, close, node_of
from tests.oracles.full_domain import FullDomain, Judged
from tests.oracles.losses import CELLS, CLASSES
from tests.oracles.plain import PlainTable, Rules
from tests.oracles.problems import hierarchy_of, problem_of
from tests.oracles.random_tables import LIMITS, MODEL_MAKERS, random_case, random_table

FULL_DOMAIN = [kind.name for kind in ALGORITHMS if not (kind.local or kind.alike or kind.objective)]
PREFERENCES: tuple[Preference, ...] = ("absolute-distance", "relative-distance", "distribution", "suppression")


def space_of(seed: int) -> FullDomain:
    return FullDomain(*random_case(seed))


def monotone(seed: int) -> FullDomain:
    """Return a random table with promises that let a search prune, suppression or not."""
    rng = Random(seed)  # noqa: S311  (tables, not secrets)
    names = rng.sample(["k-anonymity", "distinct-l-diversity", "p-sensitive-k-anonymity", "k-map"], 2)
    table = random_table(rng, people=True, missing=rng.random() < 0.3)
    return FullDomain(table, Rules(tuple(MODEL_MAKERS[name](rng) for name in names), wildcard=rng.random() < 0.3))


def test_the_brute_force_knows_all_measures_and_models() -> None:
    assert {*CELLS, *CLASSES} == set(MEASURES.names)
    assert set(MODEL_MAKERS) == set(MODELS.names)


@pytest.mark.parametrize("name", FULL_DOMAIN)
@settings(deadline=None, max_examples=30)
@given(seed=st.integers(0, 10**6), limit=st.sampled_from(LIMITS))
def test_a_release_keeps_all_promises_and_costs_what_it_says(name: str, seed: int, limit: Fraction) -> None:
    measure = MEASURES.names[seed % len(MEASURES.names)]
    check(space_of(seed), ALGORITHMS[name](), measure, limit)


@pytest.mark.parametrize("measure", MEASURES.names)
def test_the_optimum_of_every_measure_is_found(measure: str, seeds: Callable[[int], range]) -> None:
    for seed in seeds(14):
        space = space_of(7_000 + seed)
        check_optimal(space, measure, LIMITS[seed % len(LIMITS)])


@pytest.mark.parametrize(
    ("name", "stars", "wildcard"),
    [
        pytest.param(name, stars, wildcard, marks=pytest.mark.deep if (number + stars + wildcard) % 2 else [])
        for number, name in enumerate(MODEL_MAKERS)
        for stars in (False, True)
        for wildcard in (False, True)
        if not (wildcard and name in WHOLE)  # a job refuses that
    ],
)
def test_the_optimum_under_every_model_is_found(name: str, stars: bool, wildcard: bool) -> None:
    rng = Random(f"{name} {stars} {wildcard}")  # noqa: S311
    for limit in LIMITS:
        models = (MODEL_MAKERS[name](rng), *([KAnonymity(k=2)] if rng.random() < 0.5 else []))
        most, columns = (6, 2) if wildcard else (9, 3)  # with wildcards, all choices of the classes take long to try
        people = bool(models[0].population_file)
        table = random_table(rng, missing=wildcard, people=people, n_records=rng.randint(4, most), n_columns=columns)
        check_optimal(FullDomain(table, Rules(models, stars, wildcard)), rng.choice(MEASURES.names), limit)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("limit", [Fraction(0), Fraction(3, 10)])
def test_the_order_of_the_records_does_not_matter(seed: int, limit: Fraction) -> None:
    table, rules = random_case(seed)
    order = list(range(len(table.records)))
    Random(seed).shuffle(order)  # noqa: S311
    answers = []
    for records in (table.records, [table.records[i] for i in order]):
        shuffled = PlainTable(records, table.hierarchies, table.sensitive, table.weights)
        frame = pl.DataFrame(records, schema=dict.fromkeys((*table.quasi, *table.sensitive), pl.String))
        roles = {name: Role.QUASI if name in table.quasi else Role.SENSITIVE for name in frame.columns}
        hierarchies = {column: hierarchy_of(shuffled, column) for column in table.quasi}
        plain = {column: hierarchy for column, hierarchy in hierarchies.items() if None not in hierarchy.values}
        holed = {column: hierarchy_of(_filled(shuffled), column) for column in hierarchies if column not in plain}
        counted = count(Table.of(frame, roles), {**plain, **holed}, table.weights, table.sensitive)
        problem = Problem(counted.tally, (KAnonymity(k=2),), MEASURES["lm"](), limit, rules.stars)
        try:
            solution = Optimal().solve(problem)
            answers.append((solution.levels, solution.parts.classes[counted.point_of].tolist(), solution.loss))
        except InfeasibleError as error:
            answers.append(({}, [0] * len(order), str(error)))  # type: ignore[arg-type]
    (levels, labels, loss), again = answers
    assert again == (levels, [labels[i] for i in order], loss)


def _filled(table: PlainTable) -> PlainTable:
    """Return the table without a missing value, since `count` adds the leaf for it."""
    return PlainTable([], table.hierarchies)


@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 10**6), limit=st.sampled_from(LIMITS))
def test_samarati_finds_the_lowest_height(seed: int, limit: Fraction) -> None:
    space = monotone(seed) if seed % 2 else space_of(seed)
    heights = [sum(one.node) for one in space.feasible(limit)]
    solution = check(space, Samarati(), "lm", limit)
    if solution is not None:
        assert sum(node_of(space, solution)) == min(heights)
        there = [space.loss("lm", one) for one in space.feasible(limit) if sum(one.node) == min(heights)]
        assert close(solution.loss.total, min(there))


@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 10**6), limit=st.sampled_from(LIMITS))
def test_all_minimal_generalizations_are_found(seed: int, limit: Fraction) -> None:
    space = monotone(seed) if seed % 2 else space_of(seed)
    expected = space.minimal(limit)
    assert set(minimal_nodes(Lattice(problem_of(space.table, space.rules, "lm", limit)))) == expected
    for algorithm in (Incognito(), Exhaustive()):
        solution = check(space, algorithm, "lm", limit)
        found = solution.minimal if solution is not None else ()
        assert {tuple(node[column] for column in space.table.quasi) for node in found} == expected
        assert len(found) == len(expected)


def dislike(space: FullDomain, one: Judged, prefer: Preference) -> float:
    """Return what Samarati's criterion wants small."""
    if prefer == "absolute-distance":
        return sum(one.node)
    if prefer == "relative-distance":
        pairs = zip(one.node, space.table.quasi, strict=True)
        return float(sum(Fraction(level, space.table.height(column)) for level, column in pairs))
    return one.suppressed if prefer == "suppression" else -len(one.kept)


@pytest.mark.parametrize("prefer", PREFERENCES)
@pytest.mark.parametrize("kind", [Incognito, Exhaustive])
def test_the_preferred_minimal_generalization_is_taken(
    kind: type[Incognito] | type[Exhaustive], prefer: Preference, seeds: Callable[[int], range]
) -> None:
    for seed in seeds(12):
        space = monotone(seed) if seed % 2 else space_of(300 + seed)
        limit = LIMITS[seed % 4]
        solution = check(space, kind(prefer=prefer), "ncp", limit)
        if solution is None:
            continue
        assert solution.guarantee == "none"
        minimal = [space.at(node) for node in space.minimal(limit)]
        least = min(dislike(space, one, prefer) for one in minimal)
        ties = [one for one in minimal if close(dislike(space, one, prefer), least)]
        assert node_of(space, solution) in [one.node for one in ties]
        assert close(solution.loss.total, min(space.loss("ncp", one) for one in ties))


@pytest.mark.parametrize("seed", range(20))
def test_a_search_that_is_stopped_has_a_bound(seed: int) -> None:
    space = space_of(40 + seed)
    limit = LIMITS[seed % 4]
    measure = MEASURES.names[seed % len(MEASURES.names)]
    least = space.optimum(measure, limit)
    problem = problem_of(space.table, space.rules, measure, limit, time_limit=0.0)
    try:
        solution = Optimal().solve(problem)
    except InfeasibleError:
        with pytest.raises(InfeasibleError, match="Allow more time" if least is not None else "No "):
            Optimal().solve(problem)
        return
    assert least is not None
    assert solution.bound is not None
    assert solution.bound <= least + 1e-9
    assert solution.loss.total >= least - 1e-9
