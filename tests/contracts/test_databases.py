"""Every database: what is written is read back, whole or not at all."""

import hashlib
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.foundation.budgets import limits
from shoal.foundation.errors import SpecError
from shoal.tables.databases import DATABASES, database_of
from shoal.tables.databases.address import Address, quoted
from shoal.tables.databases.database import Database, records_digest
from tests.contracts.test_formats import FRAMES
from tests.tables.databases.server import PASSWORD, running
from tests.tables.formats.typed_frames import texts_and_types, typed_frames

NAMES = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=8)


@pytest.fixture(scope="module", params=["sqlite", "duckdb", "postgresql"])
def database(request: pytest.FixtureRequest) -> Iterator[Database]:
    if request.param != "postgresql":
        with tempfile.TemporaryDirectory() as folder:
            yield database_of(Address.of(f"{request.param}:///tables.db"), Path(folder))
        return
    with running() as server:
        yield database_of(Address(server.url(), PASSWORD))


def test_every_database_is_tested_here() -> None:
    assert set(DATABASES.names) == {"sqlite", "duckdb", "postgresql"}


@given(frame=typed_frames())
@settings(max_examples=40)
def test_what_is_written_in_its_types_is_read_back_as_the_same_texts(database: Database, frame: pl.DataFrame) -> None:
    texts, types = texts_and_types(frame)
    with database.session(writes=True) as session:
        session.write_typed(texts.cast(pl.Categorical), "typed", types)
        assert session.read("typed", text=texts.columns).equals(texts)
        found = session.types("typed", texts.columns)
        for name, kind in types.items():
            values = texts[name].unique().drop_nulls().to_list()
            assert not kind.is_text or found[name].is_text, name
            if isinstance(kind.dtype, pl.Decimal) and database.name != "sqlite":
                assert found[name].dtype == kind.dtype, name
            if database.keeps(kind, values) and values and name in found:
                assert found[name].among(values).dtype is not None, name
        session.drop("typed")


@given(frame=FRAMES, name=NAMES)
@settings(max_examples=25)
def test_what_is_written_is_read_back(database: Database, frame: pl.DataFrame, name: str) -> None:
    frame = frame.rename(
        {one: f"{number}{one}" for number, one in enumerate(frame.columns)}
    )  # SQLite and DuckDB: a is A
    expected = frame.select(pl.when(pl.all() != "").then(pl.all()))
    with database.session(writes=True) as session:
        table = quoted(f"_{name}")  # a table of SQLite may not start with sqlite_
        session.write(frame.cast(pl.Categorical), table)
        assert session.exists(table)
        assert session.columns(table) == frame.columns
        assert session.read(table, text=frame.columns).equals(expected)
        last = expected.to_series(-1).to_frame()
        assert session.read(table, keep=last.columns).cast(pl.String).equals(last)
        assert records_digest(session.read(table)) == records_digest(expected.reverse())
        rows = session.rows(table, keep=last.columns)
        listed = [
            text
            for text, n in zip(rows.frame.to_series().to_list(), rows.counts.tolist(), strict=True)
            for _ in range(n)
        ]
        assert Counter(listed) == Counter(last.to_series().to_list())


TYPED = pl.DataFrame(
    {
        "whole": ["1", "-20", None],
        "number": ["0.5", "2", None],
        "exact": ["1.50", "0.00000000000000000001", None],
        "day": ["2024-02-29", "1999-12-31", None],
        "truth": ["true", "false", None],
        "code": ["00501", "1", None],
        "nothing": pl.Series([None, None, None], dtype=pl.String),
    }
)


def test_columns_of_all_kinds_are_read_back(database: Database) -> None:
    with database.session(writes=True) as session:
        session.write(TYPED, "typed")
        assert session.read("typed", text=TYPED.columns).equals(TYPED)


def test_what_is_not_committed_never_was(database: Database) -> None:
    with database.session(writes=True) as session:
        session.write(TYPED, "kept")
        session.commit()
    with pytest.raises(SpecError), database.session(writes=True) as session:  # noqa: PT012
        session.write(TYPED.head(1), "kept", replace=True)
        session.write(TYPED, "lost")
        session.read("absent")
    with database.session() as session:
        assert session.read("kept").height == 3
        assert not session.exists("lost")
        with pytest.raises(SpecError, match="There is no table lost"):
            session.read("lost")
        with pytest.raises(SpecError, match=r"No column 'daj' in the table kept. Did you mean 'day'"):
            session.read("kept", keep=["daj", "code"])


def test_an_empty_table_is_refused(database: Database) -> None:
    with database.session(writes=True) as session:
        session.write(TYPED.clear(), "empty")
        with pytest.raises(SpecError, match="has no records"):
            session.read("empty")


def test_the_digest_is_that_of_the_sorted_csv() -> None:
    frame = pl.DataFrame({"b": ["y", "x", None], "a": ["1", '2,"', "3"]})
    text = 'b,a\n,3\nx,"2,"""\ny,1\n'
    assert records_digest(frame) == hashlib.sha256(text.encode()).hexdigest()
    assert records_digest(frame.cast(pl.Categorical)) == records_digest(frame)
    assert records_digest(frame) != records_digest(frame.select("a", "b"))


ENDLESS = "WITH RECURSIVE n(a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM n) SELECT a FROM n"


def _view(database: Database, name: str, query: str) -> None:
    """Make a view by the driver itself."""
    with database.session(writes=True) as session:
        made: Any = session
        if database.name == "sqlite":
            made._connection.execute(f"CREATE VIEW {name} AS {query}")  # noqa: SLF001
        else:
            made._run(f"CREATE VIEW {name} AS {query}")  # noqa: SLF001
        session.commit()


def test_an_endless_view_ends_at_each_limit(database: Database) -> None:
    _view(database, "endless", ENDLESS)
    with (
        database.session() as session,
        limits(max_records=1_000),
        pytest.raises(SpecError, match="more than 1000 records"),
    ):
        session.read("endless")
    with database.session() as session, limits(timeout=0.5), pytest.raises(SpecError, match=r"within 0.5 s.*--timeout"):
        session.read("endless")


def test_a_table_has_as_many_bytes_as_are_allowed(database: Database) -> None:
    with database.session(writes=True) as session:
        session.write(pl.DataFrame({"a": ["x" * 1_000, "y"]}), "wide")
        with limits(max_records=2, max_bytes=10_000):
            assert session.read("wide").height == 2
        with limits(max_bytes=1_000), pytest.raises(SpecError, match="more than 1000 bytes in the table wide"):
            session.read("wide")
