"""Against a real file: dynamic types, whole or not at all, and messages without values."""

import sqlite3
from pathlib import Path

import pytest

import shoal as front
from shoal.foundation.errors import SpecError
from shoal.jobs.job import Job
from shoal.tables.databases import database_of
from shoal.tables.databases.address import Address
from tests.cli.run import HEADER, ROLES, done, entries, patients, shoal
from tests.test_leaks import bytes_below


def made(path: Path, fields: str, rows: list[tuple[object, ...]], table: str = "patients") -> Path:
    connection = sqlite3.connect(path)
    connection.execute(f"CREATE TABLE {table} ({fields})")
    connection.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(rows[0]))})", rows)  # noqa: S608
    connection.commit()
    connection.close()
    return path


def texts(path: Path, column: str) -> list[str | None]:
    with database_of(Address.of(f"sqlite:///{path}")).session() as session:
        return session.read("patients", keep=[column])[column].to_list()


def clinic(folder: Path) -> Path:
    return made(folder / "clinic.db", ", ".join(HEADER), patients())


def test_tables_and_views_are_told_by_their_names(tmp_path: Path) -> None:
    path = made(tmp_path / "a.sqlite", "a", [(1,)], '"visits 2024"')
    made(path, "a", [(2,)], '"a.b"')
    with sqlite3.connect(path) as connection:
        connection.execute('CREATE VIEW seen AS SELECT a FROM "a.b"')
    connection.close()
    names = database_of(Address.of(f"sqlite:///{path}")).tables()
    assert names == ["visits 2024", '"a.b"', "seen"]
    assert [front.table(str(path), table=name).read(keep=["a"])["a"].to_list() for name in names] == [
        ["1"],
        ["2"],
        ["2"],
    ]


def test_values_have_the_type_that_they_were_stored_with(tmp_path: Path) -> None:
    path = made(
        tmp_path / "a.db",
        "a INTEGER, b REAL, c TEXT, d BOOLEAN, e",
        [(1, 1.0, "00501", 1, "x"), (None, 0.1, "", 0, 2.5), (2**62, 1e-7, None, None, 7)],
    )
    assert texts(path, "a") == ["1", None, str(2**62)]
    assert texts(path, "b") == ["1", "0.1", "0.0000001"]
    assert texts(path, "c") == ["00501", None, None]
    assert texts(path, "d") == ["true", "false", None]
    assert texts(path, "e") == ["x", "2.5", "7"]


def test_bytes_are_refused(tmp_path: Path) -> None:
    path = made(tmp_path / "a.db", "a, b", [(b"CANARY", 1)])
    with pytest.raises(SpecError, match="Column 'a' of the table patients holds bytes"):
        texts(path, "a")
    assert texts(path, "b") == ["1"]


def test_a_release_into_the_same_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clinic(tmp_path)
    monkeypatch.chdir(tmp_path)
    flags = ("--table", "patients", "--output", "sqlite:///clinic.db", "--output-table", "released")
    done("anonymize", "sqlite:///clinic.db", *flags, *ROLES, "--k", "4", "--algorithm", "optimal", "--out", "out")
    monkeypatch.chdir("/")
    assert front.verify(tmp_path / "out").verdict == "all claims hold"
    job = Job.read(tmp_path / "out" / "private/job.toml")
    assert (job.input.url, job.release.url) == ("sqlite:///../../clinic.db",) * 2
    with database_of(Address.of(f"sqlite:///{tmp_path}/clinic.db")).session() as session:
        assert session.columns("released") == ["age", "zip", "sex", "disease", "note"]
        assert session.read("patients").height == 160
    done("anonymize", tmp_path / "out/private/job.toml", "--force", "--out", tmp_path / "again")
    assert (tmp_path / "again/private/certificate.json").exists()


def test_a_new_file_holds_the_release_alone(tmp_path: Path) -> None:
    clinic(tmp_path)
    release = front.anonymize(
        front.table(f"sqlite:///{tmp_path}/clinic.db", table="patients"),
        quasi=["age", "zip", "sex"],
        sensitive=["disease"],
        insensitive=["note"],
        drop=["full_name", "ssn"],
        k=40,
        algorithm="optimal",
        output=f"sqlite:///{tmp_path}/new.db",
        output_table="released",
    )
    release.write(tmp_path / "out")
    table = (tmp_path / "new.db").read_bytes()
    whole = table + bytes_below(tmp_path / "out")
    for name, ssn, _, place, *_ in patients():
        assert not any(str(value).encode() in whole for value in (name, ssn))
        assert str(place).encode() not in table  # five digits may be among those of a certificate


def test_a_refused_release_leaves_no_file(tmp_path: Path) -> None:
    clinic(tmp_path)
    url = f"sqlite:///{tmp_path}/clinic.db"
    flags = ("--input", url, "--table", "patients", "--output", f"sqlite:///{tmp_path}/new.db", "--output-table", "t")
    assert shoal("anonymize", *flags, *ROLES, "--k", "9999", "--out", tmp_path / "out").code == 3
    with pytest.raises(SpecError), database_of(Address.of(f"sqlite:///{tmp_path}/new.db")).session(writes=True) as s:
        s.columns("absent")
    assert entries(tmp_path) == {"clinic.db"}


def test_the_raw_table_is_never_replaced(tmp_path: Path) -> None:
    url = f"sqlite:///{clinic(tmp_path)}"
    flags = ("--input", url, "--table", "patients", "--output", url, "--output-table", "main.patients", "--force")
    ran = shoal("anonymize", *flags, *ROLES, "--k", "4", "--out", tmp_path / "out")
    assert ran.code == 2
    assert "cannot replace its input table" in ran.err


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (("--input", "sqlite:///absent.db", "--table", "t"), "absent.db'"),
        (("--input", "sqlite://host/absent.db", "--table", "t"), "is written as sqlite:///file.db"),
        (("--input", "mysql://host/db", "--table", "t"), "Unknown kind of database 'mysql://'"),
        (("--input", "sqlite:///clinic.db"), "'url' and 'table' are given together"),
        (("--input", "sqlite:///clinic.db", "--table", "p; DROP TABLE patients"), "There is no table"),
        (("--input", "sqlite:///text.db", "--table", "t"), "it is not a SQLite database"),
        (("--input", "sqlite:///clinic.db", "--table", "patients", "--sheet", "x"), "'sheet' and 'delimiter' are for"),
        ((), "One table is needed"),
        (("clinic.csv", "--input", "other.csv"), "One table is needed"),
    ],
)
def test_what_is_wrong_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, flags: tuple[str, ...], words: str
) -> None:
    clinic(tmp_path)
    (tmp_path / "text.db").write_text("CANARY " * 100)
    monkeypatch.chdir(tmp_path)
    ran = shoal("anonymize", *flags, *ROLES, "--k", "4", "--out", "out")
    assert ran.code == 2, ran.err
    assert words in ran.err
    assert "CANARY" not in ran.err


def test_a_locked_file_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from shoal.tables.databases import sqlite

    path = clinic(tmp_path)
    monkeypatch.setattr(sqlite, "_PATIENCE", 0)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    with pytest.raises(SpecError, match="another program has locked it"):
        database_of(Address.of(f"sqlite:///{path}")).session(writes=True).__enter__()
    other.close()
