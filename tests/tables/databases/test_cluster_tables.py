"""Releases of clusters, and audits, in databases: two tables in one transaction, and the same answers as from files."""

import csv
import secrets
from dataclasses import dataclass
from pathlib import Path

import polars as pl
import pytest

import shoal as front
from shoal import CertificateError
from shoal.certificate import ClusterFindings, Findings
from shoal.tables.databases import database_of
from shoal.tables.databases.address import Address
from tests.cli.run import BESIDE, HEADER, ROLES, done, files_of, patients, shoal
from tests.forging import relist
from tests.tables.databases.server import Server

CLUSTERS = ("--r", "5", "--algorithm", "mdav", "--seed", "7")


@dataclass(frozen=True)
class Clinic:
    """A database with a table of patients, and a name that no other test uses."""

    url: str
    name: str

    @property
    def raw(self) -> str:
        return f"raw_{self.name}"

    @property
    def source(self) -> tuple[str, ...]:
        return ("--input", self.url, "--table", self.raw)

    @property
    def target(self) -> tuple[str, ...]:
        return ("--output", self.url, "--output-table", self.name)

    def exists(self, table: str) -> bool:
        with database_of(Address.of(self.url)).session() as session:
            return session.exists(table)

    def read(self, table: str) -> pl.DataFrame:
        with database_of(Address.of(self.url)).session() as session:
            return session.read(table).cast(pl.String)

    def write(self, frame: pl.DataFrame, table: str) -> None:
        with database_of(Address.of(self.url)).session(writes=True) as session:
            session.write(frame, table, replace=True)
            session.commit()


