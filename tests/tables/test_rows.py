"""A table as its different rows counts and gives back what its records do."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from shoal.tables.distinct_rows import distinct_rows
from shoal.tables.published import PublishedRows
from shoal.tables.rows import Rows, joined
from shoal.tables.table import Column, totals

VALUES = st.sampled_from(["a", "b", "*", None])
TABLES = st.lists(st.tuples(VALUES, VALUES, st.integers(1, 4)), min_size=1, max_size=12)
quick = settings(deadline=None, max_examples=60)


def rows_of(table: list[tuple[str | None, str | None, int]]) -> Rows:
    frame = pl.DataFrame([row[:2] for row in table], schema={"*": pl.String, "s": pl.String}, orient="row")
    return Rows(frame, np.array([row[2] for row in table], dtype=np.int64))


def listed(rows: Rows) -> list[tuple[str | None, ...]]:
    texts = rows.frame.cast(pl.String).rows()
    return sorted((row for row, n in zip(texts, rows.counts.tolist(), strict=True) for _ in range(n)), key=str)


@quick
@given(table=TABLES)
def test_counts_are_those_of_the_records(table: list[tuple[str | None, str | None, int]]) -> None:
    rows = rows_of(table)
    records = [row[:2] for row in table for _ in range(row[2])]
    assert rows.n_records == len(records)
    grouped = Rows.of(rows.frame, ["*", "s"], rows.counts)
    assert listed(grouped) == listed(rows) == sorted(records, key=str)
    assert len(set(grouped.frame.cast(pl.String).rows())) == grouped.frame.height
    assert listed(rows.histogram("s")) == sorted([(record[1],) for record in records], key=str)
    assert listed(rows.select(["s"])) == listed(rows.histogram("s"))


@quick
@given(table=TABLES, step=st.integers(1, 5))
def test_every_so_many_records_are_taken(table: list[tuple[str | None, str | None, int]], step: int) -> None:
    rows = rows_of(table)
    records = [row[:2] for row in table for _ in range(row[2])]
    assert listed(rows.every(step)) == sorted(records[::step], key=str)


@given(order=st.lists(st.integers(0, 2), max_size=9), size=st.integers(1, 4))
@quick
@pytest.mark.parametrize("together", [True, False])
def test_published_records_are_their_rows_in_an_order(together: bool, order: list[int], size: int) -> None:
    different = pl.DataFrame({"*": ["x", "y", None], "s": ["1", "1", "2"]}, schema_overrides={"*": pl.Categorical})
    counts = np.bincount(order, minlength=3).astype(np.int64)
    made = PublishedRows(different, counts, None if together else np.array(order, dtype=np.int32))
    wanted = [different.cast(pl.String).row(place) for place in (sorted(order) if together else order)]
    assert made.n_records == len(wanted)
    assert made.columns == ["*", "s"]
    assert made.frame().cast(pl.String).rows() == wanted
    assert [row for part in made.parts(size) for row in part.cast(pl.String).rows()] == wanted
    assert listed(made.rows()) == sorted(wanted, key=str)
    assert listed(made.rows(["s"])) == sorted([(row[1],) for row in wanted], key=str)


def test_a_column_is_coded_once_and_its_codes_are_no_part_of_what_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows that were counted by their columns have the codes of these, and so have some of their columns."""
    frame = pl.DataFrame({"*": ["x", "y", "x"], "s": ["1", None, "1"]})
    each, counted = Rows.each(frame), Rows.of(frame, ["*", "s"])
    told, codes = repr(each), each.column("s")
    assert repr(each) == told

    def refuse(values: pl.Series) -> Column:
        raise AssertionError("coded again")

    monkeypatch.setattr(Column, "of", refuse)
    assert each.column("s") is codes
    assert each.select(["*", "s"]).column("s") is codes
    with pytest.raises(AssertionError):
        each.column("*")
    for name in ("*", "s"):
        column = counted.column(name)
        texts = [*column.values, None]
        assert [texts[code] for code in column.codes] == counted.frame[name].cast(pl.String).to_list()
        assert counted.select([name]).column(name) is column
    with pytest.raises(TypeError):
        Rows(frame, each.counts, {})  # type: ignore[call-arg]


def test_a_coded_column_is_counted() -> None:
    column = Column.of(pl.Series(["b", None, "a", "b"]))
    found = Rows.of_column(column, "*", np.array([1, 2, 3, 4], dtype=np.int64))
    assert dict(zip(found.frame["*"].to_list(), found.counts.tolist(), strict=True)) == {"a": 3, "b": 5, None: 2}
    assert totals(column.codes, None, 3).tolist() == [1, 2, 1]


def test_parts_are_counted_together_when_more_rows_wait_than_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    together: list[int] = []

    def spied(columns: list[NDArray[np.integer]], sizes: list[int], n_rows: int) -> tuple[NDArray[np.int32], ...]:
        together.append(n_rows)
        return distinct_rows(columns, sizes, n_rows)

    parts = [Rows.of(pl.DataFrame({"*": list(values)}), ["*"]) for values in ("a", "ab", "b", "a", "c", "abc")]
    monkeypatch.setattr("shoal.tables.rows._WAITING", 2)
    monkeypatch.setattr("shoal.tables.rows.distinct_rows", spied)
    found = joined(iter(parts))
    assert together == [1 + 2 + 1 + 1, 2 + 1 + 3]
    assert dict(zip(found.frame["*"].to_list(), found.counts.tolist(), strict=True)) == {"a": 4, "b": 3, "c": 2}


@quick
@given(table=TABLES, most=st.integers(0, 30), seed=st.integers(0, 9))
def test_a_sample_is_one_of_records(table: list[tuple[str | None, str | None, int]], most: int, seed: int) -> None:
    """Each record is drawn at most once, and what is drawn of the rows is what is drawn of the records."""
    rows = rows_of(table)
    places = rows.places(most, np.random.default_rng(seed))
    assert len(places) == min(most, rows.n_records)
    assert (np.diff(places) >= 0).all()
    assert (np.bincount(places, minlength=len(rows.counts)) <= rows.counts).all()
    single = Rows.each(rows.single())
    assert single.weights is None
    assert (rows.weights is None) == (int(rows.counts.max()) == 1)
    again = single.places(most, np.random.default_rng(seed))
    assert rows.frame[places.tolist()].equals(single.frame[again.tolist()])
    assert listed(rows.drawn(most, np.random.default_rng(seed))) == listed(Rows.each(rows.frame[places.tolist()]))


@pytest.mark.parametrize("more", [0, 1])
def test_of_no_more_than_are_wanted_nothing_is_drawn(more: int) -> None:
    """All of them are taken, and the generator is left as it was for what is drawn next."""
    rows, rng = Rows(pl.DataFrame({"v": ["a", "b"]}), np.array([2, 1])), np.random.default_rng(0)
    before = rng.bit_generator.state
    assert rows.places(3 + more, rng).tolist() == [0, 0, 1]
    assert rows.drawn(3 + more, rng) is rows
    assert rng.bit_generator.state == before


def test_every_record_is_as_likely_to_be_drawn() -> None:
    rows = Rows(pl.DataFrame({"v": ["a", "b", "c"]}), np.array([70, 20, 10]))
    drawn = np.concatenate([rows.places(10, np.random.default_rng(seed)) for seed in range(2_000)])
    assert np.bincount(drawn) / len(drawn) == pytest.approx([0.7, 0.2, 0.1], abs=0.01)
