from collections import Counter
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.algorithms.optimal import Optimal
from shoal.engines.local import Counted, count, publish
from shoal.hierarchies.hierarchy import Hierarchy
from shoal.measures import Lm
from shoal.models import KAnonymity
from shoal.problem import Problem, Solution
from shoal.table import Role, Table

TREE = Hierarchy.of_rows([("1", "odd", "*"), ("2", "even", "*"), ("3", "odd", "*"), ("4", "even", "*")], "tree")
ROLES = {"a": Role.QUASI, "s": Role.SENSITIVE, "n": Role.INSENSITIVE}
RECORDS = st.lists(
    st.tuples(st.sampled_from(["1", "2", "3", "4", None]), st.sampled_from(["x", "y", None]), st.sampled_from("pq")),
    min_size=1,
    max_size=30,
)
Rows = list[tuple[str | None, str | None, str]]


def table_of(records: Rows) -> Table:
    return Table.of(pl.DataFrame(records, schema=dict.fromkeys(ROLES, pl.String), orient="row"), ROLES)


def solved(records: Rows, k: int, *, stars: bool = False) -> tuple[Table, Counted, Solution]:
    table = table_of(records)
    counted = count(table, {"a": TREE}, {}, ("s",))
    problem = Problem(counted.tally, (KAnonymity(k=k),), Lm(), max_suppressed=Fraction(1), stars=stars)
    return table, counted, Optimal().solve(problem)


@settings(deadline=None)
@given(RECORDS)
def test_every_record_is_counted_at_its_point(records: Rows) -> None:
    counted = count(table_of(records), {"a": TREE}, {"a": 2.0}, ("s",))
    tally = counted.tally
    wanted = Counter((a, s) for a, s, _ in records)
    values, sensitive = tally.quasi[0].hierarchy.values, tally.sensitive[0].values
    found = {
        (values[code[0]], sensitive[tally.profile_codes[profile][0]]): int(number)
        for code, profile, number in zip(tally.codes, tally.profiles, tally.counts, strict=True)
    }
    assert found == wanted
    assert tally.quasi[0].weight == 2.0
    assert int(tally.quasi[0].leaf_counts.sum()) == len(records)
    assert np.bincount(counted.point_of, minlength=tally.n_points).tolist() == tally.counts.tolist()


@settings(deadline=None)
@given(RECORDS, st.randoms(use_true_random=False))
def test_the_tally_does_not_know_the_order_of_records(records: Rows, draw: object) -> None:
    one = count(table_of(records), {"a": TREE}, {}, ("s",)).tally
    two = count(table_of(records[::-1]), {"a": TREE}, {}, ("s",)).tally
    assert one.codes.tolist() == two.codes.tolist()
    assert one.counts.tolist() == two.counts.tolist()
    assert one.profiles.tolist() == two.profiles.tolist()


def test_a_population_is_counted_into_the_same_points() -> None:
    people = Table.of(pl.DataFrame({"a": ["1", "1", "4", None]}, schema={"a": pl.String}), {"a": Role.QUASI})
    counted = count(table_of([("1", "x", "p"), ("2", "y", "q")]), {"a": TREE}, {}, ("s",), {"all": people})
    assert counted.tally.n_records == 2
    assert int(counted.tally.populations["all"].sum()) == 4
    assert len(counted.point_of) == 2
    assert counted.tally.quasi[0].leaf_counts.tolist() == [1, 1, 0, 0, 0]


@settings(deadline=None)
@given(RECORDS.filter(lambda records: len(records) >= 3), st.booleans())
def test_what_is_published_is_what_was_solved(records: Rows, random: bool) -> None:
    table, counted, solution = solved(records, k=2)
    shuffle = np.random.default_rng(1) if random else None
    frame = publish(table, counted, solution, stars=False, shuffle=shuffle)
    assert frame.columns == ["a", "s", "n"]
    level = solution.levels["a"]
    full = counted.tally.quasi[0].hierarchy
    label = {value: full.labels[level][full.codes[level][leaf]] for leaf, value in enumerate(full.values)}
    wanted = [(label[a], s, n) for a, s, n in records]
    sizes = Counter(row[0] for row in wanted)
    wanted = [row for row in wanted if sizes[row[0]] >= 2]
    found = frame.select(pl.all().cast(pl.String)).rows()
    assert Counter(found) == Counter(wanted)
    assert random or found == wanted
    for name in frame.columns:
        held = frame[name].drop_nulls().to_arrow()
        assert not len(held) or set(held.dictionary.to_pylist()) == set(frame[name].drop_nulls().cast(pl.String))


def test_suppressed_records_are_left_out_or_shown_as_stars() -> None:
    tree = Hierarchy.of_rows([("1", "any"), ("2", "any"), ("3", "any"), ("4", "any")], "tree")
    records: Rows = [("1", "x", "p")] * 9 + [("2", "y", "q"), ("3", None, "q")]
    table = table_of(records)
    counted = count(table, {"a": tree}, {}, ())
    for stars, rest in ((False, []), (True, [("*", "y", "q"), ("*", None, "q")])):
        problem = Problem(counted.tally, (KAnonymity(k=2),), Lm(), max_suppressed=Fraction(1, 2), stars=stars)
        solution = Optimal().solve(problem)
        assert solution.suppressed == 2
        frame = publish(table, counted, solution, stars=stars, shuffle=None)
        assert frame.select(pl.all().cast(pl.String)).rows() == [*records[:9], *rest]


@pytest.mark.parametrize("seed", [0, 1])
def test_a_random_order_depends_on_the_seed_and_not_on_the_table(seed: int) -> None:
    records: Rows = [(str(1 + i % 4), "xy"[i % 2], "pq"[i % 3 == 0]) for i in range(60)]
    orders = []
    for rows in (records, records[::-1]):
        table, counted, solution = solved(rows, k=2)
        made = publish(table, counted, solution, stars=False, shuffle=np.random.default_rng(seed))
        orders.append(made.select(pl.all().cast(pl.String)).rows())
    assert orders[0] == orders[1]
    kept = publish(*solved(records, k=2), stars=False, shuffle=None).select(pl.all().cast(pl.String)).rows()
    assert orders[0] != kept
    assert sorted(orders[0]) == sorted(kept)
