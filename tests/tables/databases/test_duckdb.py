"""Against a real file: types, whole or not at all, counted inside by the engine of the same name."""

import subprocess
import sys
import time
from pathlib import Path
from traceback import format_exception
from typing import Any

import duckdb
import pytest

import shoal as front
from shoal.foundation.errors import MissingExtraError, SpecError
from shoal.jobs.job import Job
from shoal.tables.databases import database_of
from shoal.tables.databases.address import Address
from tests.actions.test_counted_engines import JOBS, SAME, asked, rows, table
from tests.cli.run import HEADER, ROLES, done, patients, shoal


def made(path: Path, *statements: str) -> Path:
    with duckdb.connect(str(path)) as connection:
        for statement in statements:
            connection.execute(statement)
    return path


def texts(path: Path, column: str, table: str = "patients") -> list[str | None]:
    with database_of(Address.of(f"duckdb:///{path}")).session() as session:
        return session.read(table, keep=[column])[column].to_list()


def clinic(folder: Path) -> Path:
    path, records = folder / "clinic.duckdb", patients()
    with duckdb.connect(str(path)) as connection:
        connection.execute(f"CREATE TABLE patients ({', '.join(f'{name} VARCHAR' for name in HEADER)})")
        connection.executemany(f"INSERT INTO patients VALUES ({', '.join('?' * len(HEADER))})", records)  # noqa: S608
    return path


def test_tables_and_views_are_told_by_their_names(tmp_path: Path) -> None:
    path = made(tmp_path / "a.duckdb", 'CREATE TABLE "b 1" (a INTEGER)', 'CREATE VIEW "a.b" AS SELECT 1 AS a')
    assert database_of(Address.of(f"duckdb:///{path}")).tables() == ['"a.b"', "b 1"]


VALUES = {
    "a": ("INTEGER", "7", "7"),
    "b": ("DOUBLE", "0.1", "0.1"),
    "c": ("HUGEINT", "170141183460469231731687303715884105727", "170141183460469231731687303715884105727"),
    "d": ("DECIMAL(10,2)", "1.5", "1.50"),
    "e": ("ENUM('x', 'y]')", "'y]'", "y]"),
    "f": ("DATE", "'2024-02-29'", "2024-02-29"),
    "g": ("TIMESTAMP", "'2024-02-29 10:00:00'", "2024-02-29T10:00:00"),
    "h": ("TIMESTAMPTZ", "'2024-02-29 10:00:00+02'", "2024-02-29T08:00:00+00:00"),
    "i": ("BOOLEAN", "true", "true"),
    "j": ("UUID", "'00000000-0000-0000-0000-000000000001'", "00000000-0000-0000-0000-000000000001"),
    "k": ("VARCHAR", "''", None),
    "l": ("TIME", "'10:00:00'", "10:00:00"),
    "m": ("BIT", "'101'", "101"),
}


def test_values_have_the_texts_of_their_types_whoever_counts(tmp_path: Path) -> None:
    fields = ", ".join(f'"{name}" {kind}' for name, (kind, _, _) in VALUES.items())
    values = ", ".join(value for _, value, _ in VALUES.values())
    path = made(tmp_path / "a.duckdb", f"CREATE TABLE patients ({fields})", f"INSERT INTO patients VALUES ({values})")  # noqa: S608
    for name, (kind, _, text) in VALUES.items():
        assert texts(path, name) == [text], kind
    place = front.table(path, table="patients")
    for engine in ("local", "duckdb"):
        release = front.anonymize(place, quasi=["a"], insensitive=[*VALUES][1:], k=1, engine=engine, types="text")
        assert release.data.row(0) == tuple(text for _, _, text in VALUES.values()), engine


@pytest.mark.parametrize("kind", ["BLOB", "INTEGER[]", "STRUCT(x INTEGER)", "INTERVAL", "MAP(INTEGER, INTEGER)"])
def test_what_is_no_plain_value_is_refused(tmp_path: Path, kind: str) -> None:
    path = made(
        tmp_path / "a.duckdb", f"CREATE TABLE patients (a {kind}, b INTEGER)", "INSERT INTO patients (b) VALUES (1)"
    )
    with pytest.raises(SpecError, match="Column 'a' of the table patients is of the type"):
        texts(path, "a")
    assert texts(path, "b") == ["1"]


@pytest.mark.parametrize("kind", ["drop", *(pytest.param(kind, marks=pytest.mark.deep) for kind in JOBS)])
def test_engine_and_local_reader_release_the_same(tmp_path: Path, kind: str) -> None:
    path, given = tmp_path / "clinic.duckdb", table().to_arrow()
    with duckdb.connect(str(path)) as connection:
        connection.register("given", given)
        connection.execute("CREATE SCHEMA care; CREATE TABLE care.visits AS SELECT * FROM given")
        connection.execute("CREATE VIEW seen AS SELECT * FROM care.visits")
        connection.unregister("given")
    local = front.anonymize(front.table(path, table="care.visits"), **asked(kind), engine="local")
    for name in ("care.visits", "seen"):
        counted = front.anonymize(front.table(f"duckdb:///{path}", table=name), **asked(kind), engine="duckdb")
        assert rows(counted) == rows(local)
        for key in SAME:
            assert counted.certificate[key] == local.certificate[key], key
        counted.write(tmp_path / name)
        job = Job.read(tmp_path / name / "private/job.toml")
        assert (job.input.url, job.input.table, job.engine.name) == ("duckdb:///../../clinic.duckdb", name, "duckdb")
        assert front.verify(tmp_path / name, raw=True).verdict == "all claims hold"


