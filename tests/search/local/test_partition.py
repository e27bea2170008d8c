"""A partition as a release, against plain counting."""

from collections import Counter
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.classes.grouping import Parts
from shoal.foundation.errors import InfeasibleError, SpecError
from shoal.measures import MEASURES, CellMeasure, Discernibility, Lm, Measure
from shoal.models import DistinctLDiversity, FrequencyLDiversity, KAnonymity, KMap, PrivacyModel
from shoal.search.engines.local import assigned, count, publish
from shoal.search.local.partition import cell_measure, check_local, solution_of
from shoal.search.problem import Problem, Solution
from shoal.tables.hierarchies import Hierarchy, Ranges, Sets
from shoal.tables.table import Role, Table
from tests.oracles.partitions import Case, cases, closure, full_price, parts_of, price, table_of

CELLS = [measure for member in MEASURES if isinstance(measure := member(), CellMeasure)]
quick = settings(deadline=None, max_examples=30)

Published = tuple[frozenset[int], ...]


def problem_of(case: Case, measure: Measure, *models: PrivacyModel, limit: str = "1", stars: bool = False) -> Problem:
    return Problem(case.counted.tally, models, measure, Fraction(limit), stars)


def plain_release(case: Case) -> tuple[dict[Published, Counter[int]], Counter[int]]:
    """Return the points of each published tuple, and the suppressed ones, with their numbers of records."""
    tally, released, lost = case.counted.tally, dict[Published, Counter[int]](), Counter[int]()
    for label, members in case.members().items():
        points = Counter[int]()
        for point, number in members:
            points[point] += number
        if label < 0:
            lost = points
            continue
        cells = tuple(
            closure(column.hierarchy, frozenset(int(tally.codes[point, j]) for point in points))
            for j, column in enumerate(tally.quasi)
        )
        released[cells] = released.get(cells, Counter[int]()) + points
    return released, lost


def plain_loss(case: Case, name: str) -> float:
    tally, (released, lost) = case.counted.tally, plain_release(case)
    paid = 0.0
    for j, column in enumerate(tally.quasi):
        for cells, points in released.items():
            for point, number in points.items():
                paid += column.weight * number * price(name, column, int(tally.codes[point, j]), cells[j])
        for point, number in lost.items():
            paid += column.weight * number * full_price(name, column, int(tally.codes[point, j]))
    return paid


def sizes(solution: Solution) -> list[int]:
    return sorted(solution.groups.sizes.tolist())


MONOTONE = [measure for measure in CELLS if measure.monotone]


@pytest.mark.parametrize("measure", MONOTONE, ids=lambda measure: measure.name)
@quick
@given(case=cases(), stars=st.booleans())
def test_equal_closures_are_one_class_and_the_loss_is_that_of_all_cells(
    measure: CellMeasure, case: Case, stars: bool
) -> None:
    released, lost = plain_release(case)
    problem = problem_of(case, measure, KAnonymity(k=1), stars=stars)
    if not released:
        with pytest.raises(InfeasibleError):
            solution_of(problem, case.parts)
        return
    solution = solution_of(problem, case.parts)
    assert sizes(solution) == sorted(points.total() for points in released.values())
    assert solution.suppressed == lost.total()
    assert solution.loss.total == pytest.approx(plain_loss(case, measure.name), abs=1e-9)
    assert solution.recoding.n_classes == solution.groups.n_classes == solution.parts.n_classes
    listed = zip(solution.parts.points.tolist(), solution.parts.classes.tolist(), strict=True)
    assert len(set(listed)) == len(solution.parts.points)
    held = np.bincount(solution.parts.points, weights=solution.parts.counts, minlength=case.counted.tally.n_points)
    assert held.tolist() == case.counted.tally.counts.tolist()
    for label in range(solution.parts.n_classes):
        mine = solution.parts.classes == label
        assert solution.parts.counts[mine].sum() == solution.groups.sizes[label]


@quick
@given(case=cases())
def test_a_measure_of_classes_is_served_too(case: Case) -> None:
    released, lost = plain_release(case)
    if released:
        solution = solution_of(problem_of(case, Discernibility(), KAnonymity(k=1)), case.parts)
        n_records = case.counted.tally.n_records
        squares = sum(points.total() ** 2 for points in released.values())
        assert solution.loss.total == squares + lost.total() * n_records


