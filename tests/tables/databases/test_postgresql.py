"""Against a real server: types as people expect them, one transaction, and the password nowhere."""

import builtins
import socket
from pathlib import Path
from typing import Any
from urllib.parse import quote

import polars as pl
import pytest

import shoal as front
from shoal.foundation.errors import MissingExtraError, SpecError
from shoal.tables.databases import database_of
from shoal.tables.databases.address import Address
from shoal.tables.databases.postgresql import Postgresql, patient
from shoal.tables.location import OpenTable
from tests.cli.run import BESIDE, HEADER, ROLES, done, entries, files_of, patients, shoal
from tests.tables.databases.server import PASSWORD, Server
from tests.test_leaks import bytes_below

MAKE = """
CREATE TYPE mood AS ENUM ('sad', 'ok');
CREATE TABLE kinds (i integer, big bigint, n numeric(8, 2), f double precision, r real, b boolean, d date,
  t timestamp, midnight timestamp, z timestamptz, clock time, span interval, c char(4), u uuid, m mood, e text);
INSERT INTO kinds VALUES
  (7, 9007199254740993, 1.5, 1e-7, 0.1, true, '2024-05-31', '2024-05-31 14:30', '2024-05-31', '2024-05-31 14:30+02',
   '01:02', '1 day 2 hours', 'ab', '00000000-0000-0000-0000-000000000001', 'ok', ''),
  (-3, 1, 2, 1e21, 2, false, NULL, '2024-05-31', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
  (0, 1, 2, 'NaN', '-Infinity', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)
"""
TEXTS = {
    "i": ["7", "-3", "0"],
    "big": ["9007199254740993", "1", "1"],
    "n": ["1.50", "2.00", "2.00"],
    "f": ["0.0000001", "1000000000000000000000", None],
    "r": ["0.1", "2", "-inf"],
    "b": ["true", "false", None],
    "d": ["2024-05-31", None, None],
    "t": ["2024-05-31T14:30:00", "2024-05-31T00:00:00", None],
    "midnight": ["2024-05-31", None, None],
    "z": ["2024-05-31T12:30:00+00:00", None, None],
    "clock": ["01:02:00", None, None],
    "span": ["P1DT2H", None, None],
    "c": ["ab", None, None],
    "u": ["00000000-0000-0000-0000-000000000001", None, None],
    "m": ["ok", None, None],
    "e": [None, None, None],
}


def execute(server: Server, *statements: str) -> None:
    from adbc_driver_postgresql import dbapi

    whole = server.url(f"tester:{quote(PASSWORD, safe='')}")
    with dbapi.connect(whole) as connection, connection.cursor() as cursor:
        for statement in statements:
            for one in statement.split(";"):
                cursor.execute(one)
        connection.commit()


@pytest.fixture
def clinic(server: Server) -> Server:
    """Make a table of patients in a schema of its own."""
    rows = ", ".join(
        f"('{name}', '{ssn}', {age}, '{place}', '{sex}', '{disease}', '{note}')"
        for name, ssn, age, place, sex, disease, note in patients()
    )
    fields = ", ".join(f"{name} {'integer' if name == 'age' else 'text'}" for name in HEADER)
    execute(
        server,
        "DROP SCHEMA IF EXISTS clinic CASCADE",
        "CREATE SCHEMA clinic",
        f"CREATE TABLE clinic.patients ({fields})",
        f"INSERT INTO clinic.patients VALUES {rows}",  # noqa: S608
    )
    return server


def test_every_type_becomes_the_text_a_person_expects(server: Server) -> None:
    execute(server, MAKE)
    with database_of(Address.of(server.url())).session() as session:
        frame = session.read("kinds", text=list(TEXTS))
    assert frame.to_dict(as_series=False) == TEXTS


def test_arrays_and_bytes_are_refused_unless_left_out(server: Server) -> None:
    execute(server, "CREATE TABLE odd (a integer[], b bytea, c integer)", "INSERT INTO odd VALUES ('{1}', 'x', 1)")
    with database_of(Address.of(server.url())).session() as session:
        with pytest.raises(SpecError, match=r"Column 'a' of the table odd is of the type integer\[\]"):
            session.read("odd", keep=["a"])
        with pytest.raises(SpecError, match="Column 'b' of the table odd is of the type bytea"):
            session.read("odd", keep=["b"])
        assert session.read("odd", keep=["c"]).height == 1


