"""Every engine: what it counts, assigns, publishes, writes and reads back is what plain Python makes of the records."""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.classes.grouping import Parts
from shoal.classes.observed import Observed
from shoal.classes.tally import Tally
from shoal.clusters.cluster_table import ClusterTable
from shoal.foundation.errors import SpecError
from shoal.measures import Lm
from shoal.models import KAnonymity
from shoal.search.engines import ENGINES, Counted, Engine, engine_named
from shoal.search.local.partition import solution_of
from shoal.search.problem import Problem, Solution
from shoal.tables.formats.parquet import Parquet
from shoal.tables.hierarchies.hierarchy import Hierarchy
from shoal.tables.location import FileLocation, Target
from shoal.tables.rows import Rows
from shoal.tables.table import Role, Table

LEAVES = {"1": "odd", "2": "even", "3": "odd", "4": "even"}
TREE = Hierarchy.of_rows([(leaf, above, "*") for leaf, above in LEAVES.items()], "tree")
ROLES = {"a": Role.QUASI, "b": Role.QUASI, "s": Role.SENSITIVE, "n": Role.INSENSITIVE}
VALUES = st.sampled_from([*LEAVES, None])
Record = tuple[str | None, str | None, str | None, str]
Classed = tuple[Record, int]
RECORDS = st.tuples(VALUES, VALUES, st.sampled_from(["x", "y", None]), st.sampled_from("pqr"))
CLASSED = st.lists(st.tuples(RECORDS, st.integers(-1, 2)), min_size=1, max_size=25)
quick = settings(deadline=None, max_examples=60)
every = pytest.mark.parametrize("kind", [engine_named(name) for name in ENGINES], ids=ENGINES)
Kind = type[Engine[Any, Any, Any]]


def table_of(records: Sequence[Record]) -> Table:
    return Table.of(pl.DataFrame(records, schema=dict.fromkeys(ROLES, pl.String), orient="row"), ROLES)


def counted_table_of(records: Sequence[Record]) -> Table:
    """Return the different records with how often they occur, as an engine that has counted them holds them."""
    rows = Rows.of(pl.DataFrame(records, schema=dict.fromkeys(ROLES, pl.String), orient="row"), list(ROLES))
    return Table.of(rows.frame, ROLES, rows.counts)


def opened(kind: Kind, records: Sequence[Record], people: Sequence[tuple[str | None, str | None]] = ()) -> Any:
    outside = pl.DataFrame(people, schema={"a": pl.String, "b": pl.String}, orient="row")
    populations = {"all": Table.of(outside, {"a": Role.QUASI, "b": Role.QUASI})} if people else {}
    given: Any = kind
    table = table_of(records) if kind.name == "local" else counted_table_of(records)
    return given(table, {"a": TREE, "b": TREE}, {"b": 2.0}, populations)


def points_of(tally: Tally) -> list[tuple[str | None, ...]]:
    """Return the values of each point: its quasi values, and what was watched."""
    return [
        (
            *(column.hierarchy.values[code] for column, code in zip(tally.quasi, codes, strict=True)),
            *(
                column.values[code]
                for column, code in zip(tally.sensitive, tally.profile_codes[profile].tolist(), strict=True)
            ),
        )
        for codes, profile in zip(tally.codes.tolist(), tally.profiles.tolist(), strict=True)
    ]


def solved(counted: Counted[Any], classed: Sequence[Classed], *, stars: bool = False) -> Solution:
    """Put as many records of each point into each class as there are; a class below 0 is none."""
    points = points_of(counted.tally)
    wanted = Counter((points.index(record[:3]), label) for record, label in classed)
    parts = Parts(
        np.array([point for point, _ in wanted], dtype=np.int32),
        np.array([label for _, label in wanted], dtype=np.int32),
        np.array(list(wanted.values()), dtype=np.int64),
    )
    return solution_of(Problem(counted.tally, (KAnonymity(k=1),), Lm(), Fraction(1), stars=stars), parts)


def cell(values: set[str | None]) -> str | None:
    """Return the least node that covers some values; the missing value is below the top alone."""
    above = {LEAVES.get(value or "") for value in values}
    return values.pop() if len(values) == 1 else (above.pop() or "*") if len(above) == 1 else "*"


def shown(classed: Sequence[Classed], *, stars: bool) -> list[tuple[str | None, ...]]:
    """Return each record as it is published in the class that it was drawn with."""
    cells = {
        label: tuple(cell({record[j] for record, other in classed if other == label}) for j in range(2))
        for _, label in classed
    }
    cells[-1] = ("*", "*")
    return [(*cells[label], *record[2:]) for record, label in classed if label >= 0 or stars]