@quick
@given(
    case=cases(max_records=20, max_classes=3),
    k=st.integers(1, 4),
    l=st.integers(1, 3),
    limit=st.sampled_from(["0", "0.2", "1"]),
    stars=st.booleans(),
)
def test_promises_and_the_limit_are_checked(case: Case, k: int, l: int, limit: str, stars: bool) -> None:  # noqa: E741
    released, lost = plain_release(case)
    profiles = case.counted.tally.profiles
    groups = [*released.values(), *([lost] if stars and lost else [])]
    kept = all(points.total() >= k and len({int(profiles[p]) for p in points}) >= l for points in groups)
    allowed = bool(released) and kept and lost.total() <= Fraction(limit) * case.counted.tally.n_records
    asked = problem_of(
        case, Lm(), KAnonymity(k=k), DistinctLDiversity(l=l, column="sensitive"), limit=limit, stars=stars
    )
    if allowed:
        solution_of(asked, case.parts)
    else:
        with pytest.raises(InfeasibleError, match="do not keep every promise with at most"):
            solution_of(asked, case.parts)


@quick
@given(case=cases(), stars=st.booleans(), seed=st.integers(0, 9))
def test_what_leaves_is_what_was_solved(case: Case, stars: bool, seed: int) -> None:
    """The file's identical tuples are the classes; only suppressed stars may join a class of stars."""
    released, lost = plain_release(case)
    if not released:
        return
    solution = solution_of(problem_of(case, Lm(), KAnonymity(k=1), stars=stars), case.parts)
    rng = np.random.default_rng(seed)
    classes = assigned(case.table, case.counted, solution, rng)
    published = publish(case.table, solution, classes, stars=stars, shuffled=True, rng=rng)
    frame = published.frame().select(pl.all().cast(pl.String))
    names = [column.name for column in case.counted.tally.quasi]
    shown = Counter(frame.select(names).rows())
    everything = ("*",) * len(names)
    expected = sorted(points.total() for points in released.values())
    if stars and lost:
        assert shown[everything] >= lost.total()
        shown[everything] -= lost.total()
    assert sorted((+shown).values()) == expected
    assert frame.height == case.counted.tally.n_records - (0 if stars else lost.total())
    kept = Counter(row[-1] for row in case.rows)
    assert Counter(frame["sensitive"].to_list()) <= kept


def people(*ages: str | None, spec: Ranges | Sets | None = None) -> Problem:
    table = table_of(["age"], [(age, "x") for age in ages])
    built = (spec or Ranges()).build(sorted({age for age in ages if age is not None}), "age")
    return Problem(count(table, {"age": built}, {}, ("sensitive",)).tally, (KAnonymity(k=2),), Lm())


def test_a_loss_that_reaches_its_bound_is_optimal() -> None:
    problem = people("1", "1", "9", "9")
    parts = parts_of([[0, 0], [1, 1]])
    assert solution_of(problem, parts, bound=0.0, guarantee="factor", factor=3.0).guarantee == "optimal"
    found = solution_of(problem, parts_of([[0, 0], [0, 0]]), bound=0.0, guarantee="factor", factor=3.0, remark="so")
    assert (found.guarantee, found.bound, found.factor, found.remark) == ("factor", 0.0, 3.0, "so")
    assert found.loss.total == 4


def test_the_parts_of_a_point_in_classes_that_are_published_alike_are_joined() -> None:
    found = solution_of(people("1", "1", "9", "9"), parts_of([[0, 2], [0, 2]]))
    assert found.parts.counts.tolist() == [2, 2]
    assert found.parts.classes.tolist() == [0, 0]
    assert sizes(found) == [4]


def test_parts_without_records_widen_no_class() -> None:
    """Nor do numbers of classes without parts leave a class behind."""
    parts = Parts(
        np.array([0, 1, 2, 2], dtype=np.int32),
        np.array([3, 3, 3, 7], dtype=np.int32),
        np.array([2, 2, 0, 2], dtype=np.int64),
    )
    found = solution_of(people("1", "1", "5", "5", "9", "9"), parts)
    assert [found.recoding.shown[0].labels[cell] for cell in found.recoding.cells[:, 0]] == ["1 - 5", "9"]
    assert sizes(found) == [2, 4]


