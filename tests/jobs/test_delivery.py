"""Where the parts of a release go, and what is refused before any work is done for it."""

from contextlib import nullcontext
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from shoal.foundation.errors import SpecError
from shoal.jobs.delivery import Delivery
from shoal.jobs.job import Job
from shoal.tables.databases import database_of
from shoal.tables.databases.address import Address
from shoal.tables.formats.codebook import Codebook
from shoal.tables.location import FileLocation, TableLocation

COLUMNS = {
    "name": {"role": "identifier"},
    "age": {"role": "quasi"},
    "ill": {"role": "sensitive"},
    "note": {"role": "insensitive"},
}


def delivery(shape: str | None = None, folder: Path = Path("out"), **release: Any) -> Delivery:
    content = {
        "input": {"path": "in.csv", "delimiter": ";"},
        "columns": COLUMNS,
        "require": [{"model": "k-anonymity", "k": 2}],
        "search": {"algorithm": "mdav" if shape else "optimal"},
        "release": {**({"shape": shape} if shape else {}), **release},
    }
    return Delivery(Job.of(content, Path()), folder)


@pytest.mark.parametrize(
    ("shape", "parts"),
    [(None, ("records",)), ("records", ("records",)), ("clusters", ("clusters",)), ("both", ("records", "clusters"))],
)
def test_what_a_release_consists_of(shape: str | None, parts: tuple[str, ...]) -> None:
    assert delivery(shape).parts == parts


def test_the_columns_of_each_part() -> None:
    assert delivery("both").columns("records") == ["age", "ill", "note"]
    assert delivery("both").columns("clusters") == ["age", "ill", "records", "radius"]


@pytest.mark.parametrize("form", ["csv", "parquet", "xlsx", "sav", "dta"])
def test_two_parts_are_two_files_in_any_format(form: str) -> None:
    both = delivery("both", format=form)
    assert both.location("records") == FileLocation(Path("out") / f"data.{form}", ";")
    assert both.location("clusters") == FileLocation(Path("out") / f"clusters.{form}", ";")


@pytest.mark.parametrize(
    ("table", "beside"),
    [
        ("k5", "k5_clusters"),
        ("public.k5", "public.k5_clusters"),
        ('"a.b"', '"a.b_clusters"'),
        ('s."say ""hi"""', 's."say ""hi""_clusters"'),
    ],
)
def test_two_parts_are_two_tables_of_a_database(table: str, beside: str) -> None:
    asked: dict[str, Any] = {"url": "postgresql://u@host/db", "table": table}
    both, alone = delivery("both", **asked), delivery("clusters", **asked)
    assert [both.location(part).name for part in both.parts] == [table, beside]
    assert alone.location("clusters").name == table  # one table was asked for, and it has the name that was asked for
    assert isinstance(both.location("clusters"), TableLocation)


def test_tables_may_have_moved() -> None:
    there = database_of(Address.of("sqlite:///other.db"))
    both = delivery("both", url="sqlite:///one.db", table="t")
    moved = Delivery(both.job, both.folder, there).location("clusters")
    assert isinstance(moved, TableLocation)
    assert (moved.database, moved.table) == (there, "t_clusters")


def test_clusters_alone_have_no_records() -> None:
    assert delivery("both").records() == delivery("both").location("records")
    with pytest.raises(SpecError, match="contains clusters only"):
        delivery("clusters").records()


def test_a_part_never_takes_the_place_of_the_raw_table(tmp_path: Path) -> None:
    database = database_of(Address.of(f"sqlite:///{tmp_path}/a.db"))
    with database.session(writes=True) as session:
        session.write(pl.DataFrame({"age": ["1"], "ill": ["x"]}), "Cases_Clusters")
        session.commit()
    content = {
        "input": {"url": f"sqlite:///{tmp_path}/a.db", "table": "Cases_Clusters"},
        "columns": {"age": {"role": "quasi"}, "ill": {"role": "sensitive"}},
        "require": [{"model": "k-anonymity", "k": 2}],
        "search": {"algorithm": "mdav"},
        "release": {"url": f"sqlite:///{tmp_path}/a.db", "table": "cases"},
    }
    with pytest.raises(SpecError, match="cannot replace its input table"):
        Delivery(Job.of(content, Path()), tmp_path).check_free(force=True)


def test_names_that_a_database_cannot_hold_are_refused_before_it_is_asked(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=r'postgresql takes 63 bytes .* "é{30}_clusters" is too long'):
        database_of(Address.of("postgresql://u@host/db")).check("é" * 30 + "_clusters", ["a"])
    with pytest.raises(SpecError, match='cannot tell the columns "Age", "age" apart'):
        database_of(Address.of(f"sqlite:///{tmp_path}/a.db")).check("t", ["Age", "age", "b"])
    database_of(Address.of("postgresql://u@host/db")).check("t" * 63, ["Age", "age"])


def test_texts_are_as_the_format_keeps_them() -> None:
    frame = pl.DataFrame({"age": ["1", "1 ", None], "ill": ["a  ", "  ", " b"], "note": ["x", "y", "z"]})
    kept = {"age": ["1", "1", None], "ill": ["a", None, " b"], "note": ["x", "y", "z"]}
    for dtype in (pl.String, pl.Categorical):
        fitted = delivery("both", format="sav").fitted(frame.cast(dtype), 3)
        assert fitted.dtypes == [dtype] * 3
        assert fitted.cast(pl.String).to_dict(as_series=False) == kept
        assert delivery("both", format="dta").fitted(frame.cast(dtype), 3).cast(pl.String).equals(frame)


def test_names_that_a_format_cannot_hold_are_refused_in_each_part() -> None:
    frame = pl.DataFrame({"age in years": ["1"], "ill": ["x"]})
    for shape in ("records", "clusters", "both"):
        with pytest.raises(SpecError, match="cannot hold columns of the name 'age in years'"):
            shoal.anonymize(
                frame, quasi=["age in years"], sensitive=["ill"], k=1, algorithm="mdav", shape=shape, format="sav"
            )


@pytest.mark.parametrize("end", [None, KeyboardInterrupt])
def test_tables_last_only_if_all_goes_well(tmp_path: Path, end: type[BaseException] | None) -> None:
    one = delivery("both", tmp_path, url=f"sqlite:///{tmp_path}/a.db", table="t")
    frame = pl.DataFrame({"age": ["1", "2"]})
    with nullcontext() if end is None else pytest.raises(end), one.writing() as targets:
        records, clusters = (targets(part, Codebook(), {}) for part in one.parts)
        records.put(iter([frame]))
        assert records.location.read(text=["age"]).equals(frame)
        assert records.location.name == "t"
        clusters.put(iter([frame]))
        assert clusters.location.certified()[1]["name"] == "t_clusters"
        if end is not None:
            raise end
    assert (tmp_path / "a.db").exists() is (end is None)
    assert one.location("clusters").there() is (end is None)
