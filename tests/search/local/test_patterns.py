"""Closed patterns against the closures of all sets of records, and the bound that they give."""

from dataclasses import replace
from itertools import combinations
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.classes.tally import Tally
from shoal.foundation.errors import SpecError
from shoal.measures.measure import CellMeasure
from shoal.models import KAnonymity
from shoal.search.bounds.families import Family
from shoal.search.local import patterns as module
from shoal.search.local.forms import forms_of
from shoal.search.local.patterns import Patterns, patterns_of
from shoal.search.problem import Problem
from shoal.tables.hierarchies.hierarchy import Hierarchy
from tests.oracles.local.losses import Pricing
from tests.oracles.local.random_jobs import plain_request, random_local
from tests.oracles.local.tables import LocalTable, local_problem
from tests.oracles.plain import Record, Rules

MEASURES = ("stars", "tree", "entropy", "monotone-entropy", "nonuniform-entropy", "lm", "ncp", "precision")
quick = settings(deadline=None, max_examples=60)


def listing(problem: Problem) -> Patterns:
    assert isinstance(problem.measure, CellMeasure)
    return patterns_of(problem, forms_of(problem.tally.quasi, problem.measure), "greedy-cover")


def records_of(patterns: Patterns) -> list[Record]:
    """Return the records of the places, one after the other."""
    columns = list(zip(patterns.columns, patterns.grid.codes, strict=True))
    places = [
        {column.name: column.hierarchy.values[codes[i]] for column, codes in columns} for i in range(patterns.n_rows)
    ]
    return [place for place, count in zip(places, patterns.grid.counts, strict=True) for _ in range(count)]


def closure(table: LocalTable, records: list[Record]) -> tuple[object, ...]:
    """Return the most specific cell of each column that covers some records."""
    return tuple(table.choices(column, [record[column] for record in records])[0].leaves for column in table.quasi)


