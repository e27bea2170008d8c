"""Pseudonyms: the same for the same key, of nobody without it, and only where they leave k as it is."""

import hashlib
import pickle
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from shoal.foundation.errors import CertificateError, SpecError
from shoal.jobs.job import Job
from shoal.jobs.keys.pseudonyms import PseudonymKey, new_pseudonym_key
from tests.cli.run import shoal as command
from tests.forging import forge, stated

PSEUDONYM = r"^p[0-9a-f]{32}$"
PLAIN: dict[str, Any] = {"quasi": ["age"], "sensitive": ["ill"], "k": 4, "seed": 1}
VISITS: dict[str, Any] = {**PLAIN, "quasi": ["age", "sex"], "insensitive": ["visit"], "k": 3}


def persons(n: int = 60) -> pl.DataFrame:
    draw = random.Random(3)  # noqa: S311
    return pl.DataFrame(
        {
            "id": [f"Canary{i:03}" for i in range(n)],
            "age": [str(draw.randrange(20, 40)) for _ in range(n)],
            "ill": [draw.choice(["flu", "cold", "gout"]) for _ in range(n)],
        }
    )


def visits(n: int = 30) -> pl.DataFrame:
    """Return a table with one to three records of each person, alike in the quasi columns."""
    draw = random.Random(4)  # noqa: S311
    made = [
        (f"Canary{i:03}", str(age), sex, draw.choice(["flu", "cold"]), str(v))
        for i in range(n)
        for age, sex in [(draw.randrange(20, 24), draw.choice("mf"))]
        for v in range(draw.randrange(1, 4))
    ]
    return pl.DataFrame(made, schema=["id", "age", "sex", "ill", "visit"], orient="row")


@pytest.fixture
def key(tmp_path: Path) -> Path:
    new_pseudonym_key(tmp_path / "study.key")
    return tmp_path / "study.key"


def test_a_pseudonym_is_that_of_hmac_with_the_name_before_the_value() -> None:
    """The digits are those of openssl, of the text `shoal pseudonym 1`, eight bytes with 6, `person` and the value."""
    made = PseudonymKey(bytes(31) + b"\1").pseudonym("person", "PERS0001")
    assert made == "p83927705ff652807b867c5ca8de0d67b"


def test_names_keys_and_values_are_told_apart() -> None:
    keys = [PseudonymKey.drawn(), PseudonymKey.drawn()]
    said = [("a", "bc"), ("ab", "c"), ("", "abc"), ("a", "bc "), ("a", "BC"), ("a", "")]
    found = {key.pseudonym(*one) for key in keys for one in said}
    assert len(found) == len(keys) * len(said)
    assert keys[0].pseudonym("a", "bc") == keys[0].pseudonym("a", "bc")
    assert keys[0].secret.hex() not in repr(keys[0])


def test_the_file_of_a_key_is_for_its_owner_alone(tmp_path: Path, key: Path) -> None:
    assert key.stat().st_mode & 0o777 == 0o600
    assert PseudonymKey.read(key).secret == PseudonymKey.read(key).secret
    with pytest.raises(SpecError, match="exists already"):
        new_pseudonym_key(key)
    new_pseudonym_key(tmp_path / "other.key")
    assert PseudonymKey.read(key).secret != PseudonymKey.read(tmp_path / "other.key").secret
    key.chmod(0o644)
    with pytest.raises(SpecError, match=r"key of pseudonyms '.*' can be read by others"):
        PseudonymKey.read(key)


@pytest.mark.parametrize("text", ["", "shoal pseudonym key 1: 00", "shoal pseudonym key 1: zz", "00" * 32, "\xff" * 80])
def test_what_is_no_key_is_refused_without_showing_it(tmp_path: Path, text: str) -> None:
    path = tmp_path / "no.key"
    path.write_bytes(text.encode("latin-1"))
    path.chmod(0o600)
    with pytest.raises(SpecError, match=r"is not a key of pseudonyms: 'shoal pseudonym --new-key' makes one\.$"):
        PseudonymKey.read(path)


