from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from shoal.classes.grouping import Parts
from shoal.measures import Lm
from shoal.models import KAnonymity
from shoal.search.algorithms.optimal import Optimal
from shoal.search.engines import Counted
from shoal.search.engines.local import assigned, count
from shoal.search.engines.local import publish as publish_classes
from shoal.search.local.partition import solution_of
from shoal.search.problem import Problem, Solution
from shoal.tables.hierarchies.hierarchy import Hierarchy
from shoal.tables.table import Role, Table

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


def publish(
    table: Table,
    counted: Counted[NDArray[np.int32]],
    solution: Solution,
    *,
    stars: bool,
    shuffled: bool,
    rng: np.random.Generator,
) -> pl.DataFrame:
    """Assign and publish."""
    classes = assigned(table, counted, solution, rng)
    return publish_classes(table, solution, classes, stars=stars, shuffled=shuffled, rng=rng).frame()


def solved(records: Rows, k: int, *, stars: bool = False) -> tuple[Table, Counted[NDArray[np.int32]], Solution]:
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
    frame = publish(table, counted, solution, stars=False, shuffled=random, rng=np.random.default_rng(1))
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
        frame = publish(table, counted, solution, stars=stars, shuffled=False, rng=np.random.default_rng(0))
        assert frame.select(pl.all().cast(pl.String)).rows() == [*records[:9], *rest]


@pytest.mark.parametrize("seed", [0, 1])
def test_a_random_order_depends_on_the_seed_and_not_on_the_table(seed: int) -> None:
    records: Rows = [(str(1 + i % 4), "xy"[i % 2], "pq"[i % 3 == 0]) for i in range(60)]
    orders = []
    for rows in (records, records[::-1]):
        table, counted, solution = solved(rows, k=2)
        made = publish(table, counted, solution, stars=False, shuffled=True, rng=np.random.default_rng(seed))
        orders.append(made.select(pl.all().cast(pl.String)).rows())
    assert orders[0] == orders[1]
    kept = (
        publish(*solved(records, k=2), stars=False, shuffled=False, rng=np.random.default_rng(0))
        .select(pl.all().cast(pl.String))
        .rows()
    )
    assert orders[0] != kept
    assert sorted(orders[0]) == sorted(kept)


Share = tuple[str | None, str | None, int, int]
"""A point by its values, a class, and how many records of the point are in it."""


def split(records: Rows, classes: Sequence[Share]) -> tuple[Table, Counted[NDArray[np.int32]], Solution]:
    """Put so many records of each point into each class; a class below 0 is none."""
    table = table_of(records)
    counted = count(table, {"a": TREE}, {}, ("s",))
    tally = counted.tally
    points = [
        (tally.quasi[0].hierarchy.values[code], tally.sensitive[0].values[tally.profile_codes[profile, 0]])
        for (code,), profile in zip(tally.codes.tolist(), tally.profiles.tolist(), strict=True)
    ]
    parts = Parts(
        np.array([points.index((a, s)) for a, s, _, _ in classes], dtype=np.int32),
        np.array([label for _, _, label, _ in classes], dtype=np.int32),
        np.array([number for _, _, _, number in classes], dtype=np.int64),
    )
    problem = Problem(tally, (KAnonymity(k=1),), Lm(), max_suppressed=Fraction(1))
    return table, counted, solution_of(problem, parts)


def texts(frame: pl.DataFrame) -> list[tuple[str | None, ...]]:
    return frame.select(pl.all().cast(pl.String)).rows()


PARTED: Rows = [("1", "x", "p"), ("2", "x", "p"), ("1", "x", "q"), ("1", "x", "p"), ("1", "x", "q"), ("1", "x", "p")]
THIRDS: list[Share] = [("1", "x", 0, 2), ("1", "x", 1, 2), ("2", "x", 1, 1), ("1", "x", -1, 1)]


@pytest.mark.parametrize("stars", [False, True])
@pytest.mark.parametrize("seed", range(20))
def test_the_records_of_a_parted_point_are_shared_out(seed: int, stars: bool) -> None:
    found = split(PARTED, THIRDS)
    frame = publish(*found, stars=stars, shuffled=False, rng=np.random.default_rng(seed))
    shown = Counter(a for a, _, _ in texts(frame))
    assert shown == ({"1": 2, "*": 4} if stars else {"1": 2, "*": 3})
    notes = Counter(n for _, _, n in texts(frame))
    assert notes <= Counter(n for _, _, n in PARTED)
    assert notes.total() == len(PARTED) - (not stars)


def test_the_order_of_the_input_is_kept_where_asked() -> None:
    """All but the split point tell their place: their notes are different."""
    records: Rows = [("1", "x", f"note {number}") for number in range(30)]
    for seed in range(5):
        found = split(records, [("1", "x", 0, 10), ("1", "x", -1, 20)])
        frame = publish(*found, stars=True, shuffled=False, rng=np.random.default_rng(seed))
        assert frame["n"].to_list() == [note for _, _, note in records]
        assert Counter(frame["a"].to_list()) == {"1": 10, "*": 20}


@settings(deadline=None)
@given(RECORDS, st.integers(0, 9), st.data())
def test_who_goes_where_does_not_depend_on_the_order_of_the_records(
    records: Rows, seed: int, data: st.DataObject
) -> None:
    wanted = [
        (a, s, label, n)
        for (a, s), count in Counter((a, s) for a, s, _ in records).items()
        for label, n in Counter(data.draw(st.lists(st.integers(-1, 2), min_size=count, max_size=count))).items()
    ]
    if all(label < 0 for _, _, label, _ in wanted):
        return
    frames = []
    for rows in (records, data.draw(st.permutations(records))):
        found = split(list(rows), wanted)
        frames.append(publish(*found, stars=True, shuffled=True, rng=np.random.default_rng(seed)))
    assert texts(frames[0]) == texts(frames[1])
    assert Counter(texts(frames[0].select("s", "n"))) == Counter((s, n) for _, s, n in records)
    _, counted, solution = split(records, wanted)
    held = Counter(texts(frames[0].select("a", "s")))
    expected = Counter[tuple[str | None, ...]]()
    labels, shown = solution.recoding.published(0)
    parts = solution.parts
    for point, label, n in zip(parts.points, parts.classes, parts.counts, strict=True):
        profile = counted.tally.profile_codes[counted.tally.profiles[point], 0]
        a = labels[shown[label]] if label >= 0 else "*"
        expected[(a, counted.tally.sensitive[0].values[profile])] += int(n)
    assert held == expected


def test_neither_a_value_nor_the_place_decides_who_goes_where() -> None:
    """One of four records is suppressed: each is chosen for some seed."""
    records: Rows = [("1", "x", note) for note in "pqrs"]
    gone = set()
    for seed in range(60):
        found = split(records, [("1", "x", 0, 3), ("1", "x", -1, 1)])
        frame = publish(*found, stars=False, shuffled=False, rng=np.random.default_rng(seed))
        gone |= set("pqrs") - set(frame["n"].to_list())
    assert gone == set("pqrs")