def test_a_release_from_a_table_into_a_table(clinic: Server, tmp_path: Path) -> None:
    whole, out = clinic.url(f"tester:{quote(PASSWORD, safe='')}"), tmp_path / "out"
    place = ("--input", whole, "--table", "clinic.patients", "--output", whole, "--output-table", "clinic.released")
    ran = done("anonymize", *place, *ROLES, "--k", "4", "--algorithm", "optimal", "--out", out)
    assert "release:     table clinic.released" in ran.out
    assert files_of(out) == BESIDE
    for secret in (PASSWORD, quote(PASSWORD, safe=""), "geheim"):
        assert secret.encode() not in bytes_below(out)
        assert secret not in ran.out + ran.err
    found = front.verify(out)
    assert found.verdict == "all claims hold"
    assert found.findings.file["database"] == "postgresql"
    assert done("verify", out, "--output", whole).code == 0
    assert front.check(front.table(clinic.url(), table="clinic.released"), quasi=["age", "zip", "sex"])["k"] >= 4
    execute(clinic, "CREATE TABLE clinic.copy AS SELECT * FROM clinic.released ORDER BY zip DESC, note")
    execute(clinic, "DROP TABLE clinic.released", "ALTER TABLE clinic.copy RENAME TO released")
    assert done("verify", out).code == 0  # the order of the records does not matter
    execute(clinic, "UPDATE clinic.released SET note = 'changed' WHERE ctid = '(0,1)'")
    changed = shoal("verify", out)
    assert changed.code == 4
    assert "the digest of its records differs" in changed.err
    again = shoal("anonymize", *place, *ROLES, "--k", "4", "--out", tmp_path / "again")
    assert again.code == 2
    assert "The table clinic.released exists already" in again.err
    done("anonymize", *place, *ROLES, "--k", "4", "--algorithm", "optimal", "--force", "--out", tmp_path / "again")
    assert done("verify", tmp_path / "again").code == 0