def texts(frame: pl.DataFrame) -> list[tuple[Any, ...]]:
    return frame.select(pl.all().cast(pl.String)).rows()


def counted_texts(rows: Rows) -> Counter[tuple[Any, ...]]:
    listed = texts(rows.frame)
    assert len(set(listed)) == len(listed)
    return Counter(dict(zip(listed, rows.counts.tolist(), strict=True)))


def split(classed: Sequence[Classed]) -> bool:
    """Tell whether records of one point are in several classes."""
    return len({(record[:3], label) for record, label in classed}) > len({record[:3] for record, _ in classed})


@every
@quick
@given(records=st.lists(RECORDS, min_size=1, max_size=25), people=st.lists(st.tuples(VALUES, VALUES), max_size=9))
def test_a_tally_is_a_count(kind: Kind, records: list[Record], people: list[tuple[str | None, str | None]]) -> None:
    tally = opened(kind, records, people).count(("s",)).tally
    found = dict(zip(points_of(tally), tally.counts.tolist(), strict=True))
    assert len(found) == tally.n_points
    assert +Counter(found) == Counter(record[:3] for record in records)
    for column, values in zip(tally.quasi, zip(*records, strict=True), strict=False):
        leaves = dict(zip(column.hierarchy.values, column.leaf_counts.tolist(), strict=True))
        assert +Counter(leaves) == Counter(values)
    assert [column.weight for column in tally.quasi] == [1.0, 2.0]
    if people:
        inside = Counter[tuple[str | None, ...]]()
        for point, n in zip(points_of(tally), tally.populations["all"].tolist(), strict=True):
            inside[point[:2]] += n
        assert +inside == Counter(people)


@every
@quick
@given(records=st.lists(RECORDS, min_size=1, max_size=25), data=st.data())
def test_a_tally_does_not_know_the_order_of_records(kind: Kind, records: list[Record], data: st.DataObject) -> None:
    one = opened(kind, records).count(("s",)).tally
    two = opened(kind, data.draw(st.permutations(records))).count(("s",)).tally
    for name in ("codes", "counts", "profiles", "profile_codes"):
        assert getattr(one, name).tolist() == getattr(two, name).tolist()


@every
@quick
@given(classed=CLASSED.filter(lambda classed: any(label >= 0 for _, label in classed)), seed=st.integers(0, 9))
def test_each_class_gets_as_many_records_of_each_point_as_were_asked_for(
    kind: Kind, classed: list[Classed], seed: int
) -> None:
    engine = opened(kind, [record for record, _ in classed])
    counted = engine.count(("s",))
    solution = solved(counted, classed)
    classes = engine.assign(counted, solution, np.random.default_rng(seed))
    points = points_of(counted.tally)

    def listed(parts: Parts) -> Counter[tuple[Any, int]]:
        of = zip(parts.points.tolist(), parts.classes.tolist(), parts.counts.tolist(), strict=True)
        found = Counter[tuple[Any, int]]()
        for point, label, n in of:
            found[points[point], label] += n
        return +found

    wanted = listed(solution.parts)
    for point, n in Counter(record[:3] for record, _ in classed).items():
        wanted[point, -1] = n - sum(m for (other, label), m in wanted.items() if other == point and label >= 0)
    assert listed(engine.parts(counted, classes)) == +wanted
    fewer = engine.parts(engine.count(), classes)  # the same classes by the points of another count
    by_quasi = Counter[int]()
    for label, n in zip(fewer.classes.tolist(), fewer.counts.tolist(), strict=True):
        by_quasi[label] += n
    sizes = Counter[int]()
    for (_, label), n in wanted.items():
        sizes[label] += n
    assert by_quasi == +sizes


