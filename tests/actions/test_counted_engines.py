"""The same job gives the same release in every engine, and each is verified by code that knows no engine."""

import json
import os
from collections import Counter
from pathlib import Path
from traceback import format_exception
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pytest

import shoal
from shoal.foundation.errors import CertificateError, MissingExtraError, SpecError
from shoal.jobs import engine_choice
from shoal.jobs.job import Job
from tests.cli.run import shoal as run_shoal

QUASI: dict[str, Any] = {
    "age": {"type": "intervals", "widths": [5, 20]},
    "zip": "masking",
    "sex": None,
}
JOBS: dict[str, dict[str, Any]] = {
    "optimal": {"algorithm": "optimal", "max_suppressed": "1/10"},
    "stars": {"algorithm": "optimal", "max_suppressed": "1/5", "suppressed": "star"},
    "records": {
        "algorithm": "optimal",
        "max_suppressed": "1/10",
        "suppress": "records",
        "require": "frequency-l-diversity:l=2,column=ill",
    },
    "mondrian": {"algorithm": "mondrian", "require": "distinct-l-diversity:l=2,column=ill"},
    "tightest": {
        "algorithm": {"name": "tightest", "effort": 2},
        "quasi": {"age": "ranges", "zip": "masking", "sex": "sets"},
    },
    "auto": {"require": "t-closeness:t=0.5,column=ill"},
    "persons": {"algorithm": "mondrian", "entity": "id", "insensitive": ["note"]},
    "drop": {"algorithm": "top-down", "missing": "drop"},
}
SAME = ("verdict", "records", "missing", "classes", "claims", "loss", "algorithm", "blind")


