import json
import tomllib
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from shoal.actions import anonymize as pipeline
from shoal.measures import MEASURES
from shoal.search.algorithms import ALGORITHMS
from tests.cli.run import (
    HEADER,
    JOB,
    K_ANONYMITY,
    ROLES,
    done,
    entries,
    job_toml,
    patients,
    patients_csv,
    read_csv,
    shoal,
    write_csv,
)
from tests.contracts.cluster_variants import needed

EXAMPLE = Path(__file__).parents[2] / "examples/hospital/job.toml"


def _smallest_class(rows: list[dict[str, str]]) -> int:
    keys = [(row["age"], row["zip"], row["sex"]) for row in rows]
    return min(keys.count(key) for key in set(keys))


def test_a_table_and_flags_are_enough(tmp_path: Path) -> None:
    table = patients_csv(tmp_path)
    ran = done("anonymize", table, *ROLES, "--k", 5, "--out", tmp_path / "out")
    for words in (
        "release: ",
        "certificate: ",
        "verdict:     safe: all claims hold",
        "160 released, 0 suppressed, of 160",
    ):
        assert words in ran.out
    for words in (
        "private/report.html",
        "pass on:     ",
        "/out/public/\nkeep:        ",
        "/out/private/ (reveals more",
    ):
        assert words in ran.out
    rows = read_csv(tmp_path / "out/public/data.csv")
    assert list(rows[0]) == ["age", "zip", "sex", "disease", "note"]
    assert len(rows) == 160
    assert _smallest_class(rows) >= 5
    assert entries(tmp_path) == {"data.csv", "out"}


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_the_job_that_was_assumed_repeats_the_run(tmp_path: Path, form: str) -> None:
    table = patients_csv(tmp_path)
    flags = ("--k", 5, "--max-suppressed", "0.05", "--format", form)
    first = done("anonymize", table, *ROLES, *flags, "--out", tmp_path / "a", "--json").json
    second = done("anonymize", tmp_path / "a/private/job.toml", "--out", tmp_path / "b", "--json").json
    third = done("anonymize", tmp_path / "b/private/job.toml", "--out", tmp_path / "a", "--force", "--json").json
    assert first["file"] == second["file"] == third["file"]
    assert (tmp_path / "a/private/job.toml").read_bytes() == (tmp_path / "b/private/job.toml").read_bytes()
    assert (tmp_path / f"a/public/data.{form}").read_bytes() == (tmp_path / f"b/public/data.{form}").read_bytes()


def test_json_is_the_certificate(tmp_path: Path) -> None:
    ran = done("anonymize", job_toml(tmp_path), "--out", tmp_path / "out", "--json")
    assert ran.json == json.loads((tmp_path / "out/private/certificate.json").read_text(encoding="utf-8"))