@every
@quick
@given(
    classed=CLASSED.filter(lambda classed: any(label >= 0 for _, label in classed)),
    stars=st.booleans(),
    shuffled=st.booleans(),
    seed=st.integers(0, 9),
)
def test_what_is_published_written_and_read_back_is_what_was_solved(
    kind: Kind, classed: list[Classed], stars: bool, shuffled: bool, seed: int
) -> None:
    engine = opened(kind, [record for record, _ in classed])
    counted = engine.count(("s",))
    solution, rng = solved(counted, classed, stars=stars), np.random.default_rng(seed)
    classes = engine.assign(counted, solution, rng)
    if kind.name != "local" and not shuffled:
        with pytest.raises(SpecError, match="order"):
            engine.publish(solution, classes, stars=stars, shuffled=False, rng=rng)
        return
    released = engine.publish(solution, classes, stars=stars, shuffled=shuffled, rng=rng)
    wanted, found = shown(classed, stars=stars), texts(released.frame())
    assert released.columns == released.frame().columns == list(ROLES)
    assert Counter(row[:3] for row in found) == Counter(row[:3] for row in wanted)
    assert Counter(row[2:] for row in found) <= Counter(record[2:] for record, _ in classed)
    if not split(classed):  # else chance decides which of the records of a point go where
        assert Counter(found) == Counter(wanted)
        assert shuffled or found == wanted
    rows = released.rows(["a", "b", "s"])
    assert counted_texts(rows) == Counter(row[:3] for row in wanted)
    assert counted_texts(released.rows()) == Counter(found)
    assert rows.n_records == len(wanted)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "data.parquet"
        place = engine.write(
            released, Target(FileLocation(path), lambda parts: Parquet().write(pl.concat(parts), path))
        )
        back, file = engine.read_back(place, ["a", "b", "s"])
    assert file.keys() == {"name", "sha256", "columns"}
    assert file["columns"] == list(ROLES)
    assert counted_texts(back) == counted_texts(rows)
    whole, grouped = Observed.of(released.frame(), ["a", "b"], ["s"]), Observed.of_rows(back, ["a", "b"], ["s"])
    assert grouped.groups.describe() == whole.groups.describe()
    assert grouped.groups.histogram("s").counts.tolist() == whole.groups.histogram("s").counts.tolist()


@every
@quick
@given(classed=CLASSED.filter(lambda classed: any(label >= 0 for _, label in classed)), seed=st.integers(0, 9))
def test_a_row_of_the_table_of_clusters_tells_the_records_of_its_class(
    kind: Kind, classed: list[Classed], seed: int
) -> None:
    engine = opened(kind, [record for record, _ in classed])
    counted = engine.count()
    points = points_of(counted.tally)
    whole = {points.index(record[:2]): label for record, label in classed}  # each point as a whole: no chance
    labels = np.array([whole[point] for point in range(len(points))], dtype=np.int32)
    if (labels < 0).all():
        return
    problem = Problem(counted.tally, (KAnonymity(k=1),), Lm(), Fraction(1))
    solution = solution_of(problem, Parts.whole(counted.tally, labels))
    classes = engine.assign(counted, solution, np.random.default_rng(seed))
    draw = np.random.default_rng(seed)
    if kind.name != "local":
        with pytest.raises(SpecError, match="clusters"):
            engine.publish_clusters(solution, classes, radius="own", values="multiset", rng=draw)
        return
    frame, order = engine.publish_clusters(solution, classes, radius="own", values="multiset", rng=draw)
    table = ClusterTable.of(frame, ("a", "b"), ("s",), "multiset")
    held = table.sensitive["s"]
    found = [
        (
            *table.centres.row(row),
            +Counter({held.values[at]: int(held.counts[at]) for at in np.flatnonzero(held.owners == row).tolist()}),
        )
        for row in range(len(table))
    ]
    label_of = {record[:2]: int(labels[points.index(record[:2])]) for record, _ in classed}
    cells = dict(
        zip(
            ((record, label_of[record[:2]]) for record, _ in classed),
            shown([(record, label_of[record[:2]]) for record, _ in classed], stars=True),
            strict=True,
        )
    )
    wanted: dict[tuple[str | None, ...], Counter[str | None]] = {}
    for record, _ in classed:
        label = label_of[record[:2]]
        if label >= 0:
            wanted.setdefault(cells[record, label][:2], Counter())[record[2]] += 1
    assert len(found) == len(wanted)
    assert all(wanted[a, b] == values for a, b, values in found)
    assert sorted(order.tolist()) == list(range(solution.recoding.n_classes))


@every
def test_a_shuffled_release_does_not_tell_the_order_of_the_table(kind: Kind) -> None:
    records: list[Record] = [(str(1 + i % 4), "1", "xy"[i % 2], "pqr"[i % 3]) for i in range(60)]
    frames = []
    for rows in (records, records[::-1]):
        engine, rng = opened(kind, rows), np.random.default_rng(3)
        counted = engine.count(("s",))
        solution = solved(counted, [(row, i % 2) for i, row in enumerate(records)])
        classes = engine.assign(counted, solution, rng)
        frames.append(texts(engine.publish(solution, classes, stars=False, shuffled=True, rng=rng).frame()))
    assert frames[0] == frames[1]
    assert frames[0] != sorted(frames[0])
