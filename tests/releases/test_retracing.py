"""Whose records those of a release are: told by the raw table, as long as it is the one that it was made of."""

from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from shoal.foundation.errors import SpecError
from shoal.jobs.job import Job
from shoal.releases.retracing import retraced
from shoal.tables.rows import Rows

LEVELS = {"age": 1, "sex": 0}
QUASI = ("age", "sex")
RAW = pl.DataFrame(
    {
        "who": ["p1", "p1", "p2", "p3", None, "p4"],
        "age": ["21", "24", "29", "35", "37", "52"],
        "sex": ["F", "F", "F", None, None, "M"],
    }
)
TOP = {"2": "20-29", "3": "30-39", "5": "50-59"}
JOB = """
[input]
path = "data.csv"
[columns.who]
role = "identifier"
[columns.age]
role = "quasi"
hierarchy = { type = "intervals", widths = [10] }
[columns.sex]
role = "quasi"
[[require]]
model = "k-anonymity"
k = 2
[release]
suppressed = "%s"
"""


def job_of(folder: Path, raw: pl.DataFrame, suppressed: str = "drop") -> Job:
    raw.write_csv(folder / "data.csv")
    (folder / "job.toml").write_text(JOB % suppressed, encoding="utf-8")
    return Job.read(folder / "job.toml")


def released(suppressed: str = "drop") -> pl.DataFrame:
    """Return the release: ages by decade; the last record is alone, and suppressed."""
    recoded = RAW.select(pl.col("age").str.head(1).replace_strict(TOP), "sex")
    if suppressed == "drop":
        return recoded.head(5)
    return recoded.with_columns(
        pl.when(pl.col("age") == "50-59").then(pl.lit("*")).otherwise(name).alias(name) for name in QUASI
    )


def test_the_kept_records_have_their_persons(tmp_path: Path) -> None:
    rows = retraced(Rows.each(released()), job_of(tmp_path, RAW), QUASI, LEVELS, ["who"])
    found = rows.single()
    assert found["who"].to_list() == ["p1", "p1", "p2", "p3", None]
    assert found.select(QUASI).rows() == released().rows()


def test_a_suppressed_record_is_starred_where_the_release_stars_it(tmp_path: Path) -> None:
    rows = retraced(Rows.each(released("star")), job_of(tmp_path, RAW, "star"), QUASI, LEVELS, ["who"])
    found = rows.single()
    assert found["who"].to_list() == ["p1", "p1", "p2", "p3", None, "p4"]
    assert found.select(QUASI).rows() == released("star").rows()


def test_records_that_an_engine_counts_are_as_many_as_they_were(tmp_path: Path) -> None:
    """Two records of a person are alike in all that is read, and one row that stands for both."""
    raw = RAW.with_columns(age=pl.Series(["21", "21", "29", "35", "37", "52"]))
    job = job_of(tmp_path, raw)
    found = retraced(Rows.each(released()), job.with_engine("duckdb"), QUASI, LEVELS, ["who"])
    assert (found.frame.height, found.n_records) == (4, 5)
    assert sorted(found.single()["who"].to_list(), key=str) == [None, "p1", "p1", "p2", "p3"]


def test_a_record_that_was_dropped_for_a_missing_sensitive_value_is_dropped_again(tmp_path: Path) -> None:
    """A column keeps the role that it has in the job, unless it never leaves: that is what tells who was dropped."""
    raw = RAW.with_columns(ill=pl.Series(["a", "b", None, "a", "b", "a"]))
    raw.write_csv(tmp_path / "data.csv")
    diverse = '[columns.ill]\nrole = "sensitive"\n[[require]]\nmodel = "distinct-l-diversity"\nl = 2\ncolumn = "ill"\n'
    text = (JOB % "drop").replace("[input]", '[input]\nmissing = "drop"').replace("[release]", f"{diverse}[release]")
    (tmp_path / "job.toml").write_text(text, encoding="utf-8")
    kept = Rows.of(released().head(2), QUASI)
    found = retraced(kept, Job.read(tmp_path / "job.toml"), QUASI, LEVELS, ["who", "ill"])
    assert found.single().rows() == [("20-29", "F", "p1", "a"), ("20-29", "F", "p1", "b")]


CHANGES: dict[str, Callable[[pl.DataFrame], pl.DataFrame]] = {
    "a record less": lambda raw: raw.slice(1),
    "a record more": lambda raw: pl.concat([raw, raw.head(1)]),
    "a record in another class": lambda raw: raw.with_columns(age=pl.Series(["21", "35", "29", "35", "37", "52"])),
    "a value that is missing now": lambda raw: raw.with_columns(sex=pl.Series(["F", "F", None, None, None, "M"])),
    "a class that is gone": lambda raw: raw.with_columns(age=pl.Series(["21", "24", "29", "52", "52", "52"])),
}


@pytest.mark.parametrize("suppressed", ["drop", "star"])
@pytest.mark.parametrize("change", CHANGES)
def test_a_table_that_has_changed_since_is_refused(tmp_path: Path, change: str, suppressed: str) -> None:
    """Whether its number of records, or that of the classes, or only who is in which."""
    job = job_of(tmp_path, CHANGES[change](RAW), suppressed)
    with pytest.raises(SpecError, match="has the table changed"):
        retraced(Rows.of(released(suppressed), QUASI), job, QUASI, LEVELS, ["who"])


def test_what_cannot_be_retraced(tmp_path: Path) -> None:
    job = job_of(tmp_path, RAW)
    with pytest.raises(SpecError, match="does not contain who, and it uses local recoding"):
        retraced(Rows.each(released()), job, QUASI, {}, ["who"])
    with pytest.raises(SpecError, match=r"has no column 'home'\. Its columns are: who, age, sex"):
        retraced(Rows.each(released()), job, QUASI, LEVELS, ["who", "home"])
    (tmp_path / "data.csv").unlink()
    with pytest.raises(SpecError, match="does not contain who, and its raw table is not available"):
        retraced(Rows.each(released()), job, QUASI, LEVELS, ["who"])