@pytest.mark.parametrize("given", [{}, {"order": "input"}, {"entity": "full_name"}], ids=str)
def test_the_server_counts_and_the_release_is_that_of_the_records(
    clinic: Server, given: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    roles: dict[str, Any] = {"quasi": ["age", "zip", "sex"], "sensitive": ["disease"], "insensitive": ["note"]}
    roles["drop"] = [name for name in HEADER if name not in {"age", "zip", "sex", "disease", "note", *given.values()}]
    asked = {**roles, **given, "k": 3, "algorithm": "mondrian", "seed": 5}
    fetched: list[bool] = []
    read = OpenTable.read

    def watched(table: OpenTable, **given: Any) -> pl.DataFrame:
        fetched.append(True)
        return read(table, **given)

    monkeypatch.setattr(OpenTable, "read", watched)
    made = front.anonymize(front.table(clinic.url(), table="clinic.patients"), **asked)
    assert bool(fetched) == ("order" in given)
    frame = pl.DataFrame(patients(), schema=dict.fromkeys(HEADER, pl.String), orient="row")
    local = front.anonymize(frame, **asked)
    assert made.certificate["claims"] == local.certificate["claims"]
    assert made.certificate["loss"] == local.certificate["loss"]
    if "entity" not in given:  # numbers of persons follow the order of the table where persons look alike
        assert made.data.equals(local.data)


def test_the_raw_table_is_never_replaced(clinic: Server, tmp_path: Path) -> None:
    url = clinic.url()
    for other in (url, url.replace("127.0.0.1", "localhost")):
        place = ("--input", url, "--table", "clinic.patients", "--output", other, "--output-table", "clinic.patients")
        ran = shoal("anonymize", *place, *ROLES, "--k", "4", "--force", "--out", tmp_path / "out")
        assert ran.code == 2
        assert "its input table" in ran.err or "it is not replaced" in ran.err
    with database_of(Address.of(url)).session() as session:
        assert session.read("clinic.patients").height == 160
    assert entries(tmp_path) == set()


def test_a_refused_release_leaves_no_table(clinic: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from shoal.certificate import Findings
    from shoal.foundation.errors import CertificateError

    def refused(self: Findings) -> None:
        raise CertificateError("Refused.")

    monkeypatch.setattr(Findings, "demand", refused)
    place = ("--input", clinic.url(), "--table", "clinic.patients", "--output", clinic.url(), "--output-table", "gone")
    assert shoal("anonymize", *place, *ROLES, "--k", "4", "--out", tmp_path / "out").code == 4
    with database_of(Address.of(clinic.url())).session() as session:
        assert not session.exists("gone")


def test_what_the_server_refuses_is_told_without_secrets(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PGPASSWORD")
    with pytest.raises(SpecError, match=r"cannot be reached: .*password authentication failed") as caught:
        database_of(Address.of(server.url("tester:CANARY"))).session().__enter__()
    assert "CANARY" not in str(caught.value)
    with pytest.raises(SpecError, match="no password supplied"):
        database_of(Address.of(server.url())).session().__enter__()
    with pytest.raises(SpecError, match="cannot be reached"):
        database_of(Address.of("postgresql://u@127.0.0.1:1/db")).session().__enter__()


def test_the_servers_words_about_values_are_not_passed_on(server: Server) -> None:
    execute(server, "CREATE VIEW broken AS SELECT CASE WHEN 'CANARY' < 'X' THEN 'CANARY' END::integer AS a")
    with database_of(Address.of(server.url())).session() as session:
        with pytest.raises(SpecError, match=r"refused: .*SQLSTATE 22P02") as caught:
            session.read("broken")
        assert "CANARY" not in str(caught.value)
        assert caught.value.__context__ is None


def test_a_missing_driver_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    load = builtins.__import__

    def without(name: str, *args: Any, **others: Any) -> Any:
        if name.startswith("adbc"):
            raise ImportError(name)
        return load(name, *args, **others)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingExtraError, match=r"pip install 'shoal\[postgresql\]'"):
        Postgresql(Address("postgresql://host/db")).session().__enter__()


def test_a_table_of_a_server_is_looked_at_and_recoded_by_rules(clinic: Server, tmp_path: Path) -> None:
    url, job, out = clinic.url(), tmp_path / "job", tmp_path / "out"
    done("init", url, "--table", "clinic.patients", "--yes", "--out", job)
    assert f'url = "{url}"' in (job / "job.toml").read_text(encoding="utf-8")
    done("anonymize", job / "job.toml", "--algorithm", "optimal", "--max-suppressed", "0.1", "--out", out)
    target = ("--output", url, "--output-table", "clinic.recoded", "--failing", "suppress")
    done("apply", out / "private/rules.json", url, "--table", "clinic.patients", *target, "--out", tmp_path / "again")
    assert done("verify", tmp_path / "again").code == 0
    assert front.check(front.table(url, table="clinic.recoded"), quasi=["age", "zip", "sex"])["k"] >= 5


def test_a_server_that_does_not_answer_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PGCONNECT_TIMEOUT", raising=False)
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        url = f"postgresql://somebody:geheim@127.0.0.1:{silent.getsockname()[1]}/clinic?connect_timeout=2"
        with pytest.raises(SpecError, match=r"did not answer in time.*connect_timeout=60") as caught:
            front.check(front.table(url, table="patients"), quasi=["age"])
    assert "geheim" not in str(caught.value)


def test_how_long_to_wait_is_said_where_nothing_else_is(monkeypatch: pytest.MonkeyPatch) -> None:
    for key in ("PGCONNECT_TIMEOUT", "PGSERVICE"):
        monkeypatch.delenv(key, raising=False)
    bare, asked = (Address.of(f"postgresql://a:b@host/db{query}") for query in ("", "?sslmode=require"))
    assert patient(bare).whole == "postgresql://a:b@host/db?connect_timeout=10"
    assert patient(asked).whole == "postgresql://a:b@host/db?sslmode=require&connect_timeout=10"
    for query in ("connect_timeout=0", "service=clinic"):
        told = Address.of(f"postgresql://a@host/db?{query}")
        assert patient(told) == told
    monkeypatch.setenv("PGCONNECT_TIMEOUT", "3")
    assert patient(bare) == bare
