"""The list of patterns is whole or none, and what a table costs at least is that of its columns."""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from random import Random

import numpy as np
import pytest

from shoal.classes.grouping import Parts
from shoal.kernels.bounds.charges import Charges
from shoal.kernels.bounds.families import PatternList
from shoal.measures import CellMeasure
from shoal.models import KAnonymity
from shoal.search.bounds.families import Family, _closure_price
from shoal.search.local.forms import forms_of, offset_of
from shoal.search.local.partition import solution_of
from shoal.search.problem import Problem
from shoal.search.regions.box import LeafBox
from tests.oracles.local.random_jobs import FORMS, random_local
from tests.oracles.local.tables import Form, LocalTable, local_problem
from tests.oracles.plain import Rules
from tests.search.bounds.test_bounds import CELLS, larger
from tests.search.regions.in_memory import part
from tests.search.regions.test_bounds import random_boxes


def family_of(table: LocalTable, measure: str, limit: Fraction = Fraction(0), k: int = 3) -> Family:
    problem = local_problem(table, Rules((KAnonymity(k=k),)), measure, limit)
    assert isinstance(problem.measure, CellMeasure)
    return Family.of(problem, forms_of(problem.tally.quasi, problem.measure), k)


@pytest.mark.parametrize("measure", ["lm", "entropy"])
def test_a_list_of_patterns_is_whole_or_there_is_none(measure: str) -> None:
    family = family_of(larger(3, 60), measure)
    caps, floors = np.full(len(family), family.whole), family.floors(lambda: False, quick=False)
    found = family.listed(caps, floors)
    assert found is not None
    assert len(found.prices) > 100
    assert len(found.begins) == len(found.prices) + 1
    assert (found.begins[0], found.begins[-1]) == (0, len(found.members))
    assert (np.diff(found.begins) > 0).all()
    assert ((found.members >= 0) & (found.members < len(family))).all()
    for most, some in ((len(found.members), True), (len(found.members) - 1, False)):
        again = family.listed(caps, floors, most)
        assert (again is not None) == some
        assert again is None or (again.members == found.members).all()


def test_columns_that_cost_every_record_the_same_are_left_out() -> None:
    """One has a single value, and one has no weight; but a suppressed record pays for the first."""
    rows = {value: (value, "*") for value in "abc"}
    records = [{"p": "a", "q": q, "r": r, "s": s} for q, r, s in zip("abcabc", "aabbcc", "aaabbb", strict=True)]
    table = LocalTable(records, dict.fromkeys("pqrs", rows), weights={"p": 2.0, "q": 3.0, "r": 0.0, "s": 5.0})
    family = family_of(table, "lm")
    assert family.points.columns.tolist() == [3, 1]  # the one with fewer values first
    assert family.constant == 0.0
    assert (len(family), family.most) == (6, np.inf)
    assert family.whole == 3 + 5
    assert (family.values == 0).all()
    starred = family_of(table, "lm", Fraction(1, 2))
    assert starred.most == 2 + 3 + 5


def test_people_outside_the_table_are_no_points() -> None:
    n_outside = 0
    for seed in range(10):
        table = random_local(Random(seed), 8, people=True)  # noqa: S311
        family = family_of(table, "lm", k=2)
        assert family.points.counts.min() > 0
        assert family.points.counts.sum() == len(table.records)
        n_outside += len(table.people) > len(table.records)
    assert n_outside > 2


@pytest.mark.parametrize("measure", CELLS)
def test_the_whole_is_what_a_record_costs_in_one_class_of_all(measure: str) -> None:
    for seed in range(20):
        table = random_local(Random(seed), 8, forms=FORMS[seed % len(FORMS) :][:1], missing=seed % 3 == 0)  # noqa: S311
        problem = local_problem(table, Rules(()), measure)
        assert isinstance(problem.measure, CellMeasure)
        family = Family.of(problem, forms_of(problem.tally.quasi, problem.measure), 2)
        together = Parts.whole(problem.tally, np.zeros(problem.tally.n_points, dtype=np.int32))
        paid = offset_of(problem.tally.quasi, problem.measure) + len(table.records) * (family.whole + family.constant)
        assert paid == pytest.approx(solution_of(problem, together).loss.total, abs=1e-9)


@pytest.mark.parametrize("gone", range(5))
def test_records_that_must_be_suppressed_cost_at_least_what_the_cheapest_choice_does(gone: int) -> None:
    family = replace(family_of(larger(5, 7), "lm", Fraction(1, 2), k=2), gone=gone)
    counts = family.points.counts
    rng = np.random.default_rng(gone)
    for _ in range(20):
        own = rng.random(len(family)) * family.most
        records = np.repeat(own, counts).tolist()
        every = (sum(records) + sum(family.most - one for one in some) for some in combinations(records, gone))
        assert family.charged(own) == pytest.approx(min(every))