def test_flags_override_the_job(tmp_path: Path) -> None:
    flags = ("--k", 10, "--max-suppressed", "0.02", "--algorithm", "samarati", "--measure", "precision", "--seed", 4)
    found = done("anonymize", job_toml(tmp_path), *flags, "--out", tmp_path / "out", "--json").json
    assert [claim["asked"] for claim in found["claims"]] == [10]
    assert found["algorithm"]["name"] == "samarati"
    assert found["loss"]["measure"] == "precision"
    text = (tmp_path / "out/private/job.toml").read_text(encoding="utf-8")
    for line in ("max_suppressed = 0.02", "seed = 4", 'algorithm = "samarati"', 'measure = "precision"'):
        assert line in text


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.deep if number % 3 else ())  # Python chooses each in the quick run
        for number, name in enumerate(["auto", *ALGORITHMS.names])
    ],
)
def test_every_algorithm_has_its_flag_and_key(tmp_path: Path, name: str) -> None:
    write_csv(tmp_path / "data.csv", HEADER, [*patients(20), *patients(10)])  # ten have a twin
    trees = JOB.replace('[columns.sex]\nrole = "quasi"', '[columns.sex]\nrole = "quasi"\nhierarchy = "suppression"')
    kind = ALGORITHMS[name] if name != "auto" else None
    least = min(2, kind.most_k or 2) if kind is not None else 2
    loose = trees + K_ANONYMITY.replace("k = 4", f"k = {least}")
    measure = "discernibility" if kind is not None and kind.alike else "lm"
    own = kind is not None and kind.objective is not None  # then it takes no measure
    fields = [f"{field} = {value}" for field, value in needed(kind).items()] if kind is not None else []
    table = ", ".join([f'name = "{name}"', *fields])
    written = f"{{ {table} }}" if fields else f'"{name}"'
    search = f"[search]\nalgorithm = {written}\nmax_suppressed = 0.99\n"
    job = job_toml(tmp_path, loose + search + ("" if own else f'measure = "{measure}"\n'))
    by_key = done("anonymize", job, "--out", tmp_path / "a", "--json").json
    flagged = ":".join([name, ",".join(fields).replace(" ", "")]) if fields else name
    flags = ("--algorithm", flagged, *(() if own else ("--measure", measure)), "--max-suppressed", "0.99", "--json")
    by_flag = done("anonymize", job_toml(tmp_path, loose), *flags, "--out", tmp_path / "b").json
    assert by_key["algorithm"]["name"] == by_flag["algorithm"]["name"]
    assert by_key["algorithm"]["levels"] == by_flag["algorithm"]["levels"]


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[] if name in ("lm", "discernibility", "classification") else [pytest.mark.deep])
        for name in MEASURES.names
    ],
)
def test_every_measure_has_its_key(tmp_path: Path, name: str) -> None:
    written = '{ name = "classification", column = "disease" }' if name == "classification" else f'"{name}"'
    job = job_toml(tmp_path, JOB + K_ANONYMITY + f"[search]\nmeasure = {written}\n")
    assert done("anonymize", job, "--out", tmp_path / "out", "--json").json["loss"]["measure"] == name
    if name != "classification":
        flagged = done("anonymize", job_toml(tmp_path), "--measure", name, "--out", tmp_path / "b", "--json").json
        assert flagged["loss"]["measure"] == name


PROMISES = {
    "k-anonymity": "k=2",
    "distinct-l-diversity": "l=2,column=disease",
    "entropy-l-diversity": "l=1.5,column=disease",
    "recursive-cl-diversity": "c=5,l=2,column=disease",
    "frequency-l-diversity": "l=1.2,column=disease",
    "p-sensitive-k-anonymity": "p=2,k=2,column=disease",
    "k-e-anonymity": "k=2,e=1.5,column=age",
    "alpha-k-anonymity": "alpha=0.8,k=2,column=disease",
    "t-closeness": "t=0.5,column=disease,distance=ordered",
    "beta-likeness": "beta=3,column=disease",
    "delta-disclosure": "delta=3,column=disease",
    "k-map": "k=2,population=people.csv",
    "delta-presence": "least=0,most=1,population=people.csv",
    "k-map-estimate": "k=9,fraction=0.1",
    "average-risk": "most=0.4",
    "sample-uniqueness": "most=0.1",
    "population-uniqueness": "most=0.01,fraction=0.1",
}


def test_no_model_is_left_out() -> None:
    from shoal.models import MODELS

    assert set(PROMISES) == set(MODELS.names)


@pytest.mark.parametrize("name", PROMISES)
def test_every_model_has_its_flag_and_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    write_csv(tmp_path / "people.csv", ("age", "zip", "sex"), [row[2:5] for row in patients()])
    monkeypatch.chdir(tmp_path)
    patients_csv(tmp_path)
    algorithm = "optimal" if "population" in PROMISES[name] else "top-down"
    promise = ("--require", f"{name}:{PROMISES[name]}", "--algorithm", algorithm)
    numbers = ("--quasi", "disease,zip,sex", "--sensitive", "age", *ROLES[4:])
    flags = (*(numbers if "column=age" in PROMISES[name] else ROLES), *promise, "--max-suppressed", "0.9", "--seed", 1)
    by_flag = done("anonymize", "data.csv", *flags, "--out", "a", "--json").json
    assert [claim["model"] for claim in by_flag["claims"]] == [name]
    assert by_flag["claims"][0]["holds"] is True
    by_table = done("anonymize", "a/private/job.toml", "--out", "b", "--json").json
    assert by_table["claims"] == by_flag["claims"]
    assert by_table["file"] == by_flag["file"]
    assert done("verify", "b", "--json").json["not_derived"] == {}