@pytest.fixture(params=["sqlite", "postgresql"])
def clinic(request: pytest.FixtureRequest, tmp_path: Path) -> Clinic:
    url = f"sqlite:///{tmp_path}/clinic.db"
    if request.param == "postgresql":
        server: Server = request.getfixturevalue("server")
        url = server.url()
    made = Clinic(url, f"t{secrets.token_hex(4)}")
    rows = [tuple(map(str, row)) for row in patients()]
    made.write(pl.DataFrame(rows, HEADER, orient="row"), made.raw)
    with (tmp_path / "data.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([HEADER, *rows])
    return made


def test_records_and_clusters_are_two_tables(clinic: Clinic, tmp_path: Path) -> None:
    out, clusters = tmp_path / "out", f"{clinic.name}_clusters"
    ran = done("anonymize", *clinic.source, *clinic.target, *ROLES, *CLUSTERS, "--out", out)
    assert f"release:     table {clinic.name} and table {clusters}" in ran.out
    assert files_of(out) == BESIDE
    assert clinic.read(clinic.name).columns == ["age", "zip", "sex", "disease", "note"]
    assert set(clinic.read(clusters).columns) == {"age", "zip", "sex", "records", "radius", "disease"}
    ran = done("verify", out)
    assert "all claims hold, and the tables are those that were certified" in ran.out
    assert done("verify", out, "--output", clinic.url).out == ran.out
    clinic.write(clinic.read(clusters).reverse(), clusters)
    assert front.verify(out).verdict == "all claims hold"  # the order of the clusters does not matter
    clinic.write(clinic.read(clusters).with_columns(radius=pl.lit("9")), clusters)
    with pytest.raises(CertificateError, match=f"The table {clusters} is not the one that was certified"):
        front.verify(out)


def test_a_database_gives_the_release_that_a_file_gives(clinic: Clinic, tmp_path: Path) -> None:
    done("anonymize", *clinic.source, *clinic.target, *ROLES, *CLUSTERS, "--out", tmp_path / "out")
    done("anonymize", tmp_path / "data.csv", *ROLES, *CLUSTERS, "--out", tmp_path / "file")
    records = pl.read_csv(tmp_path / "file/public/data.csv", infer_schema=False)
    clusters = pl.read_csv(tmp_path / "file/public/clusters.csv", infer_schema=False)
    assert clinic.read(clinic.name).equals(records)
    assert clinic.read(f"{clinic.name}_clusters").equals(clusters)


def test_clusters_alone_have_the_name_that_was_asked_for(clinic: Clinic, tmp_path: Path) -> None:
    out = tmp_path / "out"
    done("anonymize", *clinic.source, *clinic.target, *ROLES, *CLUSTERS, "--shape", "clusters", "--out", out)
    assert not clinic.exists(f"{clinic.name}_clusters")
    assert "radius" in clinic.read(clinic.name).columns
    assert "and the table is the one that was certified" in done("verify", out).out
    ran = shoal("risk", out)
    assert ran.code == 2
    assert "contains clusters only" in ran.err


def test_neither_table_takes_the_place_of_another(clinic: Clinic, tmp_path: Path) -> None:
    clusters = f"{clinic.name}_clusters"
    clinic.write(pl.DataFrame({"age": ["1"], "mine": ["2"]}), clusters)
    for flags, words in (((), "exists already"), (("--force",), "has columns that the release does not have")):
        out = tmp_path / "out"
        ran = shoal("anonymize", *clinic.source, *clinic.target, *ROLES, *CLUSTERS, *flags, "--out", out)
        assert ran.code == 2
        assert f"The table {clusters} {words}" in ran.err
        assert not clinic.exists(clinic.name)
        assert not out.exists()


@pytest.mark.parametrize("found", [Findings, ClusterFindings])
def test_a_refused_release_leaves_neither_table(
    clinic: Clinic, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, found: type
) -> None:
    def refused(self: object) -> None:
        raise CertificateError("Refused.")

    monkeypatch.setattr(found, "demand", refused)
    ran = shoal("anonymize", *clinic.source, *clinic.target, *ROLES, *CLUSTERS, "--out", tmp_path / "out")
    assert ran.code == 4
    assert not clinic.exists(clinic.name)
    assert not clinic.exists(f"{clinic.name}_clusters")


def test_audits_of_a_release_in_a_database(clinic: Clinic, tmp_path: Path) -> None:
    """Whether raw table, public table and release are tables or files, the figures are the same."""
    flags = (*ROLES, "--k", "5", "--algorithm", "optimal", "--seed", "7", "--max-suppressed", "0.2")
    done("anonymize", *clinic.source, *clinic.target, *flags, "--out", tmp_path / "out")
    done("anonymize", tmp_path / "data.csv", *flags, "--out", tmp_path / "file")
    people = ("--public", clinic.url, "--public-table", clinic.raw, "--truth", "ssn")
    raw = ("--raw", clinic.url, "--raw-table", clinic.raw)
    other = ("--other", tmp_path / "file", "--json")
    told = done("attack", tmp_path / "out", *people, *raw, *other).json
    filed = ("--public", tmp_path / "data.csv", "--truth", "ssn", "--other", tmp_path / "file", "--json")
    assert told == done("attack", tmp_path / "file", *filed).json
    everybody = ("--population", clinic.url, "--population-table", clinic.raw, "--json")
    by_file = ("--population", tmp_path / "data.csv", "--json")
    measured = done("risk", tmp_path / "out", *everybody).json
    assert measured == done("risk", tmp_path / "file", *by_file).json
    assert measured["before"]["records"] == 160


def test_audits_of_a_table_by_its_url(clinic: Clinic, tmp_path: Path) -> None:
    """`attack`, `risk` and `check` take a table of a database as `anonymize` does."""
    roles = ("--quasi", "zip,sex", "--sensitive", "disease")
    here, there = (clinic.url, "--table", clinic.raw), (tmp_path / "data.csv",)
    assert done("check", *here, *roles, "--json").json == done("check", *there, *roles, "--json").json
    assert done("risk", *here, *roles[:2], "--json").json == done("risk", *there, *roles[:2], "--json").json
    assert done("attack", *here, *roles, "--json").json == done("attack", *there, *roles, "--json").json
    quasi = ["zip", "sex"]
    shares = front.singling_out(front.table(clinic.url, table=clinic.raw), quasi=quasi)
    assert shares == front.singling_out(tmp_path / "data.csv", quasi=quasi)
    for command in ("check", "risk", "attack"):
        ran = shoal(command, clinic.url, "--quasi", "zip")
        assert ran.code == 2
        assert "needs the name of a table: shoal.table(url, table=...), or --table" in ran.err


def test_a_raw_table_that_is_not_at_hand(clinic: Clinic, tmp_path: Path) -> None:
    done("anonymize", *clinic.source, *clinic.target, *ROLES, *CLUSTERS, "--out", tmp_path / "out")
    job = tmp_path / "out/private/job.toml"
    job.write_text(job.read_text(encoding="utf-8").replace(f'"{clinic.raw}"', '"nowhere"'), encoding="utf-8")
    relist(tmp_path / "out")
    found = front.verify(tmp_path / "out")
    assert list(found.not_derived) == ["radius"]
    assert "nowhere" in found.not_derived["radius"]
    assert front.risk(tmp_path / "out").before is None
