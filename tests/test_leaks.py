"""Every value of the raw table that may not leave is searched for in every byte that a run writes or prints."""

import random
import re
import tempfile
import zipfile
from pathlib import Path

import polars as pl
import pytest

from shoal.actions import anonymize as pipeline
from shoal.certificate import Findings
from shoal.cli.show import fail
from shoal.foundation.errors import CertificateError
from shoal.releases import release
from shoal.search.engines import Local
from shoal.tables.published import PublishedRows
from tests.cli.run import (
    BESIDE,
    HEADER,
    JOB,
    Ran,
    done,
    entries,
    files_of,
    job_toml,
    patients,
    read_csv,
    shoal,
    write_csv,
)

IDENTIFIERS = ("full_name", "ssn")
LONELY = ("CanaryName", "CanarySsn", 1234567, "CANARYZIP", "CanarySex", "CanaryDisease", "CanaryNote")
"""A record that can hide in no class of the table."""
CANARIES = tuple(str(value) for value in LONELY)


def write_table(folder: Path, extra: tuple[tuple[object, ...], ...] = (LONELY,)) -> Path:
    return write_csv(folder / "data.csv", HEADER, [*patients(), *extra])


def write_job(folder: Path, more: str = "", k: int = 4) -> Path:
    write_table(folder)
    levels = "".join(f"{sex};*\n" for sex in ("M", "F", "CanarySex"))
    (folder / "sex.csv").write_text(levels, encoding="utf-8")
    text = JOB.replace(
        '[columns.sex]\nrole = "quasi"', '[columns.sex]\nrole = "quasi"\nhierarchy = { type = "suppression" }'
    )
    return job_toml(
        folder,
        f'{text}[[require]]\nmodel = "k-anonymity"\nk = {k}\n[search]\nalgorithm = "optimal"\n'
        f"max_suppressed = 0.02\n{more}",
    )


def bytes_below(folder: Path) -> bytes:
    return b"\n".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


def unzipped(path: Path) -> bytes:
    with zipfile.ZipFile(path) as package:
        return b"\n".join(package.read(name) for name in package.namelist())


def assert_silent(ran: Ran, words: tuple[str, ...] = CANARIES) -> None:
    assert not any(word in ran.out + ran.err for word in words)


@pytest.mark.parametrize("form", ["csv", "parquet", "xlsx", "sav", "dta"])
def test_nothing_of_a_suppressed_record_or_an_identifier_leaves(tmp_path: Path, form: str) -> None:
    job = write_job(tmp_path)
    for number, order in enumerate(("random", "input")):
        out = tmp_path / f"out{number}"
        ran = done("anonymize", job, "--out", out, "--format", form, "--order", order)
        assert ran.out.count("1 suppressed") == 1
        assert_silent(ran)
        assert_silent(done("verify", out))
        assert_silent(done("verify", out / "public/certificate-public.json"))
        written = bytes_below(out)
        if form == "xlsx":
            written += unzipped(out / "public/data.xlsx")
        for canary in CANARIES:
            assert canary.encode() not in written
        assert files_of(out) == {f"public/data.{form}", *BESIDE}
        for name in IDENTIFIERS:
            assert name.encode() in (out / "private/job.toml").read_bytes()
            assert name.encode() not in (out / f"public/data.{form}").read_bytes()
            assert f'"{name}"'.encode() not in (out / "private/certificate.json").read_bytes()
            assert name.encode() not in (out / "public/certificate-public.json").read_bytes()


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_raw_values_of_generalized_columns_do_not_leave(tmp_path: Path, form: str) -> None:
    job = job_toml(tmp_path, JOB + '[[require]]\nmodel = "k-anonymity"\nk = 40\n')
    done("anonymize", job, "--out", tmp_path / "out", "--format", form, "--seed", 1)  # any number might hold a zip
    by_chance = rb'[0-9a-f]{64}|"seconds": [0-9.e-]+'  # digests, and how long it took
    written = re.sub(by_chance, b"", bytes_below(tmp_path / "out"))
    raw = read_csv(tmp_path / "data.csv")
    for row in raw:
        assert row["zip"].encode() not in written
        assert row["full_name"].encode() not in written
        assert row["ssn"].encode() not in written