def everything(patterns: Patterns, among: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> list[tuple[int, float]]:
    """Return the first place and the price of all patterns that have a place among some."""
    found = []
    for rank in range(0, patterns.n_vectors, patterns.together):
        for part in patterns.listed(rank, among):
            found += list(zip(part.firsts.tolist(), part.prices.tolist(), strict=True))
    return found


@given(seed=st.integers(0, 10**6), measure=st.sampled_from(MEASURES))
@quick
def test_closed_patterns_are_the_closures_of_all_sets(seed: int, measure: str) -> None:
    case = plain_request(seed, measure)
    patterns = listing(case.problem)
    records, k = records_of(patterns), case.problem.k
    sets = [list(some) for size in range(k, len(records) + 1) for some in combinations(records, size)]
    closures = {closure(case.table, some): some for some in sets}
    found = everything(patterns, np.ones(patterns.n_rows, dtype=np.bool_))
    assert len(found) == len(closures)
    if measure != "nonuniform-entropy":  # whose price depends on the record
        pricing = Pricing(case.table, measure)
        prices = [pricing.paid(pricing.shown(some)) / len(some) for some in closures.values()]
        assert sorted(price for _, price in found) == pytest.approx(sorted(prices))


@given(seed=st.integers(0, 10**6), measure=st.sampled_from(MEASURES))
@quick
def test_no_pattern_is_below_the_floor_of_its_vector(seed: int, measure: str) -> None:
    patterns = listing(plain_request(seed, measure).problem)
    assert (np.diff(patterns.floors) >= 0).all()
    assert patterns.floors[0] >= 0
    for rank in range(0, patterns.n_vectors, patterns.together):
        for part in patterns.listed(rank, np.ones(patterns.n_rows, dtype=np.bool_)):
            assert (part.prices >= patterns.floors[part.ranks]).all()


@given(seed=st.integers(0, 10**6), measure=st.sampled_from(MEASURES))
@quick
def test_the_cheapest_pattern_of_each_place_is_its_floor(seed: int, measure: str) -> None:
    """What the greedy cover could prove by the way is what every bound starts from, found in another way."""
    problem = plain_request(seed, measure).problem
    assert isinstance(problem.measure, CellMeasure)
    patterns, forms = listing(problem), forms_of(problem.tally.quasi, problem.measure)
    family = Family.of(problem, forms, problem.k)
    if not len(family.points.columns):
        return
    least = 0.0
    for place in range(patterns.n_rows):
        alone = np.arange(patterns.n_rows) == place
        least += patterns.grid.counts[place] * min(price for _, price in everything(patterns, alone))
    lowest = sum(
        min(forms.prices[start + np.unique(codes)].min(), 0.0)
        for start, codes in zip(forms.nodes, problem.tally.codes.T, strict=False)
    )
    n_records = problem.tally.n_records
    charged = family.floors(lambda: False, quick=False) @ family.points.counts + family.constant * n_records
    assert charged == pytest.approx(least + n_records * lowest)


@pytest.mark.parametrize("form", ["ranges", "sets"])
def test_collections_that_are_not_proper_are_refused(form: str) -> None:
    """The collection of all subsets of three values, for which the cost of a union is no sum (003 Lemma 6.3)."""
    rows = {value: (value, "*") for value in "123"}
    records = [{"plain": "1", "age": value} for value in "112233"]
    table = LocalTable(records, {"plain": rows, "age": rows}, forms={"age": form})  # type: ignore[dict-item]
    with pytest.raises(SpecError, match=f"Column 'age' publishes {form}.*may overlap.*'greedy-cover' needs nodes"):
        listing(local_problem(table, Rules((KAnonymity(k=2),)), "entropy"))
    assert listing(local_problem(table, Rules((KAnonymity(k=2),)), "tree")).n_vectors == 2  # priced as the star above


def binary(n_columns: int, rows: list[list[int]], n_leaves: int = 2) -> Tally:
    """Return a table of columns below a star, with as many leaves as wanted."""
    leaf = [str(value) for value in range(n_leaves)]
    hierarchy = Hierarchy.below_star(leaf, [])
    records = [{f"c{j}": str(row[j]) for j in range(n_columns)} for row in rows]
    small = local_problem(
        LocalTable(records, {f"c{j}": {value: (value, "*") for value in ("0", "1")} for j in range(n_columns)}),
        Rules((KAnonymity(k=2),)),
        "stars",
    ).tally
    return replace(small, quasi=tuple(replace(column, hierarchy=hierarchy) for column in small.quasi))


def ask(tally: Tally) -> Problem:
    problem = plain_request(0).problem
    return replace(problem, tally=tally, models=(KAnonymity(k=2),))


def test_keys_of_several_words_list_the_same() -> None:
    rng = Random(4)  # noqa: S311
    rows = [[rng.randrange(2) for _ in range(6)] for _ in range(25)]
    narrow, wide = (listing(ask(binary(6, rows, n_leaves))) for n_leaves in (2, 5000))
    assert (narrow.grid.n_words, wide.grid.n_words) == (1, 2)
    inside = np.ones(narrow.n_rows, dtype=np.bool_)
    assert everything(narrow, inside) == everything(wide, inside)


def test_many_columns_of_few_records_list_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(12):
        rng = Random(seed)  # noqa: S311
        table = random_local(rng, 9, forms=("tree",))
        problem = local_problem(table, Rules((KAnonymity(k=2),)), "tree")
        patterns = listing(problem)
        inside = np.ones(patterns.n_rows, dtype=np.bool_)
        with monkeypatch.context() as patch:
            patch.setattr(module, "_MOST_VECTORS", 0)
            patch.setattr(module, "_FEW_VECTORS", 0)
            few = listing(problem)
        assert few.n_vectors <= patterns.n_vectors
        assert sorted(everything(few, inside)) == sorted(everything(patterns, inside))


def test_too_many_vectors_are_refused() -> None:
    rng = Random(1)  # noqa: S311
    rows = [[rng.randrange(2) for _ in range(60)] for _ in range(module._MOST_ROWS + 50)]  # noqa: SLF001
    with pytest.raises(SpecError, match=r"about 10\^18 vectors of levels.*'greedy-cover'.*'mondrian'"):
        listing(ask(binary(60, rows)))
    with pytest.raises(SpecError, match="vectors of levels"):
        listing(ask(binary(60, rows[:40])))  # few places, but their sets have too many closures


def test_levels_that_part_nothing_are_no_steps() -> None:
    rows = {"a": ("a", "A", "AB", "*"), "b": ("b", "B", "AB", "*"), "c": ("c", "C", "C", "*")}
    table = LocalTable([{"q": value} for value in "aabb"], {"q": rows})
    patterns = listing(local_problem(table, Rules((KAnonymity(k=2),)), "tree"))
    assert patterns.vectors.tolist() == [[0], [1]]
    assert patterns.floors.tolist() == [0.0, pytest.approx(2 / 3)]
