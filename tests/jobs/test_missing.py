"""Missing values from end to end: what was missing, what was suppressed, and what counts."""

import sqlite3
from pathlib import Path

import polars as pl
import pytest

from tests.cli.run import done, read_csv, shoal, write_csv

ROWS = [("20", "M")] * 4 + [("", "M")] * 4 + [("20", "")] * 2 + [("", "")] * 1 + [("30", "F")] * 4
"""With k = 4: strictly two classes are too small, with wildcards none is."""

FLAGS = ("--quasi", "age,sex", "--k", "4", "--algorithm", "tuple-suppression", "--max-suppressed", "0.5", "--seed", "1")


@pytest.fixture
def table(tmp_path: Path) -> Path:
    return write_csv(tmp_path / "data.csv", ("age", "sex"), ROWS)


@pytest.mark.parametrize(
    ("missing", "released", "achieved"), [("category", 12, 4), ("wildcard", 15, 5), ("drop", 8, 4)]
)
@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_each_reading_of_missing_values(
    tmp_path: Path, table: Path, form: str, missing: str, released: int, achieved: int
) -> None:
    flags = (*FLAGS, "--missing", missing, "--format", form)
    found = done("anonymize", table, *flags, "--out", tmp_path / "out", "--json").json
    assert found["records"] == {"input": 15, "released": released, "suppressed": 15 - released}
    assert found["claims"][0]["achieved"] == achieved
    assert found["missing"]["reading"] == missing
    path = tmp_path / "out" / f"public/data.{form}"
    frame = pl.read_parquet(path) if form == "parquet" else pl.read_csv(path, infer_schema=False)
    wanted = {"category": [4, 0], "wildcard": [5, 3], "drop": [0, 0]}[missing]
    assert [frame["age"].null_count(), frame["sex"].null_count()] == wanted
    verdict = "all claims hold by the wildcard reading" if missing == "wildcard" else "all claims hold"
    assert done("verify", tmp_path / "out", "--json").json["verdict"] == found["verdict"] == verdict


def test_strict_and_wildcard_counts_are_both_told(tmp_path: Path, table: Path) -> None:
    done("anonymize", table, *FLAGS, "--missing", "wildcard", "--out", tmp_path / "out")
    found = done("check", tmp_path / "out/public/data.csv", "--quasi", "age,sex", "--json").json
    assert (found["k"], found["k_wildcard"]) == (1, 5)
    certificate = done("verify", tmp_path / "out", "--json").json
    assert certificate["classes"]["smallest"] == 1
    assert certificate["claims"][0]["achieved"] == 5


@pytest.mark.parametrize("missing", ["category", "drop"])
def test_a_star_is_what_was_suppressed_and_an_empty_field_what_was_missing(
    tmp_path: Path, table: Path, missing: str
) -> None:
    flags = (*FLAGS, "--k", "3", "--missing", missing, "--suppressed", "star")
    write_csv(table, ("age", "sex"), [*ROWS, ("76", "D"), ("77", "D"), ("78", "D"), ("79", "")])
    done("anonymize", table, *flags, "--out", tmp_path / "out")
    rows = [(row["age"], row["sex"]) for row in read_csv(tmp_path / "out/public/data.csv")]
    assert rows.count(("*", "*")) == {"category": 7, "drop": 3}[missing]
    assert rows.count(("", "M")) == (4 if missing == "category" else 0)
    done("verify", tmp_path / "out")


def test_a_column_of_nothing_but_missing_values(tmp_path: Path) -> None:
    table = write_csv(tmp_path / "data.csv", ("age", "sex"), [("", "M")] * 3 + [("", "F")] * 3)
    done("anonymize", table, "--quasi", "age,sex", "--k", "3", "--out", tmp_path / "out")
    assert all(row["age"] in ("", "*") for row in read_csv(tmp_path / "out/public/data.csv"))
    ran = shoal("anonymize", table, "--quasi", "age,sex", "--k", "3", "--missing", "drop", "--out", tmp_path / "b")
    assert ran.code == 2
    assert "no records (6 before those with missing values were dropped)" in ran.err


def test_one_column_with_missing_values_survives_the_file(tmp_path: Path) -> None:
    table = write_csv(tmp_path / "data.csv", ("age",), [("20",)] * 4 + [("",)] * 5)
    found = done("anonymize", table, "--quasi", "age", "--k", "4", "--out", tmp_path / "out", "--json").json
    assert found["classes"] == {"count": 2, "smallest": 4, "largest": 5, "average": 4.5}
    done("verify", tmp_path / "out")


WORDS = """
[input]
{input}
missing_values = ["NA", "-"]
[columns.age]
role = "quasi"
hierarchy = {{ type = "intervals", widths = [10, 20] }}
[columns.union]
role = "sensitive"
[[require]]
model = "distinct-l-diversity"
l = {l}
column = "union"
[search]
algorithm = "optimal"
"""


def union(n: int) -> list[tuple[str, str]]:
    return [(("20", "25", "NA", "31")[i % 4], ("yes", "NA", "-", "no")[i // 4 % 4]) for i in range(n)]


@pytest.mark.parametrize("where", ["file", "database"])
def test_texts_that_stand_for_missing_values(tmp_path: Path, where: str) -> None:
    table = write_csv(tmp_path / "data.csv", ("age", "union"), union(64))
    said = 'path = "data.csv"'
    if where == "database":
        frame = pl.read_csv(table, infer_schema=False)
        with sqlite3.connect(tmp_path / "data.db") as connection:
            connection.execute("create table members (age text, union_ text)".replace("union_", '"union"'))
            connection.executemany("insert into members values (?, ?)", frame.rows())
        said = 'url = "sqlite:///data.db"\ntable = "members"'
    job = tmp_path / "job.toml"
    job.write_text(WORDS.format(input=said, l=4), encoding="utf-8")
    assert shoal("anonymize", job, "--out", tmp_path / "out").code == 3  # yes, no, and missing are three
    job.write_text(WORDS.format(input=said, l=3), encoding="utf-8")
    found = done("anonymize", job, "--out", tmp_path / "out", "--json").json
    assert found["claims"][0]["achieved"] == 3
    assert {row["union"] for row in read_csv(tmp_path / "out/public/data.csv")} == {"yes", "no", ""}
    write_csv(tmp_path / "next.csv", ("age", "union"), union(48))
    applied = done("apply", tmp_path / "out", tmp_path / "next.csv", "--out", tmp_path / "next", "--json").json
    assert applied["rules"]["outside"] == 0
    done("verify", tmp_path / "next")
    assert done("risk", job, "--json").json["k_wildcard"] == 32
