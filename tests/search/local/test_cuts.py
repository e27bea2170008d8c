"""Cutting against plain recursion over points, and what is left when no cut is."""

from fractions import Fraction
from random import Random
from time import sleep
from typing import get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.classes.grouping import Parts
from shoal.foundation.progress import Progress, silent
from shoal.models import KAnonymity, PrivacyModel
from shoal.search.local import cuts
from shoal.search.local.cuts import Categories, CutRule, Mode, cut_down, entries_of, leaf_order
from shoal.search.problem import Problem
from tests.oracles.local.tables import Form, LocalTable, local_problem
from tests.oracles.mondrian import Members, PlainMondrian
from tests.oracles.plain import Record, Rows, Rules
from tests.oracles.random_tables import AS_OTHERS, MODEL_MAKERS, random_rows

FORMS: tuple[Form, ...] = ("tree", "ranges", "numbers", "sets")
MODES: tuple[Mode, ...] = get_args(Mode)
CUTS: tuple[CutRule, ...] = get_args(CutRule)
CATEGORIES: tuple[Categories, ...] = get_args(Categories)


def parts_of(
    problem: Problem,
    *,
    mode: Mode = "strict",
    cut: CutRule = "median",
    categories: Categories = "hierarchy",
    progress: Progress = silent,
) -> Parts:
    return cut_down(problem, mode=mode, cut=cut, categories=categories, progress=progress).parts


def random_wide(rng: Random, n: int) -> LocalTable:
    """Return a table whose widths are whole multiples of a power of two, so that equal ones are equal floats."""
    hierarchies: dict[str, Rows] = {}
    forms: dict[str, Form] = {}
    holes: dict[str, bool] = {}
    for number in range(rng.randint(1, 3)):
        column, form = f"q{number}", rng.choice(FORMS)
        holes[column] = rng.random() < 0.2
        size = rng.choice([2, 4] if holes[column] else [2, 3, 5])
        if form == "numbers":
            values = ["0", *map(str, sorted(rng.sample(range(1, 8), size - 2))), "8"]
            hierarchies[column] = {value: (value, "*") for value in values}
        else:
            rows = random_rows(rng, size, rng.randint(1, 4))
            hierarchies[column] = rows if form == "tree" else {value: (value, "*") for value in rows}
        forms[column] = form

    def record() -> Record:
        quasi = {column: rng.choice(list(rows)) for column, rows in hierarchies.items()}
        gone = {column: None for column in quasi if holes[column] and rng.random() < 0.3}
        return {**quasi, **gone, "illness": rng.choice("1124"), "wage": rng.choice("xy")}

    records = [record() for _ in range(n)]
    records[0] = {**records[0], **{column: None for column, hole in holes.items() if hole}}
    weights = {column: rng.choice([1.0, 1.0, 0.5, 0.0]) for column in hierarchies}
    return LocalTable(records, hierarchies, ("illness", "wage"), weights, (), forms)


def random_problem(seed: int, *, promises: bool) -> tuple[LocalTable, Rules, Problem]:
    rng = Random(seed)  # noqa: S311  (tables, not secrets)
    table = random_wide(rng, rng.randint(1, 30))
    models: list[PrivacyModel] = [KAnonymity(k=rng.randint(1, 4))]
    if promises:
        alone = sorted(set(MODEL_MAKERS) - {"k-map", "delta-presence", "k-anonymity", *AS_OTHERS})
        models += [MODEL_MAKERS[name](rng) for name in rng.sample(alone, rng.randint(1, 2))]
    rules = Rules(tuple(models))
    return table, rules, local_problem(table, rules, rng.choice(["lm", "ncp", "stars", "tree"]))


def members_of(parts: Parts) -> list[Members]:
    found: list[Members] = [{} for _ in range(parts.n_classes)]
    for point, label, count in zip(parts.points.tolist(), parts.classes.tolist(), parts.counts.tolist(), strict=True):
        assert point not in found[label]
        assert count > 0
        found[label][point] = count
    return found


def alike(classes: list[Members]) -> list[list[tuple[int, int]]]:
    return sorted(sorted(members.items()) for members in classes)


@settings(max_examples=80)
@given(st.integers(0, 10**6), st.sampled_from(MODES), st.sampled_from(CATEGORIES), st.booleans())
def test_the_median_cuts_are_those_of_the_recursion(
    seed: int, mode: Mode, categories: Categories, promises: bool
) -> None:
    table, rules, problem = random_problem(seed, promises=promises)
    plain = PlainMondrian(table, rules, problem, mode == "relaxed", categories == "order")
    found = parts_of(problem, mode=mode, categories=categories)
    assert alike(members_of(found)) == alike(plain.classes())