def test_charges_are_added_exactly_as_before_where_nothing_must_be_suppressed() -> None:
    family = family_of(larger(5, 30), "entropy", Fraction(1, 2))
    assert family.gone == 0
    assert family.charged(family.values) == float(family.values @ family.points.counts)


def never() -> bool:
    return False


def price_of(family: Family, rows: list[tuple[int, ...]]) -> float:
    """Return what each record of a class of these rows of leaves costs, column by column."""
    columns = family.points.columns.tolist()
    return sum(
        _closure_price(family.forms, column, np.unique(np.array(leaves, dtype=np.int32)))
        for column, leaves in zip(columns, zip(*rows, strict=True), strict=True)
    )


def rows_of(family: Family) -> list[tuple[int, ...]]:
    """Return the leaves of each point in the columns that are searched."""
    forms, points = family.forms, family.points
    starts = [int(forms.nodes[column]) for column in points.columns]
    return [
        tuple(int(points.leaves[start + rank]) for start, rank in zip(starts, ranks, strict=True))
        for ranks in points.ranks.T.tolist()
    ]


@pytest.mark.parametrize("form", FORMS)
def test_a_floor_is_what_the_cheapest_class_of_a_point_costs(form: Form) -> None:
    """In trees; patterns of ranges and sets may cost less than each of their classes."""
    for seed, measure in enumerate(CELLS):
        family = family_of(larger(seed, 9, [form]), measure, k=2 + seed % 2)
        rows, counts = rows_of(family), family.points.counts.tolist()
        floors, k = family.floors(never, quick=False), family.points.k
        for point, floor in enumerate(floors.tolist()):
            near = [
                price_of(family, [rows[one] for one in some])
                for size in range(1, k + 1)
                for some in combinations(range(len(rows)), size)
                if point in some and sum(counts[one] for one in some) >= k
            ]
            least = min(family.whole, *near)
            assert family.values[point] <= least + 1e-12
            assert floor == pytest.approx(least) if form == "tree" else floor <= least + 1e-12


def searched(
    family: Family, monkeypatch: pytest.MonkeyPatch, *, quick: bool, beyond: bool = True
) -> list[tuple[list[float], int]]:
    """Return the caps of each search for floors, and how much it may visit."""
    found, own = [], Family._search  # noqa: SLF001

    def search(self: Family, caps: Charges, workspace: PatternList, most: int, *, listing: bool) -> PatternList | None:
        found.append((caps.own.tolist(), most))
        assert (len(workspace.prices), len(workspace.members), listing) == (0, 0, False)
        return own(self, caps, workspace, most, listing=listing)

    with monkeypatch.context() as patched:
        patched.setattr(Family, "_search", search)
        family.floors(never, quick=quick, beyond=beyond)
    return found


def alone(n_alike: int, n_alone: int) -> Family:
    """Return the family of so many records that are alike, and others that are like none."""
    rows = {str(number): (str(number), "*") for number in range(n_alone + 1)}
    records = [{"q": "0"}] * n_alike + [{"q": str(1 + number)} for number in range(n_alone)]
    return family_of(LocalTable(records, {"q": rows}), "stars", k=2)


def test_caps_grow_fourfold_from_a_1024th_of_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """A point whose price was below its cap keeps it; the others are searched for up to the whole."""
    assert searched(alone(95, 5), monkeypatch, quick=False) == [
        ([4.0**-power] * 6 if power == 5 else [0.0, *[4.0**-power] * 5], 50_000_000 + 6 * 30_000)
        for power in range(5, -1, -1)
    ]


def test_a_cap_that_has_met_its_ceiling_does_not_grow_unless_that_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    family = replace(alone(95, 5), ceilings=np.full(6, 4.0**-5))
    found = searched(family, monkeypatch, quick=False, beyond=False)
    assert found == [([4.0**-5] * 6, 50_000_000 + 6 * 30_000)]
    assert len(searched(family, monkeypatch, quick=False)) == 6