def test_single_records_are_suppressed_on_request(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_csv(tmp_path / "data.csv", ("q", "s"), zip("abcdab", "uuuuvw", strict=True))
    monkeypatch.chdir(tmp_path)
    flags = ("--quasi", "q", "--sensitive", "s", "--hierarchy", "q=suppression", "--k", 2, "--algorithm", "optimal")
    promise = ("--require", "frequency-l-diversity:l=2,column=s", "--max-suppressed", "0.4")
    certificate = done("anonymize", "data.csv", *flags, *promise, "--suppress", "records", "--out", "a", "--json").json
    assert certificate["records"]["suppressed"] == 2
    assert 'suppress = "records"' in (tmp_path / "a/private/job.toml").read_text()
    assert "single records of classes" in (tmp_path / "a" / "private/report.html").read_text()
    assert done("anonymize", "a/private/job.toml", "--out", "b", "--json").json["file"] == certificate["file"]


def test_a_file_in_a_flag_is_found_from_where_we_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "deep").mkdir()
    job = job_toml(tmp_path / "deep")
    write_csv(tmp_path / "people.csv", ("age", "zip", "sex"), [row[2:5] for row in patients()])
    monkeypatch.chdir(tmp_path)
    done("anonymize", job, "--require", "k-map:k=2,population=people.csv", "--out", "out")


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        ((), "require: is empty"),
        (("--k", "0"), "Invalid value"),
        (("--k", "x"), "Invalid value"),
        (("--k", "3", "--max-suppressed", "1.5"), "search.max_suppressed: Input should be less than or equal to 1"),
        (("--k", "3", "--max-suppressed", "some"), "search.max_suppressed: Input should be a number"),
        (("--k", "3", "--seed", "-1"), "search.seed"),
        (("--k", "3", "--order", "up"), "release.order: Input should be 'random' or 'input'"),
        (("--k", "3", "--missing", "no"), "input.missing"),
        (("--k", "3", "--delimiter", "::"), "input.delimiter"),
        (("--k", "3", "--insensitive", "note,age"), "Column 'age' is given two roles: 'quasi' and 'insensitive'"),
        (("--k", "3", "--drop", "zip"), "Column 'zip' is given two roles: 'quasi' and 'identifier'"),
        (("--require", "t-closeness:0.2"), "Cannot read '0.2' in '--require t-closeness:0.2'. Write: model:key=value"),
        (("--require", "t-closness:t=0.2"), "Did you mean 't-closeness'?"),
        (("--require", "t-closeness:t=0.2,column=note"), "column 'note', which does not have the role 'sensitive'"),
    ],
)
def test_a_mistake_in_the_flags_is_told(tmp_path: Path, flags: tuple[str, ...], words: str) -> None:
    ran = shoal("anonymize", patients_csv(tmp_path), *ROLES, *flags, "--out", tmp_path / "out")
    assert ran.code == 2
    assert words in ran.err
    assert entries(tmp_path) == {"data.csv"}


def test_roles_stand_in_the_job_file_if_there_is_one(tmp_path: Path) -> None:
    ran = shoal("anonymize", job_toml(tmp_path), "--quasi", "age", "--out", tmp_path / "out")
    assert ran.code == 2
    assert (
        "With a job file the roles, pseudonyms, masks, hierarchies, distances and weights of the columns stand in it"
        in ran.err
    )


