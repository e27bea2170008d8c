"""Lower bounds against brute force, by hand, and against the loss of partitions of larger tables."""

import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import count
from random import Random

import numpy as np
import pytest

from shoal.classes.grouping import Parts
from shoal.foundation.errors import SpecError
from shoal.kernels.bounds.charges import Charges
from shoal.kernels.clock import clock
from shoal.measures import MEASURES, CellMeasure, Lm, Stars
from shoal.models import DistinctLDiversity, FrequencyLDiversity, KAnonymity
from shoal.search.bounds import best as best_bounds
from shoal.search.bounds import bounds, families
from shoal.search.bounds.best import best_bound
from shoal.search.bounds.bounds import FULL, LIGHT, QUICK, Bound, Effort, lower_bound
from shoal.search.local.forms import forms_of, offset_of
from shoal.search.local.partition import cell_measure, solution_of
from shoal.search.problem import Problem
from shoal.search.regions.box import LeafBox
from shoal.search.removal import removal_of
from tests.oracles.local.random_jobs import FORMS, Case, random_column, random_local, random_request, uneven_request
from tests.oracles.local.tables import Form, LocalTable, local_problem
from tests.oracles.plain import Record, Rules
from tests.search.regions.in_memory import part

CELLS = [member.name for member in MEASURES if isinstance(member(), CellMeasure)]
HAIR = 1e-9


def bound_of(problem: Problem, seconds: float | None = None, effort: Effort = FULL) -> Bound:
    assert isinstance(problem.measure, CellMeasure)
    return lower_bound(problem, forms_of(problem.tally.quasi, problem.measure), effort=effort, seconds=seconds)


def column(values: str, k: int, measure: str = "stars", limit: Fraction = Fraction(0), **rules: bool) -> Problem:
    """Return the problem of a column of letters below a star, where a blank is a missing value."""
    records = [{"q": None if letter == " " else letter} for letter in values]
    rows = {letter: (letter, "*") for letter in "abcd"}
    return local_problem(LocalTable(records, {"q": rows}), Rules((KAnonymity(k=k),), **rules), measure, limit)


def anonymous(seed: int, measure: str, forms: tuple[Form, ...], limit: Fraction = Fraction(0)) -> Case:
    """Return a tiny table, of which k-anonymity alone is asked."""
    rng = Random(seed)  # noqa: S311
    n = rng.randint(4, 8)
    table = random_local(rng, n, forms=forms, missing=rng.random() < 0.2)
    return Case(table, Rules((KAnonymity(k=rng.randint(2, min(n, 4))),)), measure, limit)


@pytest.mark.parametrize("measure", CELLS)
def test_no_bound_is_above_the_optimum(measure: str, seeds: Callable[[int], range]) -> None:
    """All forms and promises, with weights, duplicates, missing values, suppression, stars and wildcards.

    Sums of logarithms are rounded down by more than their errors; others are rounded up to whole units.
    """
    looked_at, hair = 0, 0.0 if "entropy" in measure else HAIR
    for seed in seeds(70):
        case = random_request(seed, measure)
        if case.optimum is not None:
            assert bound_of(case.problem).total <= case.optimum + hair
            for effort in (LIGHT, QUICK):
                best = best_bound(case.problem, effort=effort)
                assert best is not None
                assert best <= case.optimum + hair
            looked_at += 1
    assert looked_at > 40 * len(seeds(70)) / 70