def test_a_star_hides_the_quasi_values_of_a_suppressed_record(tmp_path: Path) -> None:
    lonely = [(*LONELY[:2], 1000 + i, f"Z{i}YYY", f"S{i}", *LONELY[5:]) for i in range(4)]
    job = write_job(tmp_path)
    write_table(tmp_path, tuple(lonely))
    done("anonymize", job, "--out", tmp_path / "out", "--suppressed", "star", "--max-suppressed", "0.1")
    text = (tmp_path / "out/public/data.csv").read_text(encoding="utf-8")
    assert text.count("*,*,*,CanaryDisease,CanaryNote\n") == 4
    assert not any(str(value) in text for one in lonely for value in one[:5])


def test_parquet_tells_no_more_than_the_text(tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    job = write_job(tmp_path)
    done("anonymize", job, "--out", tmp_path / "out", "--format", "parquet")
    meta = pq.read_metadata(tmp_path / "out/public/data.parquet")
    for group in range(meta.num_row_groups):
        for column in range(meta.num_columns):
            assert meta.row_group(group).column(column).statistics is None
    schema = pq.read_schema(tmp_path / "out/public/data.parquet")
    assert {str(kind) for kind in schema.types} <= {"large_string", "string", "string_view"}
    assert schema.names == ["age", "zip", "sex", "disease", "note"]
    assert all("canary" not in str(value).lower() for value in (schema.metadata or {}).items())


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_the_release_does_not_depend_on_the_order_of_the_table(tmp_path: Path, form: str) -> None:
    job = write_job(tmp_path, "seed = 11\n")
    rows = [*patients(), LONELY]
    seen = set()
    for number in range(3):
        random.Random(number).shuffle(rows)  # noqa: S311
        write_csv(tmp_path / "data.csv", HEADER, rows)
        done("anonymize", job, "--out", tmp_path / f"out{number}", "--format", form)
        seen.add((tmp_path / f"out{number}" / f"public/data.{form}").read_bytes())
    assert len(seen) == 1


def test_another_seed_gives_another_order_of_the_same_records(tmp_path: Path) -> None:
    job = write_job(tmp_path)
    texts = []
    for seed in ("1", "2"):
        done("anonymize", job, "--out", tmp_path / seed, "--seed", seed)
        texts.append((tmp_path / seed / "public/data.csv").read_text(encoding="utf-8").splitlines())
    assert texts[0] != texts[1]
    assert sorted(texts[0]) == sorted(texts[1])
    assert texts[0] != sorted(texts[0])


FAILURES = {
    "infeasible": (JOB + '[[require]]\nmodel = "k-anonymity"\nk = 9999\n', 3, "k-anonymity fails"),
    "no such diversity": (
        JOB + '[[require]]\nmodel = "distinct-l-diversity"\nl = 99\ncolumn = "disease"\n',
        3,
        "distinct-l-diversity on 'disease' fails",
    ),
    "hierarchy lacks values": (
        JOB.replace('{ type = "masking" }', '{ type = "levels", path = "zip.csv" }')
        + '[[require]]\nmodel = "k-anonymity"\nk = 2\n',
        2,
        "lacks",
    ),
    "not numbers": (
        JOB.replace('{ type = "masking" }', '{ type = "intervals", widths = [5] }')
        + '[[require]]\nmodel = "k-anonymity"\nk = 2\n',
        2,
        "need numbers: 1 of its",
    ),
    "not dates": (
        JOB.replace('{ type = "masking" }', '{ type = "dates" }') + '[[require]]\nmodel = "k-anonymity"\nk = 2\n',
        2,
        "must be written as 'YYYY-MM-DD'",
    ),
    "matrix lacks values": (
        JOB + '[[require]]\nmodel = "t-closeness"\nt = 0.5\ncolumn = "disease"\n'
        'distance = "matrix"\ndistances = "matrix.csv"\n',
        2,
        "lacks 4 of the 5 different values",
    ),
}


@pytest.mark.parametrize("kind", FAILURES)
def test_no_value_is_in_the_words_of_a_failing_run(tmp_path: Path, kind: str) -> None:
    text, code, words = FAILURES[kind]
    write_table(tmp_path)
    (tmp_path / "zip.csv").write_text("02000;*\n", encoding="utf-8")
    (tmp_path / "matrix.csv").write_text(",flu\nflu,0\n", encoding="utf-8")
    job = job_toml(tmp_path, text)
    before = entries(tmp_path)
    for flags in ((), ("--json",)):
        ran = shoal("anonymize", job, "--out", tmp_path / "out", *flags)
        assert ran.code == code, ran.err
        assert words in ran.err
        assert_silent(ran)
        assert not any(str(row[3]) in ran.out + ran.err for row in patients())
    assert entries(tmp_path) == before


@pytest.mark.parametrize(
    ("spoiled", "words"),
    [
        ("a,b,CanaryAge,CanaryZip\n", "has 4 fields, but the header has 7"),
        ("a,b,1,2,3,4,5,CanaryMore\n", "has 8 fields"),
        ('a,b,1,Canary"Zip,3,4,5\n', "A quote in the middle of a field"),
        ('a,b,1,"CanaryZip,3,4,5\n', "never closed"),
        ("\na,b,1,CanaryZip,3,4,5\n", "is blank"),
        ("a,b,1,Canary\0Zip,3,4,5\n", "zero byte"),
    ],
)
def test_no_value_is_in_the_words_about_a_broken_file(tmp_path: Path, spoiled: str, words: str) -> None:
    job = write_job(tmp_path)
    with (tmp_path / "data.csv").open("a", encoding="utf-8") as file:
        file.write(spoiled)
    for ran in (
        shoal("anonymize", job, "--out", tmp_path / "out"),
        shoal("check", tmp_path / "data.csv", "--quasi", "age,zip", "--delimiter", ","),
    ):
        assert ran.code == 2
        assert words in ran.err
        assert_silent(ran, ("Canary",))
    assert not (tmp_path / "out").exists()


def test_a_table_without_a_header_is_not_shown(tmp_path: Path) -> None:
    job = write_job(tmp_path)
    write_csv(tmp_path / "data.csv", CANARIES, patients())
    ran = shoal("anonymize", job, "--out", tmp_path / "out")
    assert ran.code == 2
    assert "Does the table start with the names of its columns?" in ran.err
    assert_silent(ran)


@pytest.mark.parametrize(
    ("room", "step"),
    [
        (pipeline, "read"),
        (Local, "count"),
        (pipeline, "problem_of"),
        (Local, "assign"),
        (Local, "publish"),
        (pipeline, "evidence_of"),
        (pipeline, "prove"),
        (PublishedRows, "rows"),
        (Local, "write"),
        (Local, "read_back"),
    ],
)
@pytest.mark.parametrize("kind", [ValueError, KeyError, pl.exceptions.ComputeError])
def test_an_error_that_nobody_foresaw_is_told_by_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, room: object, step: str, kind: type[Exception]
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise kind("CanaryValue")

    job = write_job(tmp_path)
    before = entries(tmp_path)
    monkeypatch.setattr(room, step, broken)
    ran = shoal("anonymize", job, "--out", tmp_path / "out")
    assert ran.code == 1
    assert ran.err.startswith(f"Internal error ({kind.__name__} at test_leaks.py:")
    assert ran.err.endswith("): nothing was written.\n")
    assert_silent(ran, ("CanaryValue",))
    assert entries(tmp_path) == before


def test_a_refused_release_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(self: Findings) -> None:
        raise CertificateError("Refused: the written file does not keep what was promised.")

    job = write_job(tmp_path)
    before = entries(tmp_path)
    monkeypatch.setattr(Findings, "demand", refused)
    ran = shoal("anonymize", job, "--out", tmp_path / "out", "--json")
    assert ran.code == 4
    assert ran.json["error"]["kind"] == "CertificateError"
    assert_silent(ran)
    assert entries(tmp_path) == before


def test_the_folder_for_temporary_files_stays_empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    elsewhere = tmp_path / "temporary"
    elsewhere.mkdir()
    monkeypatch.setenv("TMPDIR", str(elsewhere))
    monkeypatch.setattr(tempfile, "tempdir", str(elsewhere))
    job = write_job(tmp_path)
    done("anonymize", job, "--out", tmp_path / "out", "--format", "parquet")
    shoal("anonymize", job, "--out", tmp_path / "out2", "--k", "9999")
    assert entries(elsewhere) == set()
    assert entries(tmp_path) == {"temporary", "data.csv", "sex.csv", "job.toml", "out"}


def test_frames_that_leave_hold_no_categories_of_the_input() -> None:
    import shoal

    rows = [*patients(), LONELY]
    frame = pl.DataFrame(rows, schema=list(HEADER), orient="row", strict=False).cast(pl.String)
    given = shoal.anonymize(
        frame.cast(pl.Categorical),
        quasi=["age", "zip", "sex"],
        sensitive=["disease"],
        insensitive=["note"],
        drop=["full_name", "ssn"],
        k=4,
        max_suppressed=0.02,
        algorithm="optimal",
    )
    assert isinstance(given, release.Release)
    for table in (given.data, given.frame):
        held = repr(table.to_arrow().to_pydict()) + repr(
            [chunk for c in table.to_arrow().columns for chunk in c.chunks]
        )
        assert not any(canary in held for canary in CANARIES)
        assert not any(canary in table.write_json() for canary in CANARIES)
    assert not any(canary in given._repr_html_() + repr(given) for canary in CANARIES)


CLUSTERED = """
[input]
path = "data.csv"
[columns.full_name]
role = "identifier"
[columns.age]
role = "quasi"
[columns.pay]
role = "quasi"
[columns.disease]
role = "sensitive"
[columns.note]
role = "insensitive"
[[require]]
model = "k-anonymity"
k = 4
[search]
algorithm = "mdav"
seed = 5
"""


def clustered_rows() -> list[tuple[object, ...]]:
    """Return records whose quasi values are all different and of a kind that no mean is."""
    draw = random.Random(1)  # noqa: S311
    ages, pays = (draw.sample(range(10_001, 99_999, 7), 60) for _ in range(2))
    return [
        (f"Person{i}", ages[i] + 0.125, pays[i] + 0.375, draw.choice(["flu", "gout"]), f"note{i:03}") for i in range(60)
    ]


@pytest.mark.parametrize("form", ["csv", "parquet"])
@pytest.mark.parametrize("shape", ["both", "clusters"])
def test_clusters_tell_no_raw_value_and_nothing_undeclared(tmp_path: Path, form: str, shape: str) -> None:
    rows = clustered_rows()
    write_csv(tmp_path / "data.csv", ("full_name", "age", "pay", "disease", "note"), rows)
    job = job_toml(tmp_path, CLUSTERED)
    ran = done("anonymize", job, "--out", tmp_path / "out", "--format", form, "--shape", shape)
    table = pl.read_parquet if form == "parquet" else pl.read_csv
    clusters = table(tmp_path / f"out/public/clusters.{form}")
    assert clusters.columns == ["age", "pay", "records", "radius", "disease"]
    told = "\n".join([ran.out, ran.err, *(str(row) for row in clusters.rows())])
    told += (tmp_path / "out/private/certificate.json").read_text(encoding="utf-8")
    if shape == "both":
        told += "\n".join(str(row) for row in table(tmp_path / f"out/public/data.{form}").drop("note").rows())
    for name, age, pay, _, note in rows:
        for value in (name, str(age), str(pay), note):
            assert str(value) not in told
    assert form == "parquet" or (b"note0" in bytes_below(tmp_path / "out")) == (shape == "both")


def test_the_order_of_clusters_does_not_depend_on_the_order_of_the_table(tmp_path: Path) -> None:
    rows, seen = clustered_rows(), set()
    for number in range(3):
        random.Random(number).shuffle(rows)  # noqa: S311
        write_csv(tmp_path / "data.csv", ("full_name", "age", "pay", "disease", "note"), rows)
        done("anonymize", job_toml(tmp_path, CLUSTERED), "--out", tmp_path / f"out{number}")
        seen.add((tmp_path / f"out{number}/public/clusters.csv").read_bytes())
    assert len(seen) == 1
    text = seen.pop().decode().splitlines()[1:]
    assert text != sorted(text)


def test_parquet_of_clusters_tells_no_more_than_the_text(tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    write_csv(tmp_path / "data.csv", ("full_name", "age", "pay", "disease", "note"), clustered_rows())
    done("anonymize", job_toml(tmp_path, CLUSTERED), "--out", tmp_path / "out", "--format", "parquet")
    meta = pq.read_metadata(tmp_path / "out/public/clusters.parquet")
    assert all(meta.row_group(0).column(column).statistics is None for column in range(meta.num_columns))


def test_words_for_people_and_programs_are_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    assert fail(CertificateError("refused"), as_json=True) == 4
    shown = capsys.readouterr()
    assert shown.err == "refused\n"
    assert '"message": "refused"' in shown.out