def test_an_existing_folder_is_refused_before_any_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    job = job_toml(tmp_path)
    done("anonymize", job, "--out", tmp_path / "out")
    before = (tmp_path / "out/private/certificate.json").read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr(pipeline, "run", lambda *_, **__: pytest.fail("the table was read"))
        ran = shoal("anonymize", job, "--out", tmp_path / "out")
    assert ran.code == 2
    assert "exists already" in ran.err
    assert (tmp_path / "out/private/certificate.json").read_bytes() == before
    done("anonymize", job, "--out", tmp_path / "out", "--force", "--k", "5")
    assert (tmp_path / "out/private/certificate.json").read_bytes() != before
    assert shoal("anonymize", job, "--out", tmp_path, "--force").code == 2
    assert (tmp_path / "data.csv").is_file()


def test_an_infeasible_request_ends_with_3_and_says_what_would_help(tmp_path: Path) -> None:
    lonely = [(*row[:4], "X" if i == 0 else row[4], *row[5:]) for i, row in enumerate(patients())]
    write_csv(tmp_path / "data.csv", HEADER, lonely)
    job = job_toml(tmp_path, JOB + K_ANONYMITY)
    ran = shoal("anonymize", job, "--k", 200, "--out", tmp_path / "out", "--json")
    assert ran.code == 3
    assert ran.json["error"]["kind"] == "InfeasibleError"
    assert ran.json["error"]["diagnosis"]["largest_k"] == 160
    assert "- k-anonymity fails: asked is k = 200" in ran.err
    assert "The largest k possible within that limit, by k-anonymity alone, is 160." in ran.err
    ran = shoal("anonymize", job, "--algorithm", "tuple-suppression", "--k", 2, "--out", tmp_path / "out")
    assert ran.code == 3
    assert "would be enough: set max_suppressed to at least" in ran.err
    assert "then loses most" in ran.err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(("written", "delimiter"), [(";", ";"), ("\\t", "\t"), ("tab", "\t"), ("|", "|"), (None, ";")])
def test_the_delimiter_stays_as_it_was(tmp_path: Path, written: str | None, delimiter: str) -> None:
    table = patients_csv(tmp_path, delimiter=delimiter)
    given = () if written is None else ("--delimiter", written)
    done("anonymize", table, *ROLES, "--k", 4, *given, "--out", tmp_path / "out")
    assert (tmp_path / "out/public/data.csv").read_text(encoding="utf-8").splitlines()[0].split(delimiter) == list(
        HEADER[2:]
    )
    done("verify", tmp_path / "out")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_any_encoding_leaves_as_utf8(tmp_path: Path, encoding: str) -> None:
    lines = ["größe;kränk", *(f"{150 + i % 4};müde" for i in range(40))]
    (tmp_path / "data.csv").write_bytes("\r\n".join([*lines, ""]).encode(encoding))
    flags = ("--quasi", "größe", "--sensitive", "kränk", "--k", "3")
    done("anonymize", tmp_path / "data.csv", *flags, "--out", tmp_path / "out")
    rows = read_csv(tmp_path / "out/public/data.csv", ";")
    assert [row["kränk"] for row in rows] == ["müde"] * 40
    assert "größe" in done("verify", tmp_path / "out", "--json").json["file"]["columns"]


def test_parquet_goes_in_and_out(tmp_path: Path) -> None:
    frame = pl.DataFrame(patients(), schema=list(HEADER), orient="row")
    frame.write_parquet(tmp_path / "data.parquet")
    for form in ("csv", "parquet"):
        done("anonymize", tmp_path / "data.parquet", *ROLES, "--k", 4, "--format", form, "--out", tmp_path / form)
        done("verify", tmp_path / form)
    assert pl.read_parquet(tmp_path / "parquet/public/data.parquet").schema == dict.fromkeys(HEADER[2:], pl.String)