def test_regions_are_cut_from_it(tmp_path: Path) -> None:
    path, given = tmp_path / "clinic.duckdb", table().to_arrow()
    with duckdb.connect(str(path)) as connection:
        connection.register("given", given)
        connection.execute("CREATE TABLE visits AS SELECT * FROM given")
        connection.unregister("given")
    given.to_pandas().to_parquet(tmp_path / "visits.parquet")
    settings: dict[str, Any] = {**asked("mondrian"), "format": "parquet", "engine": {"name": "duckdb", "regions": 60}}
    one = front.anonymize(front.table(path, table="visits"), **settings).certificate
    two = front.anonymize(tmp_path / "visits.parquet", **settings).certificate
    assert "regions" in one["told"]["remark"]
    assert all(one[key] == two[key] for key in SAME if key != "algorithm")


def test_a_path_is_enough_and_a_release_goes_into_the_same_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clinic(tmp_path)
    monkeypatch.chdir(tmp_path)
    flags = ("--table", "patients", "--output", "duckdb:///clinic.duckdb", "--output-table", "released")
    done("anonymize", "clinic.duckdb", *flags, *ROLES, "--k", "4", "--algorithm", "optimal", "--out", "out")
    monkeypatch.chdir("/")
    assert front.verify(tmp_path / "out").verdict == "all claims hold"
    job = Job.read(tmp_path / "out" / "private/job.toml")
    assert (job.input.url, job.release.url) == ("duckdb:///../../clinic.duckdb",) * 2
    with database_of(Address.of(f"duckdb:///{tmp_path}/clinic.duckdb")).session() as session:
        assert session.columns("released") == ["age", "zip", "sex", "disease", "note"]
    assert front.check(front.table(tmp_path / "clinic.duckdb", table="released"), quasi=["age", "zip", "sex"])["k"] >= 4
    text = (tmp_path / "out" / "private/job.toml").read_text(encoding="utf-8").replace("../../clinic", "clinic")
    text = text.replace('url = "duckdb:///clinic.duckdb"', 'path = "clinic.duckdb"', 1)
    (tmp_path / "job.toml").write_text(text, encoding="utf-8")
    assert Job.read(tmp_path / "job.toml").input.url == "duckdb:///clinic.duckdb"
    assert shoal("anonymize", tmp_path / "job.toml", "--out", tmp_path / "again").code == 2  # the table is there
    done("anonymize", tmp_path / "job.toml", "--force", "--out", tmp_path / "again")


def test_what_is_wrong_is_said_without_a_value(tmp_path: Path) -> None:
    path = clinic(tmp_path)
    (tmp_path / "secret.csv").write_text("a\nCanary\n", encoding="utf-8")
    made(path, f"CREATE VIEW outside AS SELECT * FROM read_csv('{tmp_path}/secret.csv')")  # noqa: S608
    made(path, "CREATE TABLE odd (a VARCHAR)", "INSERT INTO odd VALUES ('Canary')")
    made(path, "CREATE VIEW torn AS SELECT a::INTEGER AS a FROM odd")
    for name, words in {
        "absent": "There is no table absent",
        "outside": "view of something that is not",
        "torn": "to its end",
    }.items():
        with pytest.raises(SpecError, match=words) as caught:
            texts(path, "a", name)
        assert "Canary" not in "".join(format_exception(caught.value))
    for name in ("outside", "torn"):
        with pytest.raises(SpecError, match="DuckDB could not read") as caught:
            front.anonymize(front.table(path, table=name), quasi=["a"], k=1, engine="duckdb")
        assert "Canary" not in "".join(format_exception(caught.value))
    (tmp_path / "bad.duckdb").write_text("Canary" * 1_000, encoding="utf-8")
    with pytest.raises(SpecError, match="it is no DuckDB database"):
        texts(tmp_path / "bad.duckdb", "a")
    with pytest.raises(SpecError, match="needs the name of a table"):
        front.table(path)
    with pytest.raises(SpecError, match="a database is read by the engine 'local', which the engine 'spark' cannot do"):
        front.anonymize(front.table(path, table="odd"), quasi=["a"], k=1, engine="spark")


def test_a_file_that_another_program_writes_is_told(tmp_path: Path) -> None:
    path = clinic(tmp_path)
    program = f"import duckdb; c = duckdb.connect({str(path)!r}); print('open', flush=True); input()"
    with subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"open\n"
        with pytest.raises(SpecError, match="another program has it open for writing"):
            texts(path, "age")
        other.communicate(b"\n")
    assert len(texts(path, "age")) == 160


def test_without_the_package_it_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = clinic(tmp_path)
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'shoal\[duckdb\]'"):
        texts(path, "age")


def test_moments_are_in_no_zone_of_the_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = made(tmp_path / "a.duckdb", "CREATE TABLE patients AS SELECT TIMESTAMPTZ '2024-01-01 10:00:00+00' AS seen")
    monkeypatch.setenv("TZ", "America/New_York")
    time.tzset()
    try:
        assert texts(path, "seen") == ["2024-01-01T10:00:00+00:00"]
    finally:
        monkeypatch.undo()
        time.tzset()
