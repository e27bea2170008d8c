"""What may be asked of identifiers: a pseudonym, a mask, or, by default, neither."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from shoal.foundation.errors import SpecError
from shoal.jobs.job import Job
from tests.cli.run import done, patients
from tests.cli.run import shoal as command
from tests.test_leaks import CANARIES, assert_silent, bytes_below, unzipped, write_job

IBANS = [f"{country}89 3704 0044 0532 01{i:02}" for i, country in enumerate(["DE", "FR", "AT"] * 6)]
TABLE = {
    "iban": [*IBANS, "Canary", "Canary2"],
    "age": [str(30 + i // 5) for i in range(20)],
    "ill": ["a", "b"] * 10,
}

SSN = '[columns.ssn]\nrole = "identifier"\npseudonym = { linked = "person" }'
NAME = '[columns.full_name]\nrole = "identifier"\nmask = "initial"'


def job(columns: dict[str, dict[str, Any]], **release: Any) -> Job:
    plain = {"age": {"role": "quasi"}, "ill": {"role": "sensitive"}}
    return Job.of(
        {
            "input": {"path": "t.csv"},
            "columns": {**plain, **columns},
            "require": [{"model": "k-anonymity", "k": 2}],
            "release": release,
        },
        Path(),
    )


@pytest.mark.parametrize(
    ("columns", "release", "words"),
    [
        ({"x": {"role": "sensitive", "pseudonym": True}}, {}, "column 'x' has a pseudonym but the role 'sensitive'"),
        ({"x": {"role": "sensitive", "mask": "iban"}}, {}, "column 'x' has a mask but the role 'sensitive'"),
        ({"x": {"role": "identifier", "mask": "iban", "pseudonym": True}}, {}, "what a mask keeps has none"),
        ({"x": {"role": "identifier", "mask": "iban", "missing": ["-"]}}, {}, "column 'x' has a mask and 'missing'"),
        ({"x": {"role": "identifier", "mask": "ibam"}}, {}, "mask"),
        ({"x": {"role": "identifier", "pseudonym": {"linked": ""}}}, {}, "linked"),
        ({"x": {"role": "identifier"}}, {"pseudonym_key": "a.key"}, "'pseudonym_key' is given, and no column leaves"),
        (
            {"x": {"role": "identifier", "pseudonym": {"linked": "y"}}, "y": {"role": "identifier", "pseudonym": True}},
            {},
            "two columns are linked by the name 'y'",
        ),
    ],
)
def test_what_cannot_be_is_said(columns: dict[str, dict[str, Any]], release: dict[str, Any], words: str) -> None:
    with pytest.raises(SpecError) as found:
        job(columns, **release)
    assert words in str(found.value)


def test_a_pseudonym_needs_a_row_for_each_record() -> None:
    frame = pl.DataFrame(TABLE)
    with pytest.raises(SpecError, match="shape = 'clusters' releases none"):
        shoal.anonymize(
            frame, quasi=["age"], sensitive=["ill"], pseudonyms=["iban"], k=2, algorithm="mdav", shape="clusters"
        )


def test_a_job_says_what_it_was_given() -> None:
    asked: dict[str, dict[str, Any]] = {
        "a": {"role": "identifier", "pseudonym": {"linked": "person"}},
        "b": {"role": "identifier", "pseudonym": True},
        "c": {"role": "identifier", "pseudonym": False},
        "d": {"role": "identifier", "mask": "iban", "hierarchy": "masking"},
    }
    made = job(asked, pseudonym_key="keys/a.key")
    content = made.content(Path("elsewhere"))
    assert content["release"]["pseudonym_key"] == "../keys/a.key"
    assert content["columns"]["a"] == {"role": "identifier", "pseudonym": {"linked": "person"}}
    assert content["columns"]["b"] == {"role": "identifier", "pseudonym": True}
    assert content["columns"]["c"] == {"role": "identifier"}
    assert content["columns"]["d"]["role"] == "quasi"
    assert content["columns"]["d"]["hierarchy"]["type"] == "masking"
    again = Job.of(content, Path("elsewhere"))
    assert again.pseudonyms == made.pseudonyms == {"a": "person", "b": "b"}
    assert again.content(Path("elsewhere")) == content


@pytest.fixture
def masked(tmp_path: Path) -> Path:
    pl.DataFrame(TABLE).write_csv(tmp_path / "t.csv")
    flags = ("--quasi", "age", "--sensitive", "ill", "--mask", "iban=iban", "--k", 2)
    done("anonymize", tmp_path / "t.csv", *flags, "--out", tmp_path / "out", "--algorithm", "optimal")
    return tmp_path / "out"


def test_what_a_mask_keeps_is_a_quasi_column_and_counts_in_k(masked: Path) -> None:
    data = pl.read_csv(next(masked.rglob("data.csv")), infer_schema=False)
    shapes = {"DE** **** ****", "FR** **** ****", "AT** **** ****", "other", "*"}
    assert set(data["iban"]) <= shapes
    assert data.group_by("iban", "age").len()["len"].to_numpy().min() >= 2
    texts = b"\n".join(path.read_bytes() for path in masked.rglob("*") if path.is_file())
    for page in masked.rglob("report*.html"):
        assert "the mask iban" in page.read_text()
    assert b"Canary" not in texts
    assert not any(value.encode() in texts for value in IBANS)
    for one in (masked, next(masked.rglob("certificate-public.json"))):
        assert shoal.verify(one).verdict == "all claims hold"
    assert shoal.verify(masked, raw=True, bound=True).verdict == "all claims hold"


@pytest.mark.deep
def test_audits_compare_the_release_with_what_was_masked(masked: Path) -> None:
    found = shoal.utility(masked).as_dict()
    (kept,) = [column for column in found["columns"] if column["column"] == "iban"]
    assert kept["distinct"] == {"before": 4, "after": 4}
    assert "Canary" not in str(found)
    assert "Canary" not in str(shoal.attack(masked).as_dict())


def test_engines_and_regions_mask_alike(tmp_path: Path) -> None:
    frame = pl.DataFrame(TABLE)
    frame.write_csv(tmp_path / "t.csv")
    asked: dict[str, Any] = {"quasi": ["age"], "sensitive": ["ill"], "masks": {"iban": "iban"}, "k": 2, "seed": 3}
    here = shoal.anonymize(frame, algorithm="optimal", **asked).data
    there = shoal.anonymize(tmp_path / "t.csv", algorithm="optimal", engine="duckdb", **asked).data
    assert here.sort(here.columns).equals(there.sort(there.columns).select(here.columns))
    cut = shoal.anonymize(tmp_path / "t.csv", algorithm="mondrian", engine={"name": "duckdb", "regions": 12}, **asked)
    assert set(cut.data["iban"]) <= {"DE** **** ****", "FR** **** ****", "AT** **** ****", "other", "*"}
    assert cut.data.group_by("iban", "age").len()["len"].to_numpy().min() >= 2


def test_an_outside_table_is_masked_as_the_table_is(tmp_path: Path) -> None:
    frame = pl.DataFrame(TABLE)
    pl.concat([frame, frame]).write_csv(tmp_path / "people.csv")
    made = shoal.anonymize(
        frame,
        quasi=["age"],
        sensitive=["ill"],
        masks={"iban": "iban"},
        require={"model": "k-map", "k": 4, "population": str(tmp_path / "people.csv")},
    )
    assert made.certificate["claims"][0]["achieved"] >= 4


def test_flags_of_a_column_stand_in_the_job_file_if_there_is_one(masked: Path) -> None:
    path = next(masked.rglob("job.toml"))
    for flags in (("--pseudonym", "iban"), ("--mask", "iban=iban")):
        ran = command("anonymize", path, *flags)
        assert ran.code == 2
        assert "--pseudonym, --mask" in ran.err
    ran = command("anonymize", path, "--pseudonym-key", "a.key")
    assert ran.code == 2
    assert "no column leaves as a pseudonym" in ran.err
    assert "Write: column=mask" in command("anonymize", "t.csv", "--mask", "iban").err


@pytest.mark.parametrize("form", ["csv", "parquet", "xlsx", "sav", "dta"])
def test_no_raw_identifier_and_no_key_leaves_with_pseudonyms_and_masks(tmp_path: Path, form: str) -> None:
    key = tmp_path / "study.key"
    done("pseudonym", "--new-key", key)
    job = write_job(tmp_path, f'[release]\npseudonym_key = "{key.name}"\n')
    text = job.read_text(encoding="utf-8").replace('[columns.ssn]\nrole = "identifier"', SSN)
    job.write_text(text.replace('[columns.full_name]\nrole = "identifier"', NAME), encoding="utf-8")
    out = tmp_path / "out"
    ran = done("anonymize", job, "--out", out, "--format", form)
    for one in (ran, done("verify", out, "--raw"), done("verify", next(out.rglob("certificate-public.json")))):
        assert_silent(one)
    written = bytes_below(out) + (unzipped(next(out.rglob("data.xlsx"))) if form == "xlsx" else b"")
    written = written.replace(bytes(range(64)), b"")  # Parquet numbers different values: 49 to 55 look like '1234567'
    secret = key.read_bytes().split()[-1]
    for word in (*(name.encode() for name in CANARIES), b"Person1", secret, bytes.fromhex(secret.decode())):
        assert word not in written
    assert not any(str(row[1]).encode() in written for row in patients())
    assert "would delete" in command("anonymize", job, "--out", tmp_path, "--force").err