@settings(max_examples=60)
@given(st.integers(0, 10**6), st.sampled_from(MODES), st.sampled_from(CUTS), st.sampled_from(CATEGORIES))
def test_every_record_is_in_one_class_that_keeps_all_promises(
    seed: int, mode: Mode, cut: CutRule, categories: Categories
) -> None:
    table, rules, problem = random_problem(seed, promises=True)
    plain = PlainMondrian(table, rules, problem)
    parts = parts_of(problem, mode=mode, cut=cut, categories=categories)
    classes = members_of(parts)
    assert np.bincount(parts.points, parts.counts, problem.tally.n_points).tolist() == problem.tally.counts.tolist()
    whole: Members = dict(enumerate(problem.tally.counts.tolist()))
    if plain.keeps(whole) and sum(whole.values()) >= problem.k:
        assert all(plain.keeps(members) and sum(members.values()) >= problem.k for members in classes)


@settings(max_examples=80)
@given(st.integers(0, 10**6), st.sampled_from(CUTS), st.sampled_from(CATEGORIES))
def test_no_allowable_cut_is_left(seed: int, cut: CutRule, categories: Categories) -> None:
    """Definition 4.3: in no class does a cut between two values, or two children, leave k records on both sides."""
    table, rules, problem = random_problem(seed, promises=False)
    plain = PlainMondrian(table, rules, problem, by_order=categories == "order")
    for members in members_of(parts_of(problem, cut=cut, categories=categories)):
        for column in table.quasi:
            assert all(smaller < problem.k for smaller, _ in plain.halves(plain.groups(column, members)))


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.sampled_from(CUTS))
def test_relaxed_classes_are_small_unless_all_alike(seed: int, cut: CutRule) -> None:
    table, _, problem = random_problem(seed, promises=False)
    for members in members_of(parts_of(problem, mode="relaxed", cut=cut, categories="order")):
        different = {tuple(problem.tally.codes[point]) for point in members}
        assert sum(members.values()) < 2 * problem.k or len(different) == 1
    assert table.records


@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("mode", MODES)
def test_the_number_of_threads_and_the_blocks_do_not_matter(
    mode: Mode, cut: CutRule, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = random_wide(Random(3), 400)  # noqa: S311
    problem = local_problem(table, Rules((KAnonymity(k=2), MODEL_MAKERS["distinct-l-diversity"](Random(2)))))  # noqa: S311
    answers = []
    for threads, block in ((1, 10**6), (1, 3), (2, 20), (5, 7)):
        monkeypatch.setattr(cuts, "_BLOCK", block)
        found = cut_down(problem, mode=mode, cut=cut, categories="hierarchy", threads=threads)
        assert found.complete
        answers.append([each.tolist() for each in (found.parts.points, found.parts.classes, found.parts.counts)])
    assert all(answer == answers[0] for answer in answers)


def test_progress_ends_with_all_records() -> None:
    table, _, problem = random_problem(11, promises=False)
    told: list[tuple[str, float | None]] = []
    parts_of(problem, progress=lambda step, share=None: told.append((step, share)))
    assert {step for step, _ in told} == {"cutting the classes"}
    shares = [share for _, share in told if share is not None]
    assert shares == sorted(shares)
    assert shares[-1] == 1
    assert table.records


def test_a_time_limit_leaves_classes_uncut() -> None:
    table = LocalTable([{"q": str(i)} for i in range(64)], {"q": {str(i): (str(i), "*") for i in range(64)}})
    rules = Rules((KAnonymity(k=1),))
    stopped = cut_down(
        local_problem(table, rules, time_limit=0.0), mode="strict", cut="median", categories="order", threads=1
    )
    assert not stopped.complete
    assert 1 < stopped.parts.n_classes < 64
    whole = local_problem(table, rules, time_limit=60.0)
    assert cut_down(whole, mode="strict", cut="median", categories="order").parts.n_classes == 64


def test_an_error_in_a_thread_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    _, _, problem = random_problem(5, promises=False)

    def broken(*given: object) -> None:
        sleep(0)
        raise ZeroDivisionError

    monkeypatch.setattr(cuts, "choose_medians", broken)
    with pytest.raises(ZeroDivisionError):
        parts_of(problem)


def test_leaves_below_a_node_are_neighbours_in_the_order() -> None:
    rows = {"a": ("a", "x", "*"), "b": ("b", "y", "*"), "c": ("c", "x", "*"), "d": ("d", "d", "*")}
    table = LocalTable([{"q": "b"}, {"q": None}], {"q": rows})
    problem = local_problem(table, Rules((KAnonymity(k=1),)))
    assert leaf_order(problem.tally.quasi[0].hierarchy).tolist() == [0, 2, 1, 3, 4]
    assert entries_of(problem.tally).rows.tolist() == [[2], [4]]


def test_a_column_of_very_many_values_has_wider_rows() -> None:
    values = [str(i) for i in range(2**16 + 1)]
    table = LocalTable([{"q": "0"}, {"q": values[-1]}] * 2, {"q": {value: (value, "*") for value in values}})
    problem = local_problem(table, Rules((KAnonymity(k=2),)), max_suppressed=Fraction(0))
    assert entries_of(problem.tally).rows.dtype == np.int32
    assert parts_of(problem).classes.tolist() == [0, 1]