def test_the_order_of_the_table_is_kept_only_when_asked_for(tmp_path: Path) -> None:
    rows = [(f"{20 + i % 2}", str(i)) for i in range(60)]
    write_csv(tmp_path / "data.csv", ("age", "number"), rows)
    flags = ("--quasi", "age", "--insensitive", "number", "--k", 5)
    done("anonymize", tmp_path / "data.csv", *flags, "--order", "input", "--out", tmp_path / "kept")
    done("anonymize", tmp_path / "data.csv", *flags, "--out", tmp_path / "mixed")
    numbers = [[row["number"] for row in read_csv(tmp_path / name / "public/data.csv")] for name in ("kept", "mixed")]
    assert numbers[0] == [str(i) for i in range(60)]
    assert numbers[1] != numbers[0]
    assert sorted(numbers[1]) == sorted(numbers[0])


@pytest.mark.skipif(not EXAMPLE.exists(), reason="the example is not there yet")
def test_the_example_of_the_hospital_runs(tmp_path: Path) -> None:
    found: dict[str, Any] = done("anonymize", EXAMPLE, "--out", tmp_path / "out", "--json").json
    assert all(claim["holds"] for claim in found["claims"])
    assert found["records"]["suppressed"] <= 0.05 * found["records"]["input"]
    done("verify", tmp_path / "out")
    done("anonymize", tmp_path / "out/private/job.toml", "--out", tmp_path / "again")
    assert (tmp_path / "out/public/data.csv").read_bytes() == (tmp_path / "again/public/data.csv").read_bytes()
    quasi = "birth_date,zip,sex,marital_status,occupation,admission_date"
    judged = done("check", tmp_path / "out/public/data.csv", "--quasi", quasi, "--require", "k-anonymity:k=5")
    assert "NO" not in judged.out


def test_a_hierarchy_is_a_file_a_type_or_a_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    table = patients_csv(tmp_path)
    (tmp_path / "sex.csv").write_text("F;any\nM;any\n", encoding="utf-8")
    flags = (
        *("--hierarchy", "sex=sex.csv", "--hierarchy", "zip=masking"),
        *("--hierarchy", 'age={ type = "intervals", widths = [7, 21] }'),
    )
    done("anonymize", table, *ROLES, *flags, "--k", 5, "--out", tmp_path / "out")
    columns = tomllib.loads((tmp_path / "out/private/job.toml").read_text(encoding="utf-8"))["columns"]
    assert columns["sex"]["hierarchy"] == {"type": "levels", "path": "../../sex.csv"}
    assert columns["zip"]["hierarchy"] == {"type": "masking"}
    assert columns["age"]["hierarchy"] == {"type": "intervals", "widths": [7, 21]}


@pytest.mark.parametrize(
    ("flag", "words"),
    [
        ("age", "Write: column=file, column=type or column={ type = ... }."),
        ("age={ type = ", "is not a table of a job file"),
        ("age=intervals_", "Did you mean 'intervals'?"),
        ("years=masking", "columns.years.role: is missing"),
        ("ssn=masking", "which is never generalized"),
    ],
)
def test_a_mistake_in_a_hierarchy_is_told(tmp_path: Path, flag: str, words: str) -> None:
    ran = shoal("anonymize", patients_csv(tmp_path), *ROLES, "--hierarchy", flag, "--k", 5, "--out", tmp_path / "out")
    assert ran.code == 2
    assert words in ran.err
    assert entries(tmp_path) == {"data.csv"}


@pytest.mark.parametrize("criterion", ["absolute-distance", "relative-distance", "distribution", "suppression"])
def test_each_of_samaratis_criteria_is_a_flag(tmp_path: Path, criterion: str) -> None:
    flags = ("--k", 5, "--algorithm", f"incognito:prefer={criterion}", "--out", tmp_path / "out", "--json")
    certificate = done("anonymize", patients_csv(tmp_path), *ROLES, *flags).json
    assert certificate["algorithm"]["name"] == "incognito"
    assert certificate["algorithm"]["levels"] in certificate["algorithm"]["minimal"]