@pytest.mark.parametrize(("n_alone", "searches"), [(10, 2), (12, 6)])
def test_a_quick_search_does_not_go_on_for_a_twentieth_of_the_records_that_are_like_few(
    n_alone: int, searches: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A thousand are like k - 1 others, and cost nothing. Of 200 more, all but `n_alone` have one other nearby."""
    twins = [f"twins {number}" for number in range(500)]
    groups = [*twins, *(f"pair {number // 2}" for number in range(200 - n_alone)), *map(str, range(n_alone))]
    rows = {str(number): (str(number), group, "*") for number, group in enumerate(groups)}
    records = [{"q": value} for value in [*rows, *list(rows)[:500]]]
    family = family_of(LocalTable(records, {"q": rows}), "lm", k=2)
    found = searched(family, monkeypatch, quick=True)
    assert [most for _, most in found] == [40_000_000 + 100 * 700] * searches
    floors = sorted(family.floors(never, quick=True))
    assert floors == pytest.approx([*[0.0] * 500, *[1 / 699] * (200 - n_alone), *[4.0 ** (searches - 6)] * n_alone])


@pytest.mark.parametrize(
    ("n_points", "patterns", "members", "most"),
    [(10, 1_008_000, 1_008_000, 50_300_000), (10**6, 5_000_000, 25_000_000, 1_000_000_000)],
)
def test_a_list_may_be_the_longer_the_larger_the_table_is_up_to_a_limit(
    n_points: int, patterns: int, members: int, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []

    def search(self: Family, caps: Charges, workspace: PatternList, most: int, *, listing: bool) -> None:
        sizes = len(workspace.prices), len(workspace.begins), len(workspace.members)
        seen.append((*sizes, most, listing))

    monkeypatch.setattr(Family, "_search", search)
    family = replace(alone(95, 5), values=np.zeros(n_points))
    assert family.listed(family.values, family.values) is None
    assert family.listed(family.values, family.values, 7) is None
    assert seen == [(patterns, patterns + 1, members, most, True), (7, 8, 7, most, True)]


@pytest.mark.parametrize(("measure", "n_points"), [("nonuniform-entropy", 30), ("lm", 0)])
def test_what_other_columns_cost_at_least_is_kept_where_it_is_not_0(measure: str, n_points: int) -> None:
    points = family_of(larger(5, 30), measure).points
    assert points.counts.sum() == len(points.counts) == 30
    assert points.rest.shape == (len(points.columns) + 1, n_points)


def test_floors_are_the_values_until_a_search_is_made() -> None:
    family = family_of(larger(3, 60), "entropy")
    assert (family.floors(lambda: True, quick=False) == family.values).all()
    looks = iter([False, True])
    first = family.floors(lambda: next(looks), quick=False)
    assert (first <= family.values + (family.whole - family.values) / 1024).all()
    assert (first > family.values).any()


def parts_of(seed: int) -> Iterator[tuple[Problem, Problem]]:
    """Go through the parts of a random table in boxes, each with the same points as a table of their own."""
    rng = Random(seed)  # noqa: S311
    table = random_local(rng, 12, forms=FORMS[seed % len(FORMS) :][:2], missing=seed % 3 == 0)
    problem = local_problem(table, Rules((KAnonymity(k=2),)), CELLS[seed % len(CELLS)], Fraction(seed % 2, 4))
    for box in random_boxes(problem, rng):
        inside = part(problem, box)
        yield inside, replace(inside, border=None)


def test_the_ceiling_of_a_part_is_what_a_class_that_leaves_it_costs() -> None:
    """With a record from outside a class costs more in one column at least, and no less in the others."""
    below = 0
    for seed in range(40):
        for inside, closed in parts_of(seed):
            assert isinstance(inside.measure, CellMeasure)
            assert inside.border is not None
            leaving = inside.border.leaving
            forms = forms_of(inside.tally.quasi, inside.measure)
            family, other = (Family.of(problem, forms, 2) for problem in (inside, closed))
            columns, rows, ceilings = family.points.columns.tolist(), rows_of(family), np.full(len(family), np.inf)
            for codes in inside.tally.codes.tolist():
                least = [forms.prices[forms.nodes[j] + leaf] for j, leaf in enumerate(codes)]
                more = min(max(leaving[j][leaf] - least[j], 0.0) for j, leaf in enumerate(codes))
                point = rows.index(tuple(codes[j] for j in columns))
                ceilings[point] = min(ceilings[point], sum(least[j] for j in columns) + more)
            assert family.ceilings == pytest.approx(ceilings)
            assert other.ceilings is None
            own = family.values + 1.5
            assert family.charged(own) == other.charged(own)
            capped = other.charged(np.minimum(own, ceilings))
            assert family.charged(own) - family.beyond(own) == pytest.approx(capped)
            assert other.beyond(own) == 0
            if columns:
                floors = other.floors(never, quick=False)
                assert (family.floors(never, quick=False) == floors).all() or family.whole < other.whole
                below_them = family.floors(never, quick=False, beyond=False)
                assert below_them == pytest.approx(np.clip(ceilings, family.values, family.floors(never, quick=False)))
            told = family.told(own, 0.25)
            for codes, charge, ceiling in zip(inside.tally.codes.tolist(), told.own, told.ceilings, strict=True):
                point = rows.index(tuple(codes[j] for j in columns))
                assert charge == own[point] + family.constant
                assert ceiling == family.ceilings[point] + family.constant
            assert told.excess == 0.25
            below += int((ceilings < own).sum())
    assert below > 100


@pytest.mark.parametrize(("share", "n", "most"), [(0, 8, np.inf), (4, 2, 1.0), (4, 8, 1.0)])
def test_any_record_of_a_part_may_be_suppressed_if_some_of_the_table_may(share: int, n: int, most: float) -> None:
    """A quarter of two records is none; but the whole table has more, and may suppress these two."""
    rows = {value: (value, "*") for value in "abcd"}
    table = LocalTable([{"q": value} for value in "aabbcccc"], {"q": rows})
    limit = Fraction(1, share) if share else Fraction(0)
    problem = local_problem(table, Rules((KAnonymity(k=2),)), "stars", limit)
    assert isinstance(problem.measure, CellMeasure)
    inside = part(problem, LeafBox((0,), (1 if n == 2 else 4,)))
    assert inside.tally.n_records == n
    forms = forms_of(problem.tally.quasi, problem.measure)
    assert Family.of(inside, forms, 2).most == most
    assert Family.of(replace(inside, border=None), forms, 2).most == (np.inf if n == 2 else most)


def test_only_patterns_across_parts_count_where_parts_are_given() -> None:
    """Two of a part are alike, as are two of another: together they cost more."""
    rows = {value: (value, group, "*") for value, group in zip("abcd", "xxyy", strict=True)}
    records = [{"p": "u", "q": value} for value in "abcd"]
    table = LocalTable(records, {"p": {"u": ("u", "*")}, "q": rows})
    problem = local_problem(table, Rules((KAnonymity(k=2),)), "lm", Fraction(0))
    assert isinstance(problem.measure, CellMeasure)
    forms, tally = forms_of(problem.tally.quasi, problem.measure), problem.tally
    floors = {}
    for parts in ([0, 0, 1, 1], [0, 1, 1, 0], [0, 1, 0, 0], [0, 0, 0, 0]):
        family = Family.across(forms, [1, 4], tally.codes, tally.counts, np.array(parts, dtype=np.int32), 2)
        assert (family.constant, family.whole, family.most, family.gone) == (0.0, 1.0, np.inf, 0)
        assert family.ceilings is None
        assert family.row_of.tolist() == [0, 1, 2, 3]
        assert family.points.columns.tolist() == [1]
        floors[tuple(parts)] = family.floors(never, quick=False).tolist()
    third = pytest.approx(1 / 3)
    assert floors[0, 0, 1, 1] == [1.0] * 4
    assert floors[0, 1, 1, 0] == [third] * 4
    assert floors[0, 1, 0, 0] == [third, third, 1.0, 1.0]
    assert floors[0, 0, 0, 0] == [1.0] * 4  # there is no such class


def test_a_column_with_one_value_in_a_part_has_the_price_of_that_value() -> None:
    """By the non-uniform entropy that is below 0, where the whole table has other values too."""
    rows = {value: (value, "*") for value in "ab"}
    records = [{"p": p, "q": q} for p, q in zip("aaab", "abab", strict=True)]
    table = LocalTable(records, {"p": rows, "q": rows})
    problem = local_problem(table, Rules((KAnonymity(k=2),)), "nonuniform-entropy", Fraction(1, 2))
    assert isinstance(problem.measure, CellMeasure)
    forms = forms_of(problem.tally.quasi, problem.measure)
    inside = part(problem, LeafBox((0, 0), (1, 2)))
    family = Family.of(inside, forms, 2)
    assert family.constant == pytest.approx(forms.prices[0])
    assert family.constant < 0
    assert family.points.columns.tolist() == [1]
    assert family.most == pytest.approx(forms.full - family.constant)
    assert family.ceilings == pytest.approx(np.minimum(family.values - family.constant, family.values + 1.0))


@pytest.mark.parametrize(("form", "price"), [("sets", 0.5), ("ranges", 1.0), ("tree", 1.0)])
def test_a_set_does_not_cover_what_lies_between_its_values(form: Form, price: float) -> None:
    rows = {value: (value, "*") for value in "abc"}
    family = family_of(LocalTable([{"q": "a"}, {"q": "c"}], {"q": rows}, forms={"q": form}), "lm", k=2)
    assert family.whole == price


@pytest.mark.parametrize(("n_points", "pairs"), [(200, 8), (201, 0)])
def test_pairs_of_up_to_eight_values_are_patterns_in_tables_of_up_to_200_points(n_points: int, pairs: int) -> None:
    rows = {str(number): (str(number), "*") for number in range(n_points)}
    assert family_of(LocalTable([{"q": value} for value in rows], {"q": rows}), "lm").points.pairs == pairs