def table(n_records: int = 300) -> pl.DataFrame:
    rng = np.random.default_rng(5)
    ages = rng.integers(20, 70, n_records)
    return pl.DataFrame(
        {
            "id": [f"p{number}" for number in rng.integers(0, n_records // 2, n_records)],
            "age": pl.Series([None if number % 23 == 0 else int(age) for number, age in enumerate(ages)]),
            "zip": [f"{code:03d}" for code in rng.integers(100, 140, n_records)],
            "sex": ["fm"[number] for number in rng.integers(0, 2, n_records)],
            "ill": [["flu", "gout", "pox", "none"][number] for number in rng.integers(0, 4, n_records)],
            "note": ["=x", "y", None] * (n_records // 3),
        }
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of Parquet files."""
    place = tmp_path_factory.mktemp("raw") / "data"
    place.mkdir()
    for number, part in enumerate(table().iter_slices(110)):
        part.write_parquet(place / f"{number}.parquet")
    return place


def asked(kind: str) -> dict[str, Any]:
    given = {"quasi": QUASI, "sensitive": ["ill"], "k": 3, "seed": 4, "format": "parquet", **JOBS[kind]}
    roles = {*given["quasi"], *given["sensitive"], given.get("entity"), *given.get("insensitive", ())}
    return {**given, "drop": [name for name in table().columns if name not in roles]}


def rows(release: shoal.Release) -> Counter[tuple[Any, ...]]:
    return Counter(release.frame.cast(pl.String).rows())


@pytest.mark.parametrize("engine", ["duckdb", pytest.param("spark", marks=pytest.mark.engines)])
@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=pytest.mark.deep if kind == "auto" else ()) for kind in JOBS]
)
def test_the_same_job_gives_the_same_release(
    folder: Path, tmp_path: Path, kind: str, engine: str, request: pytest.FixtureRequest
) -> None:
    if engine == "spark":
        request.getfixturevalue("spark")
    local = shoal.anonymize(folder, **asked(kind), engine="local")
    counted = shoal.anonymize(folder, **asked(kind), engine=engine)
    for key in SAME:
        assert counted.certificate[key] == local.certificate[key], key
    held = [name for name in local.frame.columns if name not in ("note", "id")]  # who of a point goes where is drawn
    assert Counter(counted.frame.select(held).cast(pl.String).rows()) == Counter(
        local.frame.select(held).cast(pl.String).rows()
    )
    for release, name in ((local, "local"), (counted, engine)):
        release.write(tmp_path / name)
        found = shoal.verify(tmp_path / name, raw=True, bound=True)
        assert found.verdict == release.certificate["verdict"]
        assert "search" not in found.not_derived
    assert (tmp_path / "local/public/data.parquet").is_file()
    assert (tmp_path / engine / "public/data/part-00000.parquet").is_file()
    assert shoal.anonymize(folder, **asked(kind), engine=engine).frame.equals(counted.frame)


def test_the_job_of_a_counted_release_repeats_it_byte_for_byte(folder: Path, tmp_path: Path) -> None:
    shoal.anonymize(folder, **asked("persons"), engine={"name": "duckdb", "memory": "1GB"}).write(tmp_path / "one")
    text = (tmp_path / "one/private/job.toml").read_text(encoding="utf-8")
    assert '[engine]\nname = "duckdb"\nmemory = "1GB"\n' in text
    assert run_shoal("anonymize", tmp_path / "one/private/job.toml", "--out", tmp_path / "two").code == 0
    for path in sorted((tmp_path / "one/public/data").iterdir()):
        assert path.read_bytes() == (tmp_path / "two/public/data" / path.name).read_bytes()
    ran = run_shoal("anonymize", tmp_path / "one/private/job.toml", "--engine", "local", "--out", tmp_path / "three")
    assert ran.code == 0
    assert (tmp_path / "three/public/data.parquet").is_file()


def test_those_who_got_the_parts_verify_them(folder: Path, tmp_path: Path) -> None:
    release = shoal.anonymize(folder, **{**asked("persons"), "format": "csv"}, escape_formulas=True, engine="duckdb")
    release.write(tmp_path / "release")
    public = tmp_path / "public"
    public.mkdir()
    for name in json.loads((tmp_path / "release/public/manifest-public.json").read_text(encoding="utf-8"))["files"]:
        (public / name).parent.mkdir(exist_ok=True)
        (public / name).write_bytes((tmp_path / "release/public" / name).read_bytes())
    shoal.verify(public)
    (public / "manifest-public.json").write_bytes((tmp_path / "release/public/manifest-public.json").read_bytes())
    assert shoal.verify(public).public
    part = public / "data/part-00000.csv"
    text = part.read_bytes()
    for changed in (text[:-2] + b"Z\n", text + text.splitlines(keepends=True)[-1]):
        part.write_bytes(changed)
        with pytest.raises(CertificateError, match="digest differs"):
            shoal.verify(public)
    part.write_bytes(text)
    (public / "data/part-00001.csv").write_bytes(text)
    with pytest.raises(CertificateError, match="digest differs"):
        shoal.verify(public)
    (public / "data/part-00001.csv").unlink()
    part.unlink()
    with pytest.raises((CertificateError, SpecError), match=r"is not in|no file"):
        shoal.verify(public)


def test_what_follows_a_release_reads_its_parts(folder: Path, tmp_path: Path) -> None:
    shoal.anonymize(folder, **asked("optimal"), engine="duckdb").write(tmp_path / "release")
    again = shoal.apply(tmp_path / "release", folder, failing="suppress")
    assert again.certificate["records"]["input"] == 300
    assert shoal.risk(tmp_path / "release").as_dict()["records"] > 0
    assert shoal.attack(tmp_path / "release")
    assert shoal.utility(tmp_path / "release").as_dict()
    assert shoal.check(tmp_path / "release/public/data", quasi=["age", "zip", "sex"])["k"] >= 3


def test_what_needs_each_record_finds_it_in_a_counted_table(folder: Path, tmp_path: Path) -> None:
    made = {name: tmp_path / name for name in ("local", "duckdb")}
    for engine, place in made.items():
        shoal.anonymize(folder, **asked("optimal"), engine=engine).write(place)
    local, counted = (shoal.risk(place, entity="id").as_dict() for place in made.values())
    assert counted == local
    local, counted = (shoal.attack(place, attacks=["replay"], swaps=20).as_dict() for place in made.values())
    assert counted == local
    released = shoal.anonymize(folder, **asked("mondrian"), engine="duckdb")
    assert shoal.attack(released, attacks=["replay"], swaps=5).as_dict()
    fewer = table().filter(pl.col("zip") < "110").head(7)
    fewer.write_parquet(tmp_path / "few.parquet")
    with pytest.raises(CertificateError, match="k-anonymity: asked 3, found 1"):
        shoal.apply(made["duckdb"], tmp_path / "few.parquet")


def test_a_job_is_proposed_for_a_folder(folder: Path, tmp_path: Path) -> None:
    job = shoal.init(shoal.table(folder)).write(tmp_path / "proposed")
    text = job.read_text(encoding="utf-8")
    assert f'path = "{Path(os.path.relpath(folder, job.parent)).as_posix()}"' in text
    assert 'format = "parquet"' in text
    again = shoal.anonymize(shoal.table(folder), **asked("mondrian"))
    assert again.frame.equals(shoal.anonymize(folder, **asked("mondrian")).frame)


def test_what_needs_all_records_in_memory_is_refused(folder: Path) -> None:
    for given, words in (
        (
            {"algorithm": "mdav", "quasi": ["age"], "drop": ["zip", "sex", "id", "note"]},
            "clusters are made of single records",
        ),
        ({"missing": "wildcard"}, "compares all classes"),
        ({"order": "input"}, "needs the order of the table"),
        ({"blind": True}, "draws by the order of the table"),
    ):
        with pytest.raises(SpecError, match=words):
            shoal.anonymize(folder, **{**asked("mondrian"), **given}, engine="duckdb")
    with pytest.raises(SpecError, match="in memory: the engine 'duckdb' reads files"):
        shoal.anonymize(table(), **asked("mondrian"), engine="duckdb")
    with pytest.raises(SpecError, match=r"engine\.memory"):
        shoal.anonymize(folder, **asked("mondrian"), engine={"name": "duckdb", "memory": "much"})


def test_a_relation_is_counted_where_it_is(folder: Path) -> None:
    connection = duckdb.connect()
    raw = connection.read_parquet(str(folder / "*.parquet"))
    release = shoal.anonymize(raw, **asked("optimal"))
    local = shoal.anonymize(table(), **asked("optimal"))
    assert release.job.engine.name == "duckdb"
    assert Counter(release.data.rows()) == Counter(local.data.rows())
    assert all(release.certificate[key] == local.certificate[key] for key in SAME)
    assert shoal.check(raw, quasi=["age", "zip"]) == shoal.check(table(), quasi=["age", "zip"])
    in_memory = shoal.anonymize(raw, **{**asked("optimal"), "order": "input"})
    assert in_memory.job.engine.name == "auto"
    with pytest.raises(SpecError, match="Regions are cut from files"):
        shoal.anonymize(raw, **asked("mondrian"), engine={"name": "duckdb", "regions": 50})
    failing = connection.sql("SELECT CAST('Canary' AS INTEGER) AS age, 'x' AS zip")
    with pytest.raises(SpecError, match="DuckDB could not read the relation") as caught:
        shoal.check(failing, quasi=["age", "zip"])
    assert "Canary" not in "".join(format_exception(caught.value))


def test_auto_decides_by_the_size_of_the_table(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "engine" not in shoal.anonymize(folder, **asked("optimal")).job.content(tmp_path)
    monkeypatch.setattr(engine_choice, "LARGE_RECORDS", 299)
    large = shoal.anonymize(folder, **asked("optimal"))
    assert large.job.content(tmp_path)["engine"] == "duckdb"
    remark = "engine duckdb, since the table has 300 records, more than 299"
    assert remark in large.certificate["told"]["remark"]
    wildcard = shoal.anonymize(folder, **{**asked("optimal"), "missing": "wildcard"})
    assert "engine" not in wildcard.job.content(tmp_path)
    table().write_csv(tmp_path / "data.csv")
    monkeypatch.setattr(engine_choice, "LARGE_BYTES", 1000)
    assert shoal.anonymize(tmp_path / "data.csv", **asked("optimal")).job.engine.name == "duckdb"
    assert shoal.anonymize(table(), **asked("optimal")).job.engine.name == "auto"


def test_without_the_package_it_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "duckdb", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'shoal\[duckdb\]'"):
        shoal.anonymize(folder, **asked("optimal"), engine="duckdb")


def test_a_job_file_names_its_engine(tmp_path: Path) -> None:
    content = {
        "input": {"path": "data.csv"},
        "columns": {"a": {"role": "quasi"}},
        "require": [{"model": "k-anonymity", "k": 2}],
    }
    assert Job.of({**content, "engine": "duckdb"}, tmp_path).engine.name == "duckdb"
    made = Job.of({**content, "engine": {"name": "duckdb", "memory": "512MB"}}, tmp_path)
    assert made.content(tmp_path)["engine"] == {"name": "duckdb", "memory": "512MB"}
    with pytest.raises(SpecError, match="engine"):
        Job.of({**content, "engine": "ducks"}, tmp_path)
