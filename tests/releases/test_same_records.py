"""The same records before and after, and what the steward's report tells as JSON."""

import json
import pickle
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal

_PEOPLE = pl.DataFrame(
    {
        "who": [f"person {number}" for number in range(24)],
        "age": [str(20 + number) for number in range(24)],
        "sex": ["f", "m"] * 12,
        "diagnosis": ["a", "b", "c", None] * 6,
    }
)


def _release(data: Any = _PEOPLE, **given: Any) -> shoal.Release:
    asked: dict[str, Any] = {"quasi": ["age", "sex"], "sensitive": ["diagnosis"], "drop": ["who"], "k": 4, "seed": 1}
    return shoal.anonymize(data, **(asked | given))


def _published(release: shoal.Release, look: dict[str, Any]) -> None:
    """Check that the records afterwards are among those that are released."""
    names = look["rows"]["columns"]
    rows = set(release.frame.select(pl.col(names).cast(pl.String)).rows())
    assert all(tuple(row) in rows for row in look["rows"]["after"] if row is not None)


def test_ten_records_are_the_same_before_and_after() -> None:
    release = _release()
    look = release.look()
    assert json.loads(json.dumps(look)) == look
    rows = look["rows"]
    assert rows["columns"] == ["age", "sex", "diagnosis"]
    raw = {row[0]: list(row) for row in _PEOPLE.select(rows["columns"]).rows()}
    assert len(rows["before"]) == len(rows["after"]) == 10
    for before, after in zip(rows["before"], rows["after"], strict=True):
        assert raw[before[0]] == before
        assert after[2] == before[2]
        low, _, high = after[0].strip("[])").partition("-")
        assert not high or int(low) <= int(before[0]) <= int(high) or after[0] == "*"
    _published(release, look)


@pytest.mark.parametrize("suppressed", ["drop", "star"])
def test_a_suppressed_record_is_none_or_stars(suppressed: str) -> None:
    alone = pl.DataFrame({"zip": ["1"] * 6 + ["9"], "work": ["x"] * 7})
    asked = {"quasi": {"zip": "suppression"}, "sensitive": [], "drop": [], "k": 3, "algorithm": "optimal"}
    given = {"insensitive": ["work"], "max_suppressed": 0.5, "suppressed": suppressed}
    if suppressed == "star":
        alone = pl.concat([alone, pl.DataFrame({"zip": ["7", "8"], "work": ["x"] * 2})])
    look = _release(alone, **asked, **given).look()["rows"]
    lost = [after for before, after in zip(look["before"], look["after"], strict=True) if before[0] > "1"]
    assert lost == ([None] if suppressed == "drop" else [["*", "x"]] * 3)


def test_records_that_an_engine_counted_are_looked_at_too(tmp_path: Path) -> None:
    pytest.importorskip("duckdb")
    _PEOPLE.write_csv(tmp_path / "people.csv")
    release = _release(tmp_path / "people.csv", engine="duckdb")
    look = release.look()
    assert len(look["rows"]["after"]) == 10
    _published(release, look)


def test_a_look_tells_what_the_written_report_tells(tmp_path: Path) -> None:
    release = _release()
    release.write(tmp_path / "release")
    report = (tmp_path / "release" / "private" / "report.html").read_text()
    look = release.look()
    assert look["verdict"]["safe"] == "all claims hold"
    for line in look["verdict"]["lines"]:
        assert line in report
    assert [one["name"] for one in look["columns"]["columns"]] == ["age", "sex", "diagnosis"]
    assert all(abs(sum(one["before"]) - 1) < 1e-9 for one in look["columns"]["columns"] if one["labels"])
    assert look["classes"]["count"] == release.certificate["classes"]["count"]
    assert {one["attack"] for one in look["attacks"]["findings"]} >= {"homogeneity", "skewness"}
    for answers in look["questions"]["answers"].values():
        assert answers


def test_a_look_is_not_sent_to_another_process() -> None:
    release = _release()
    release.look()
    assert b"person 3" not in pickle.dumps(release)


def test_clusters_are_looked_at_by_their_report_alone() -> None:
    data = pl.read_csv("examples/clusters/patients.csv", infer_schema_length=0)
    asked: dict[str, Any] = {"quasi": ["age", "location"], "sensitive": ["disease"], "k": 2, "algorithm": "r-gather"}
    look = shoal.anonymize(data, **asked).look()
    assert look["verdict"]["safe"] == "all claims hold"
    assert look["rows"] == {"columns": [], "before": [], "after": []}


def test_a_table_by_the_rules_of_an_earlier_release_is_looked_at(tmp_path: Path) -> None:
    _PEOPLE.write_csv(tmp_path / "people.csv")
    _release(tmp_path / "people.csv").write(tmp_path / "release")
    applied = shoal.apply(tmp_path / "release", tmp_path / "people.csv")
    _published(applied, applied.look())