def test_the_same_key_gives_the_same_pseudonyms_and_no_key_others(key: Path) -> None:
    first = shoal.anonymize(persons(), pseudonyms=["id"], pseudonym_key=key, **PLAIN)
    again = shoal.anonymize(persons(), pseudonyms={"id": None}, pseudonym_key=str(key), **PLAIN)
    drawn = [shoal.anonymize(persons(), pseudonyms="id", **PLAIN) for _ in range(2)]
    assert first.data.equals(again.data)
    assert set(first.data["id"]) == {shoal.pseudonym(one, key, "id") for one in persons()["id"]}
    shown = [set(one.data["id"]) for one in (first, *drawn)]
    assert all(not one & other for one in shown for other in shown if one is not other)
    assert all(one.data["id"].str.contains(PSEUDONYM).all() for one in (first, *drawn))
    assert all(one.data.drop("id").equals(first.data.drop("id")) for one in drawn)  # nothing else depends on the key
    assert first.certificate["pseudonyms"] == {"id": {"persons": 60, "records": 1, "key": "file"}}
    assert drawn[0].certificate["pseudonyms"] == {"id": {"persons": 60, "records": 1, "key": "release"}}


def test_tables_are_linked_by_a_name_and_by_nothing_else(key: Path) -> None:
    other = persons().rename({"id": "patient"}).reverse()
    names: list[dict[str, str | None]] = [{"id": "person"}, {"patient": "person"}, {"patient": None}, {"patient": "id"}]
    tables = [persons(), other, other, other]
    shown = [
        set(shoal.anonymize(table, pseudonyms=one, pseudonym_key=key, **PLAIN).data[next(iter(one))])
        for table, one in zip(tables, names, strict=True)
    ]
    assert shown[0] == shown[1]
    assert not shown[0] & shown[2]
    assert not shown[0] & shown[3]


@pytest.fixture
def written(tmp_path: Path, key: Path) -> Path:
    persons().write_csv(tmp_path / "t.csv")
    made = shoal.anonymize(tmp_path / "t.csv", pseudonyms={"id": "person"}, pseudonym_key=key, **PLAIN)
    made.write(tmp_path / "out")
    return tmp_path / "out"


def test_neither_the_key_nor_an_identifier_is_in_any_file(written: Path, key: Path) -> None:
    secret = PseudonymKey.read(key).secret
    texts = b"\n".join(path.read_bytes() for path in written.rglob("*") if path.is_file())
    assert b"Canary" not in texts
    assert secret not in texts
    assert secret.hex().encode() not in texts.lower()
    assert b"study.key" in next(written.rglob("job.toml")).read_bytes()
    assert hashlib.sha256(key.read_bytes()).hexdigest().encode() not in texts
    job = Job.read(next(written.rglob("job.toml")))
    assert job.key_file is not None
    assert job.key_file.resolve() == key
    assert job.pseudonyms == {"id": "person"}


def test_it_verifies_with_and_without_the_key_and_is_repeated(written: Path, key: Path) -> None:
    assert shoal.verify(written, raw=True, bound=True).verdict == "all claims hold"
    assert shoal.verify(next(written.rglob("certificate-public.json"))).verdict == "all claims hold"
    text = key.read_bytes()
    key.unlink()
    new_pseudonym_key(key)
    with pytest.raises(CertificateError, match="makes a different release"):
        shoal.verify(written, raw=True, bound=True)
    key.unlink()  # once it is destroyed, all but the pseudonyms is repeated
    assert shoal.verify(written, raw=True, bound=True).verdict == "all claims hold"
    with pytest.raises(SpecError, match="There is no key at"):
        shoal.run(Job.read(next(written.rglob("job.toml"))))
    key.write_bytes(text)


def test_next_year_is_linked_to_this_one(tmp_path: Path, written: Path, key: Path) -> None:
    more = pl.concat([persons(), persons().with_columns(("New" + pl.col("id")).alias("id"))])
    more.write_csv(tmp_path / "next.csv")
    later = shoal.apply(written, tmp_path / "next.csv", failing="suppress", max_suppressed=1)
    first = set(pl.read_csv(next(written.rglob("data.csv")))["id"])
    assert first <= set(later.data["id"])
    later.write(tmp_path / "later")
    assert shoal.verify(tmp_path / "later", raw=True).verdict == "all claims hold"
    new_pseudonym_key(tmp_path / "new.key")
    rotated = shoal.apply(written, tmp_path / "next.csv", pseudonym_key=tmp_path / "new.key")
    assert not first & set(rotated.data["id"])
    assert "new.key" in rotated.job.toml(tmp_path)


def test_a_release_that_is_sent_holds_no_key_and_no_identifier(key: Path) -> None:
    made = shoal.anonymize(persons(), pseudonyms=["id"], pseudonym_key=key, **PLAIN)
    sent = pickle.dumps(made)
    assert b"Canary" not in sent
    assert PseudonymKey.read(key).secret not in sent
    assert not any("Canary" in value for value in made.run.raw.columns["id"].values)