def test_missing_values_that_match_everything_are_looked_at() -> None:
    """Alone each class of 1 and the missing one are too small; an attacker cannot tell them apart."""
    problem = people("1", "1", None)
    parts = parts_of([[0, 0], [1]])
    with pytest.raises(InfeasibleError, match=r"^The classes that were found do not keep every promise with at most 0"):
        solution_of(problem, parts)
    wildcard = Problem(problem.tally, (KAnonymity(k=3),), Lm(), wildcard=True)
    assert sizes(solution_of(wildcard, parts)) == [1, 2]
    more = Problem(problem.tally, (KAnonymity(k=4),), Lm(), wildcard=True)
    with pytest.raises(InfeasibleError, match="every promise where missing values match everything"):
        solution_of(more, parts)


def test_fewer_records_than_k_are_told() -> None:
    problem = people("1", "5", "9")
    asked = Problem(problem.tally, (KAnonymity(k=4),), Lm())
    with pytest.raises(InfeasibleError) as caught:
        check_local(asked, "mondrian")
    assert "k-anonymity fails: asked is k = 4; even one class of all records reaches only k = 3" in str(caught.value)
    check_local(Problem(problem.tally, (KAnonymity(k=3),), Lm()), "mondrian")
    half = Problem(problem.tally, (KAnonymity(k=4),), Lm(), max_suppressed=Fraction(1, 2))
    with pytest.raises(InfeasibleError, match="No amount of suppression helps"):
        check_local(half, "mondrian")


def test_a_promise_that_suppression_could_save_is_told_apart() -> None:
    """Two of three records show x; without one of them half would."""
    table = table_of(["age"], [("1", "x"), ("1", "x"), ("1", "y")])
    tally = count(table, {"age": Ranges().build(["1"], "age")}, {}, ("sensitive",)).tally
    model = FrequencyLDiversity(l=2, column="sensitive")
    with pytest.raises(InfeasibleError, match="frequency-l-diversity on 'sensitive' fails"):
        check_local(Problem(tally, (model,), Lm()), "mondrian")
    with pytest.raises(
        InfeasibleError, match=r"^A single class of all records does not keep frequency-l-diversity, and"
    ):
        check_local(Problem(tally, (model,), Lm(), max_suppressed=Fraction(1, 2)), "mondrian")
    with pytest.raises(InfeasibleError, match="frequency-l-diversity on 'sensitive' fails"):
        check_local(Problem(tally, (model,), Lm(), max_suppressed=Fraction(1, 2), stars=True), "mondrian")


def test_outside_tables_are_refused() -> None:
    table = Table.of(pl.DataFrame({"age": ["1", "5"]}), {"age": Role.QUASI})
    counted = count(table, {"age": Ranges().build(["1", "5"], "age")}, {}, (), {"people.csv": table})
    problem = Problem(counted.tally, (KMap(k=2, population="people.csv"),), Lm())
    with pytest.raises(SpecError, match=r"^The algorithm 'mondrian' recodes each class separately, so that"):
        check_local(problem, "mondrian")


def test_only_measures_of_cells_can_be_lowered_cell_by_cell() -> None:
    problem = people("1", "1")
    assert cell_measure(problem, "forest") is problem.measure
    with pytest.raises(
        SpecError, match=r"^The algorithm 'forest' minimizes a loss that is a sum over cells, but 'discern"
    ):
        cell_measure(Problem(problem.tally, (KAnonymity(k=2),), Discernibility()), "forest")


@pytest.mark.parametrize("spec", [Ranges(), Sets()])
def test_a_column_that_is_all_missing_or_has_one_value(spec: Ranges | Sets) -> None:
    for ages in ((None, None), ("7", "7")):
        problem = people(*ages, spec=spec)
        found = solution_of(problem, parts_of([[0, 0]]))
        assert found.loss.total == 0
        assert found.recoding.published(0)[0] == [ages[0]]


def test_a_column_without_weight_costs_nothing_and_is_recoded_all_the_same() -> None:
    table = table_of(["age"], [("1", "x"), ("9", "x")])
    counted = count(table, {"age": Hierarchy.of_rows([("1", "*"), ("9", "*")], "tree")}, {"age": 0.0}, ())
    found = solution_of(Problem(counted.tally, (KAnonymity(k=2),), Lm()), parts_of([[0], [0]]))
    assert found.loss.total == 0
    assert found.loss.share == 0
    assert found.recoding.published(0)[0] == ["*"]