@pytest.mark.parametrize("few", [0, 100])
def test_whatever_is_charged_the_bound_holds(few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Charges that are raised are lowered anywhere, and not where they are too high: the excess is subtracted."""
    rng = np.random.default_rng(0)

    def lower_anything(charges: Charges, patterns: object, quiet: object, raised: float, forward: bool) -> None:
        charges.own[:] -= 0.002 * raised * rng.random(len(charges.own))

    monkeypatch.setattr(bounds, "_FEW", few)
    monkeypatch.setattr(bounds, "lower_charges", lower_anything)
    for seed in range(60):
        case = random_request(seed % 24, CELLS[seed % len(CELLS)])
        if case.optimum is not None:
            assert bound_of(case.problem).total <= case.optimum + HAIR


@pytest.mark.parametrize("measure", CELLS)
@pytest.mark.parametrize("forms", [("tree",), ("ranges", "numbers"), ("grid",), ("sets",), FORMS], ids="-".join)
def test_bounds_are_close_to_the_optimum(measure: str, forms: tuple[Form, ...], seeds: Callable[[int], range]) -> None:
    ratios = []
    for seed in seeds(40):
        limit = Fraction(seed % 5 == 0, 4)
        case = anonymous(seed, measure, forms, limit)
        assert case.optimum is not None
        total = bound_of(case.problem).total
        assert total <= case.optimum + HAIR
        if case.optimum > HAIR:
            ratios.append(total / case.optimum)
    assert np.mean(ratios) > (0.85 if forms == ("tree",) else 0.75)


def test_trees_have_tight_bounds_on_average(seeds: Callable[[int], range]) -> None:
    cases = [anonymous(1000 + seed, CELLS[seed % len(CELLS)], ("tree",)) for seed in seeds(200)]
    ratios = [bound_of(case.problem).total / case.optimum for case in cases if case.optimum and case.optimum > HAIR]
    assert max(ratios) <= 1 + HAIR
    assert np.mean(ratios) > 0.85


def test_bounds_by_hand() -> None:
    assert bound_of(column("aabb", 2)) == Bound(0.0, "values")
    assert bound_of(column("abc", 2)) == Bound(3.0, "patterns")
    # one record among many takes k - 1 of them along, and is charged for all
    assert bound_of(column("aaaaab", 3)) == Bound(3.0, "dual")
    assert bound_of(column("aaaaab", 3, limit=Fraction(1, 6))) == Bound(1.0, "patterns")
    assert bound_of(column("aabb", 2, "nonuniform-entropy")) == Bound(0.0, "values")
    # b costs log2(6), and two of the a log2(6 / 5) each
    expected = np.log2(6) + 2 * np.log2(6 / 5)
    assert bound_of(column("aaaaab", 3, "nonuniform-entropy")).total == pytest.approx(expected, rel=1e-3)
    assert bound_of(column("aaaaab", 3, "entropy")).total == pytest.approx(3 * 0.650022, rel=1e-3)


def test_a_bound_without_a_common_unit_is_not_rounded_up() -> None:
    """Joining x and y costs a thousandth of a bit for each record, and logarithms of the other column are large."""
    rows = {name: {value: (value, "*") for value in values} for name, values in {"q": "abc", "r": "xy"}.items()}
    records = [{"q": q, "r": r} for q in "abc" for r in "xy"]
    table = LocalTable(records, rows, weights={"q": 1000.0, "r": 0.001})
    found = bound_of(local_problem(table, Rules((KAnonymity(k=2),)), "entropy")).total
    assert 0.006 * (1 - 1e-9) < found <= 0.006


def test_a_bound_with_an_offset_is_not_rounded_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Logarithms of powers of two have a common unit; the search goes up to a 1024th for four lonely records."""
    monkeypatch.setattr(bounds, "_FEW", 0)
    monkeypatch.setattr(families, "_LAST", 1.0)
    values = {"a": 64, "b": 32, "c": 16, "d": 8, "e": 4, **dict.fromkeys("fghi", 1)}
    records = [{"q": letter} for letter, number in values.items() for _ in range(number)]
    table = LocalTable(records, {"q": {letter: (letter, "*") for letter in values}})
    problem = local_problem(table, Rules((KAnonymity(k=2),)), "nonuniform-entropy")
    found = bound_of(problem, effort=Effort(0, 0, quick=True))
    assert found.kind == "patterns"
    assert found.total == pytest.approx(4 * 7 / 1024)


@pytest.mark.parametrize(("values", "k"), [("aaaa", 2), ("a", 1), ("abcd", 1), ("aabb", 5)])
def test_where_nothing_can_be_said_the_bound_is_nothing(values: str, k: int) -> None:
    for measure in CELLS:
        assert bound_of(column(values, k, measure)) == Bound(0.0, "values")


def test_a_wildcard_may_stand_alone() -> None:
    assert bound_of(column("ab ", 2, wildcard=True)).total == 0
    assert bound_of(column("abc", 2, wildcard=True)).total == 3
    assert bound_of(column("ab ", 2)).total == 3


def test_a_missing_value_in_any_column_may_be_a_wildcard() -> None:
    """The record without `r` matches both others of a, so that all stand as they are."""
    rows = {name: {value: (value, "*") for value in values} for name, values in {"q": "ab", "r": "xyz"}.items()}
    cells = (("a", "x"), ("a", "y"), ("a", None))
    table = LocalTable([{"q": q, "r": r} for q, r in cells], rows)
    for wildcard, least in ((True, 0), (False, 3)):
        case = Case(table, Rules((KAnonymity(k=2),), wildcard=wildcard), "stars", Fraction(0))
        assert (case.optimum, bound_of(case.problem).total) == (least, least)


def test_promises_that_imply_a_size_count() -> None:
    table = LocalTable(
        [{"q": letter, "illness": illness} for letter, illness in zip("abc", "xyz", strict=True)],
        {"q": {letter: (letter, "*") for letter in "abc"}},
        ("illness",),
    )
    problem = local_problem(table, Rules((DistinctLDiversity(l=3, column="illness"),)), "stars")
    assert problem.k == 3
    assert bound_of(problem).total == 3


def test_a_measure_of_classes_has_no_such_bound() -> None:
    problem = column("abc", 2)
    forms = forms_of(problem.tally.quasi, Stars())
    with pytest.raises(SpecError, match="discernibility"):
        lower_bound(replace(problem, measure=MEASURES["discernibility"]()), forms)


def larger(seed: int, n: int, forms: Sequence[Form] = FORMS) -> LocalTable:
    """Return a table of five columns in which few records are alike."""
    rng = Random(seed)  # noqa: S311
    chosen = {f"q{number}": forms[number % len(forms)] for number in range(5)}
    hierarchies = {name: random_column(rng, form, rng.randint(5, 9)) for name, form in chosen.items()}
    records: list[Record] = []
    for _ in range(n):
        drawn: Record = {name: rng.choice([*rows, *list(rows)[:2]]) for name, rows in hierarchies.items()}
        if seed % 2 == 0 and rng.random() < 0.1:
            drawn = {**drawn, "q1": None}
        records.append(drawn)
    return LocalTable(records, hierarchies, weights={"q0": 2.0, "q2": 0.5}, forms=chosen)


@pytest.mark.parametrize("measure", CELLS)
@pytest.mark.parametrize("n", [150, 700])
def test_no_partition_of_a_larger_table_is_below_the_bound(measure: str, n: int) -> None:
    problem = local_problem(larger(n, n), Rules((KAnonymity(k=3),)), measure)
    found = bound_of(problem)
    n_points = problem.tally.n_points
    neighbours = np.minimum(np.arange(n_points) // 3, n_points // 3 - 1).astype(np.int32)  # the points are sorted
    parts = Parts.whole(problem.tally, neighbours)
    assert 0 < found.total <= solution_of(problem, parts).loss.total
    assert found.kind == "dual"


def test_equal_tables_have_equal_bounds() -> None:
    table = larger(1, 300)
    again = table.with_records(list(table.records)[::-1])
    first, second = (local_problem(each, Rules((KAnonymity(k=4),)), "ncp") for each in (table, again))
    assert bound_of(first) == bound_of(second)


def test_less_time_gives_a_bound_too() -> None:
    problem = local_problem(larger(3, 300, ["tree"]), Rules((KAnonymity(k=4),)), "lm")
    hurried = bound_of(problem, seconds=0)
    assert hurried.total <= bound_of(problem).total
    assert hurried.kind in ("values", "patterns")


def test_a_bound_that_is_in_time_is_the_same() -> None:
    problem = local_problem(larger(3, 300, ["tree"]), Rules((KAnonymity(k=4),)), "lm")
    assert bound_of(problem, seconds=1e6) == bound_of(problem)
    assert best_bound(problem, deadline=clock() + 1e6) == best_bound(problem)


def test_at_the_deadline_the_search_counts_and_before_it_what_was_charged_by_then(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    problem = local_problem(larger(3, 300, ["tree"]), Rules((KAnonymity(k=4),)), "entropy")
    in_time = best_bound(problem)
    for module in (best_bounds, bounds):
        monkeypatch.setattr(module, "clock", lambda: 5.0)
    assert best_bound(problem, 1.0, deadline=5.0) == 1.0
    unbounded = replace(problem, unbounded=True)
    assert [best_bound(unbounded), best_bound(unbounded, 1.0)] == [None, 1.0]
    assert best_bound(problem, deadline=5.0) is None
    assert bound_of(problem, seconds=0) == Bound(0.0, "values")
    assert best_bound(problem, 1.0, deadline=5.5) == in_time
    ticks = count()
    for module in (best_bounds, bounds):
        monkeypatch.setattr(module, "clock", lambda: next(ticks))
    hurried = best_bound(problem, deadline=8)
    assert hurried is not None
    assert in_time is not None
    assert 0 < hurried < in_time


def test_progress_is_told() -> None:
    problem = local_problem(larger(3, 300), Rules((KAnonymity(k=4),)), "lm")
    told: list[float | None] = []
    lower_bound(
        problem,
        forms_of(problem.tally.quasi, Lm()),
        progress=lambda step, share=None: told.append(share),
    )
    assert told[0] == 0
    assert told == sorted(told, key=lambda share: share or 0)


@pytest.mark.parametrize("limit", ["_MOST_LOOKED_AT", "_MOST_MEMBERS", "_MOST_PATTERNS"])
def test_a_table_that_is_too_large_has_a_weaker_bound(limit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    problem = local_problem(larger(3, 300), Rules((KAnonymity(k=4),)), "lm")
    best = bound_of(problem)
    monkeypatch.setattr(bounds, "_FEW", 0)
    for most in (0, 10, 1000, 100_000):
        monkeypatch.setattr(families, limit, most)
        found = bound_of(problem)
        assert found.total <= best.total * 1.01
        assert most > 10 or found.kind == ("values" if limit == "_MOST_LOOKED_AT" else "patterns")


def test_few_points_with_too_many_patterns_are_charged_in_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = local_problem(larger(3, 60), Rules((KAnonymity(k=4),)), "entropy")
    in_all = bound_of(problem)
    monkeypatch.setattr(bounds, "_FEW_MEMBERS", 0)
    in_rounds = bound_of(problem)
    assert 0 < in_rounds.total != in_all.total
    monkeypatch.setattr(bounds, "_FEW", 0)
    assert bound_of(problem) == in_rounds


@pytest.mark.parametrize(("many", "too_many", "kind"), [(9, 9, "dual"), (0, 9, "dual"), (0, 0, "patterns")])
def test_the_effort_goes_by_the_size(many: int, too_many: int, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "_FEW", 0)
    found = bound_of(column("aaaaab", 3, "ncp"), effort=Effort(many, too_many))
    assert found.kind == kind
    assert found.total == pytest.approx(1) if kind == "patterns" else 1 < found.total <= 3


def test_every_kind_has_words() -> None:
    for kind in ("values", "patterns", "dual"):
        assert "proven" in Bound(0.0, kind).remark


@pytest.mark.parametrize("measure", CELLS)
def test_a_quick_bound_is_no_better(measure: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "_FEW", 0)
    problem = local_problem(larger(5, 400), Rules((KAnonymity(k=3),)), measure)
    full, light, quick = (bound_of(problem, effort=effort) for effort in (FULL, LIGHT, QUICK))
    assert 0 < quick.total <= light.total * 1.05 <= full.total * 1.05 * 1.05
    monkeypatch.setattr(families, "_QUICK_LOOKED_AT", 0)
    monkeypatch.setattr(families, "_QUICK_FOR_EACH", 0)
    hurried = bound_of(problem, effort=Effort(0, 0, quick=True))
    assert hurried.kind == "values"


def test_the_best_of_two_bounds_counts() -> None:
    problem = column("abc", 2)
    assert best_bound(problem) == 3
    assert best_bound(problem, 2.0) == 3
    assert best_bound(problem, 4.0) == 4
    assert bound_of(problem, effort=Effort(0, 0)) == Bound(3.0, "patterns")
    assert best_bound(problem, 2.0, deadline=-np.inf) == 2  # too late
    other = replace(problem, measure=MEASURES["discernibility"]())
    assert best_bound(other) is None
    assert best_bound(other, 1.0) == 1


def test_kept_kernels_start_again() -> None:
    """Compiled code that is read from disk gives the same in another process."""
    script = (
        "from tests.search.bounds.test_bounds import bound_of, larger, local_problem, Rules, KAnonymity\n"
        "print(bound_of(local_problem(larger(2, 150), Rules((KAnonymity(k=3),)), 'ncp')).total)"
    )
    here = bound_of(local_problem(larger(2, 150), Rules((KAnonymity(k=3),)), "ncp")).total
    again = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert float(again.stdout) == here


def test_records_that_every_release_suppresses_are_charged(seeds: Callable[[int], range]) -> None:
    """Where sensitive values are too frequent; not where missing values match everything, or nothing is suppressed."""
    n_better = 0
    for seed in seeds(90):
        case = uneven_request(seed)
        removal = removal_of(case.problem)
        if case.optimum is None or removal is None:
            continue
        plain = replace(case.problem, models=(KAnonymity(k=case.problem.k),))
        found, without = bound_of(case.problem), bound_of(plain)
        assert without.total - HAIR <= found.total <= case.optimum * (1 + HAIR)
        n_better += found.total > without.total + HAIR
        full = forms_of(case.problem.tally.quasi, cell_measure(case.problem, "a test")).full
        assert "entropy" in case.measure or found.total >= removal.least * full - HAIR
    assert n_better > 2


def test_no_record_is_said_to_be_suppressed_where_that_is_not_proven() -> None:
    half = FrequencyLDiversity(l=2, column="illness")
    records = [{"q": letter, "illness": value} for letter, value in zip("aaaabb", "uuuuvw", strict=True)]
    table = LocalTable(records, {"q": {letter: (letter, "*") for letter in "abcd"}}, ("illness",))
    for rules, limit, expected in (
        (Rules((half,)), Fraction(1, 2), 2.0),
        (Rules((half,), wildcard=True), Fraction(1, 2), 0.0),
        (Rules((half,)), Fraction(0), 0.0),
    ):
        assert bound_of(local_problem(table, rules, "stars", limit), effort=LIGHT).total == expected
    assert bound_of(local_problem(table, Rules((half,)), "stars", Fraction(1, 2))).total == 4.0  # the optimum is 6


def test_the_bound_of_a_part_in_which_a_column_has_one_value() -> None:
    """By the non-uniform entropy that value has a price below 0, as do those of the other column."""
    rows = {value: (value, "*") for value in "ab"}
    records = [{"p": p, "q": q} for p, q in zip("aaaabb", "aaabab", strict=True)]
    problem = local_problem(
        LocalTable(records, {"p": rows, "q": rows}, weights={"p": 5.0}), Rules((KAnonymity(k=2),)), "nonuniform-entropy"
    )
    measure = cell_measure(problem, "a test")
    inside = part(problem, LeafBox((0, 0), (1, 1)))
    assert inside.tally.n_records == 3
    found, offset = bound_of(inside), offset_of(problem.tally.quasi, measure)
    paid = 3 * (5 * np.log2(4 / 6) + np.log2(4 / 6))
    assert offset == pytest.approx(-(4 * 5 * np.log2(4 / 6) + 2 * 5 * np.log2(2 / 6)) * 6 / 5)
    assert found.kind == "values"
    assert offset + paid - found.total == pytest.approx(1e-11 * (offset - paid), rel=1e-3)


def test_records_of_a_part_may_have_company_outside() -> None:
    """Two of each part join those of the other, which costs a star each; suppressed they would cost two."""
    records = [{"q": q, "r": "x", "s": s} for q, s in zip("aaaabbbb", "uuuvvvvu", strict=True)]
    rows = {"q": {value: (value, "*") for value in "ab"}, "r": {"x": ("x", "*")}}
    rules = Rules((FrequencyLDiversity(l=2, column="s"),))
    case = Case(LocalTable(records, rows, ("s",)), rules, "stars", Fraction(1, 2))
    inside = part(case.problem, LeafBox((0, 0), (1, 1)))
    assert case.optimum == 4
    assert bound_of(inside).total <= 2
    assert bound_of(replace(inside, border=None)).total == 4