@pytest.mark.parametrize("said", [{"persons": 61}, {"records": 2}, {"key": "release"}])
def test_what_the_certificate_says_of_pseudonyms_is_derived(written: Path, said: dict[str, Any]) -> None:
    forge(next(written.rglob("certificate.json")), lambda content: content["pseudonyms"]["id"].update(said))
    with pytest.raises(CertificateError, match="differ in the pseudonyms"):
        shoal.verify(written)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda told: told["pseudonyms"]["id"].update(persons=7), "differ in the pseudonyms"),
        (lambda told: told.pop("pseudonyms"), "differ in the pseudonyms"),
        (lambda told: told.update(pseudonyms={}), "'pseudonyms' is not what may stand there"),
        (lambda told: told["pseudonyms"]["id"].update(key="mine"), "'pseudonyms.id.key' is not what may stand there"),
        (lambda told: told["columns"].update(id={"role": "insensitive"}), "differ in the pseudonyms"),
        (lambda told: told["columns"]["id"].pop("pseudonym"), "'columns.id' is not what may stand there"),
        (lambda told: told["columns"]["age"].update(pseudonym=True), "'columns.age' is not what may stand there"),
    ],
)
def test_what_is_passed_on_says_which_columns_are_pseudonyms(
    written: Path, change: Callable[[dict[str, Any]], object], words: str
) -> None:
    public = next(written.rglob("certificate-public.json"))
    assert stated(public)["columns"]["id"] == {"role": "identifier", "pseudonym": True}
    forge(public, change)
    with pytest.raises(CertificateError, match=words):
        shoal.verify(public)


def test_persons_with_several_records_in_one_class_may_be_told() -> None:
    for given in ({"pseudonyms": ["id"], "entity": "id"}, {"pseudonyms": ["id"]}):
        made = shoal.anonymize(visits(), **given, **VISITS)  # auto treats equal records alike
        assert made.certificate["pseudonyms"]["id"]["persons"] == 30
        assert made.certificate["pseudonyms"]["id"]["records"] == 3
        classes = made.data.group_by("id").agg(pl.struct("age", "sex").n_unique().alias("n"))
        assert classes["n"].max() == 1
        counted = made.data.group_by("age", "sex").agg(pl.col("id").n_unique())
        assert int(counted["id"].to_numpy().min()) >= 3
        assert made.data["id"].str.contains(PSEUDONYM).all()
        assert "must stay together" in made.certificate["told"]["remark"]
        assert "persons" in made.report(audience="public").partition('id="pseudonyms"')[2]


def test_a_person_in_two_classes_is_refused(tmp_path: Path) -> None:
    frame = visits().with_columns(pl.Series("age", [str(20 + i % 7) for i in range(visits().height)]))
    frame.write_csv(tmp_path / "t.csv")
    for given in ({"pseudonyms": ["id"]}, {"pseudonyms": ["id"], "entity": "id"}):
        with pytest.raises(CertificateError, match=r"\d+ of 30 persons have records in several classes"):
            shoal.anonymize(frame, algorithm="optimal", **given, **{**VISITS, "k": 2})
    flags = ("--quasi", "age,sex", "--sensitive", "ill", "--insensitive", "visit", "--pseudonym", "id", "--k", 2)
    ran = command("anonymize", tmp_path / "t.csv", *flags, "--algorithm", "optimal", "--out", tmp_path / "out")
    assert ran.code == 4
    assert "'id' may not leave" in ran.err
    assert "Canary" not in ran.err + ran.out
    assert not (tmp_path / "out").exists()


def test_few_persons_with_many_records_do_not_hide_each_other() -> None:
    frame = pl.DataFrame({"id": ["a"] * 4 + ["b"] * 4, "age": ["30"] * 8, "ill": ["flu", "cold"] * 4})
    with pytest.raises(CertificateError, match="a class has 2 persons, whom their pseudonyms tell apart, and 4 are"):
        shoal.anonymize(frame, pseudonyms=["id"], **PLAIN)
    assert shoal.anonymize(frame, pseudonyms=["id"], **{**PLAIN, "k": 2}).certificate["classes"]["smallest"] == 8


def test_a_file_in_which_a_pseudonym_was_moved_is_refused(tmp_path: Path) -> None:
    """The condition is put to the file: with pseudonyms exchanged between classes it does not verify."""
    visits().write_csv(tmp_path / "t.csv")
    shoal.anonymize(tmp_path / "t.csv", pseudonyms=["id"], entity="id", **VISITS).write(tmp_path / "out")
    path = next((tmp_path / "out").rglob("data.csv"))
    frame = pl.read_csv(path, infer_schema=False)
    classes = frame.select("age", "sex").unique().rows()
    assert len(classes) > 1
    at = [next(i for i, row in enumerate(frame.select("age", "sex").rows()) if row == cells) for cells in classes[:2]]
    ids = frame["id"].to_list()
    ids[at[0]], ids[at[1]] = ids[at[1]], ids[at[0]]
    moved = frame.with_columns(pl.Series("id", ids))
    from shoal.certificate import Evidence, examine_frame
    from shoal.models import KAnonymity

    evidence = Evidence(quasi=("age", "sex"), sensitive=("id",), pseudonyms=("id",))
    models = [KAnonymity(k=3, entity="id")]
    examine_frame(frame, models, evidence).demand()
    found = examine_frame(moved, models, evidence)
    assert found.claims[0].holds
    with pytest.raises(CertificateError, match="persons have records in several classes"):
        found.demand()


@pytest.mark.parametrize("given", [{"algorithm": "mdav"}, {"missing": "wildcard"}])
def test_where_classes_overlap_a_person_has_one_record(given: dict[str, Any]) -> None:
    frame = pl.DataFrame(
        {"id": ["a", "a", "b", "c", "d", "e"], "age": [str(30 + i) for i in range(6)], "ill": ["flu", "cold"] * 3}
    )
    asked = {**PLAIN, "k": 2, **given}
    with pytest.raises(CertificateError, match="a person has 2 records, and classes overlap"):
        shoal.anonymize(frame, pseudonyms=["id"], **asked)
    once = shoal.anonymize(frame.unique("id"), pseudonyms=["id"], **asked)
    assert once.data["id"].n_unique() == 5


@pytest.mark.parametrize("role", [{}, {"entity": "id"}])
def test_a_missing_identifier_is_refused_with_its_number(role: dict[str, Any]) -> None:
    frame = persons().with_columns(pl.Series("id", [None, None, *[f"Canary{i}" for i in range(58)]]))
    with pytest.raises(SpecError, match="Column 'id' has no value in 2 records"):
        shoal.anonymize(frame, pseudonyms=["id"], **role, **PLAIN)


def test_numbers_of_persons_do_not_depend_on_the_key_of_others() -> None:
    frame = visits().with_row_index("case").with_columns(pl.col("case").cast(pl.String))
    made = [shoal.anonymize(frame, pseudonyms=["case"], entity="id", **VISITS) for _ in range(3)]
    rows = [one.data.drop("case") for one in made]
    assert rows[0].equals(rows[1])
    assert rows[0].equals(rows[2])
    assert made[0].data["case"].n_unique() == frame.height


@pytest.mark.parametrize(
    "given", [{"order": "input"}, {"algorithm": "tightest"}, {"blind": True}, {"engine": "duckdb"}]
)
def test_all_else_is_the_same_whatever_the_key(tmp_path: Path, given: dict[str, Any]) -> None:
    persons(90).write_csv(tmp_path / "t.csv")
    made = [shoal.anonymize(tmp_path / "t.csv", pseudonyms=["id"], **{**PLAIN, **given}) for _ in range(2)]
    rows = [one.data.drop("id") if "order" not in given else one.data.drop("id").sort("age", "ill") for one in made]
    assert rows[0].equals(rows[1])
    assert not set(made[0].data["id"]) & set(made[1].data["id"])
    made[0].write(tmp_path / "out")
    assert shoal.verify(tmp_path / "out", raw=True, bound=True).verdict == "all claims hold"


def test_engines_give_the_same_pseudonyms(tmp_path: Path, key: Path) -> None:
    visits().write_csv(tmp_path / "t.csv")
    asked = {**VISITS, "entity": "id", "pseudonyms": ["id"], "pseudonym_key": key, "algorithm": "optimal"}
    here, there = (shoal.anonymize(tmp_path / "t.csv", engine=one, **asked).data for one in ("local", "duckdb"))
    assert here.sort(here.columns).equals(there.sort(there.columns))
    with pytest.raises(SpecError, match="pseudonyms are made where all identifiers are in memory"):
        shoal.anonymize(
            tmp_path / "t.csv", **{**asked, "engine": {"name": "duckdb", "regions": 10}, "algorithm": "mondrian"}
        )


def test_a_format_without_spaces_at_the_end_changes_no_pseudonym(key: Path) -> None:
    frame = persons().with_columns(pl.col("id") + " ")
    made = shoal.anonymize(frame, pseudonyms=["id"], pseudonym_key=key, format="sav", **PLAIN)
    assert set(made.data["id"]) == {shoal.pseudonym(one, key, "id") for one in frame["id"]}
