"""Those who got a release hold its data and the public certificate, and derive the claims with these alone."""

import json
import random
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import polars as pl
import pytest

import shoal as library
from shoal.foundation.errors import CertificateError, MissingExtraError, SpecError
from shoal.jobs.disclosure import PUBLIC
from shoal.releases.claims.public_claims import _location
from shoal.tables.folder import FolderLocation
from shoal.tables.location import FileLocation
from tests.cli.run import done, read_csv, shoal, write_csv
from tests.forging import forge_first as forge
from tests.forging import made_first
from tests.jobs.test_disclosure import promises, released, table
from tests.releases.test_cluster_release import released as clusters

Change = Callable[[dict[str, Any]], object]
MATRIX = {"t": 1, "column": "ill", "distance": "matrix", "distances": "/any"}
REST = ["ill", "sex"]
DIVERSE = {"model": "distinct-l-diversity", "l": 2, "column": "ill"}


def passed_on(release: Path, to: Path) -> Path:
    """Copy what may be passed on, as a steward would."""
    to.mkdir(parents=True)
    for path in (release / "public").iterdir():
        if path.name == PUBLIC or path.stem in ("data", "clusters"):
            shutil.copy(path, to)
    return to


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("original")
    data = table().with_columns(sex=pl.Series([*"MFFMF" * 8]))
    released(data, quasi=["age", "sex"], require=[DIVERSE]).write(folder / "out")
    clusters(require=[{"model": "distinct-l-diversity", "l": 1, "column": "ill"}]).write(folder / "clusters")
    return folder


@pytest.fixture
def steward(original: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(original, tmp_path / "kept"))


@pytest.fixture
def got(original: Path, tmp_path: Path) -> Path:
    return passed_on(original / "out", tmp_path / "got")


def refused(path: Path, words: str = "") -> None:
    ran = shoal("verify", path)
    assert ran.code == 4, ran.out + ran.err
    assert words in ran.err


def test_data_and_public_certificate_are_enough(original: Path, got: Path) -> None:
    kept = library.verify(original / "out").as_dict()
    for path in (got, got / "data.csv", got / PUBLIC, original / "out" / "public" / PUBLIC):
        found = library.verify(path)
        assert found.as_dict() == {**kept, "public": True, "told": found.told}
        assert set(found.told) < set(kept["told"]) | {"loss.measure", "algorithm.name"}
    assert kept["public"] is False
    shown = done("verify", got / "data.csv").out
    assert shown.startswith("verdict: all claims hold, and the file is the one that was certified\n")
    assert done("verify", got, "--json").json["claims"][1]["achieved"] == 2


@pytest.mark.parametrize("name", ["data.csv", PUBLIC])
def test_a_change_of_any_byte_is_refused(got: Path, name: str) -> None:
    whole = (got / name).read_bytes()
    for place in (0, len(whole) - 1, *random.Random(4).sample(range(len(whole)), 20)):  # noqa: S311
        (got / name).write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        with pytest.raises(CertificateError):
            library.verify(got)
    for changed in (b"", whole[:-1], whole + b"\n", b"[]", b"null"):
        (got / name).write_bytes(changed)
        with pytest.raises(CertificateError):
            library.verify(got)


FORGED: dict[str, tuple[Change, str]] = {
    "achieved": (lambda c: c["claims"][0].update(achieved=99), "differ in the claim k-anonymity"),
    "asked": (lambda c: c["claims"][0].update(asked=2), "differ in the claim k-anonymity"),
    "asked and parameter": (lambda c: (c["claims"][0].update(asked=99), c["claims"][0]["parameters"].update(k=99)),
                            "k-anonymity: asked 99, found 8"),
    "classes": (lambda c: c["classes"].update(smallest=99), "differ in the classes"),
    "records": (lambda c: c["file"].update(records=1), "what it says of the file"),
    "digest": (lambda c: c["file"].update(sha256="0" * 64), "its digest differs"),
    "path": (lambda c: c["file"].update(name="../kept/data.csv"), "lacks what a certificate states"),
    "role": (lambda c: c["columns"]["sex"].update(role="insensitive"), "the classes"),
    "sensitive role": (lambda c: c["columns"]["ill"].update(role="insensitive"), "does not have the role 'sensitive'"),
    "column": (lambda c: c["columns"].pop("ill"), "does not have the role 'sensitive'"),
    "one column more": (lambda c: c["columns"].update(x={"role": "quasi"}), "differ in the columns"),
    "withheld threshold": (lambda c: c["claims"][0]["parameters"].update(k=None), "does not say what it promises"),
    "withheld nothing": (lambda c: c["claims"][0]["parameters"].update(value=None), "does not say what it promises"),
    "withheld kind of attacker": (lambda c: c["claims"][1]["parameters"].update(others=None), "does not say what it"),
    "unknown and withheld": (lambda c: c["claims"][0].update(model="k-anonymitx", parameters={"k": None}),
                             "does not say what it promises"),
    "unknown promise": (lambda c: c["claims"][0].update(model="k-anonymitx"), "lacks what a certificate states"),
    "no claims": (lambda c: c["claims"].clear(), "lacks what a certificate states"),
    "no roles": (lambda c: c.pop("columns"), "lacks what a certificate states"),
    "claims of another kind": (lambda c: c.update(claims=[1]), "lacks what a certificate states"),
    "delimiter": (lambda c: c.update(delimiter=";"), "cannot be read as the certificate says"),
    "no quasi": (lambda c: [c["columns"][name].update(role="insensitive") for name in ("age", "sex")],
                 "differ in the columns"),
    "renamed": (lambda c: (c["columns"].update(x=c["columns"].pop("age")), c["file"].update(columns=["x", *REST])),
                "data.csv' and its certificate differ in the columns"),
    "a file to read": (lambda c: c["columns"]["ill"].update(hierarchy={"type": "levels", "path": "/any"}), "a file"),
    "a matrix to read": (lambda c: c["claims"][1].update(model="t-closeness", parameters=MATRIX), "names a file"),
    "a table to read": (lambda c: c["claims"][0].update(model="k-map", parameters={"k": 4, "population": "/any"}),
                        "names a file"),
    "shape": (lambda c: c.update(clusters={"shape": "both"}), "lacks what a certificate states"),
}  # fmt: skip


@pytest.mark.parametrize("kind", FORGED)
def test_a_forged_public_certificate_is_refused_by_the_data(got: Path, kind: str) -> None:
    change, words = FORGED[kind]
    forge(got / PUBLIC, change)
    with pytest.raises(CertificateError, match=words):
        library.verify(got)


@pytest.mark.parametrize("order", [["a", "b"], ["c", "b", "a", "a"], []])
def test_a_hierarchy_that_does_not_fit_is_refused(tmp_path: Path, order: list[str]) -> None:
    promise, recipe, _, _ = promises(tmp_path)["order"]
    released(sensitive={"ill": recipe}, require=[promise]).write(tmp_path / "out")
    change: Change = lambda c: c["columns"]["ill"]["hierarchy"].update(order=order)  # noqa: E731
    if not order:
        change = lambda c: c["columns"]["ill"].pop("hierarchy")  # noqa: E731
    forge(tmp_path / "out" / "public" / PUBLIC, change)
    refused(tmp_path / "out" / "public" / PUBLIC)


def test_a_promise_along_a_hierarchy_of_a_file_is_not_derived(tmp_path: Path) -> None:
    (tmp_path / "tree.csv").write_text("a;x;*\nb;x;*\nc;y;*\n", encoding="utf-8")
    tree = {"ill": {"type": "levels", "path": str(tmp_path / "tree.csv")}}
    close = {"model": "t-closeness", "t": 1, "column": "ill", "distance": "hierarchical"}
    data = pl.DataFrame({"age": ["1", "2"] * 6, "ill": [*"abc" * 4]})
    library.anonymize(data, quasi=["age"], sensitive=tree, k=2, require=[close]).write(tmp_path / "out")
    found = library.verify(passed_on(tmp_path / "out", tmp_path / "got"))
    words = "needs the hierarchy of column 'ill', which the public certificate does not tell"
    assert found.not_derived == {"t-closeness (ill)": words}


def test_a_hierarchy_that_is_withheld_excuses_no_promise_that_does_not_need_it(got: Path) -> None:
    forge(got / PUBLIC, lambda told: told["columns"]["ill"].update(hierarchy=None))
    assert library.verify(got).not_derived == {}
    forge(got / PUBLIC, lambda told: told["claims"][1].update(achieved=9))
    refused(got, "differ in the claim distinct-l-diversity")


MORE: dict[str, tuple[Change, str]] = {
    "a claim": (lambda c: c["claims"][0].update(achieved=99), "claims"),
    "the suppressed": (lambda c: c["records"].update(suppressed=3), "records"),
    "a seed": (lambda c: c.update(seed=1), "seed"),
    "an identifier": (lambda c: c["columns"].update(person={"role": "identifier"}), "columns"),
    "another loss": (lambda c: c["loss"].update(share=0.5), "loss"),
}


@pytest.mark.parametrize("kind", MORE)
def test_beside_the_other_it_may_say_nothing_else(steward: Path, kind: str) -> None:
    change, key = MORE[kind]
    forge(steward / "out" / "public" / PUBLIC, change)
    for path in (steward / "out", steward / "out/private/certificate.json"):
        refused(path, f"differs in {key}.")


READINGS = {"category": ("wildcard", 4, "the verdict, the claim k-anonymity"), "wildcard": ("category", 2, "found 2")}


@pytest.mark.parametrize("reading", READINGS)
def test_another_reading_of_missing_values_is_refused(tmp_path: Path, reading: Any) -> None:
    """Four without an age are a class of their own; two are none, unless a missing age may be any."""
    other, n, words = READINGS[reading]
    data = pl.DataFrame({"age": [20] * 8 + [None] * n})
    library.anonymize(data, quasi=["age"], k=4, missing=reading, algorithm="optimal").write(tmp_path / "out")
    got = passed_on(tmp_path / "out", tmp_path / "got")
    verdict = "all claims hold by the wildcard reading" if reading == "wildcard" else "all claims hold"
    assert library.verify(got).verdict == library.verify(tmp_path / "out").verdict == verdict
    forge(got / PUBLIC, lambda told: told["missing"].update(reading=other))
    refused(got, words)
    (tmp_path / "out" / "public" / PUBLIC).unlink()
    forge(tmp_path / "out/private/certificate.json", lambda told: told["missing"].update(reading=other))
    refused(tmp_path / "out", "differ in how missing values are read")
    job = (tmp_path / "out/private/job.toml").read_text(encoding="utf-8").replace('"wildcard"', '"category"')
    line = "" if reading == "wildcard" else f'missing = "{other}"\n'
    (tmp_path / "out/private/job.toml").write_text(job.replace("[input]\n", f"[input]\n{line}"), encoding="utf-8")
    refused(tmp_path / "out", words)


def test_beside_the_other_it_may_be_gone_but_not_broken(steward: Path) -> None:
    made_first(steward / "out")
    path = steward / "out" / "public" / PUBLIC
    path.write_bytes(path.read_bytes().replace(b'"holds": true', b'"holds": false'))
    refused(steward / "out", f"The certificate {PUBLIC} was changed after it was written")
    path.unlink()
    assert library.verify(steward / "out").verdict == "all claims hold"


def test_persons_are_counted_by_those_who_got_the_data(tmp_path: Path) -> None:
    visits = pl.concat([table(), table()]).with_columns(id=pl.Series([f"p{i % 40}" for i in range(80)]))
    released(visits, entity="id").write(tmp_path / "out")
    got = passed_on(tmp_path / "out", tmp_path / "got")
    found = library.verify(got)
    assert found.verdict == "all claims hold"
    (claim,) = (one.as_dict() for one in found.findings.claims)
    by_hand = pl.read_csv(got / "data.csv").group_by("age").agg(pl.col("id").n_unique())["id"].min()
    assert claim["achieved"] == by_hand
    forge(got / PUBLIC, lambda told: told["columns"]["id"].update(role="insensitive"))
    refused(got, "does not have the role 'entity'")


def test_a_promise_against_those_who_know_the_other_columns_is_put_to_them(tmp_path: Path) -> None:
    """The class has four illnesses, and two with each job: that is what is left to those who know the job."""
    data = pl.DataFrame({"age": [20] * 8, "job": [*"xxxxyyyy"], "ill": [*"ababcdcd"]})
    promise = {**DIVERSE, "others": "known"}
    library.anonymize(data, quasi=["age"], sensitive=["ill", "job"], k=4, require=[promise]).write(tmp_path / "out")
    for name in ("private/certificate.json", f"public/{PUBLIC}"):
        assert library.verify(tmp_path / "out" / name).as_dict()["claims"][1]["achieved"] == 2
        forge(tmp_path / "out" / name, lambda told: told["claims"][1].update(achieved=4))
        refused(tmp_path / "out" / name, "differ in the claim distinct-l-diversity (ill)")


def test_a_package_that_is_not_installed_is_no_refusal(got: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def lacking(_: FileLocation) -> list[str]:
        raise MissingExtraError("any", "excel")

    monkeypatch.setattr(FileLocation, "columns", lacking)
    with pytest.raises(MissingExtraError, match="needs the package 'any'"):
        library.verify(got)


def test_what_is_no_release(original: Path, got: Path, tmp_path: Path) -> None:
    (got / "other.csv").write_text("age\n1\n", encoding="utf-8")
    with pytest.raises(SpecError, match=r"does not refer to 'other.csv', but to data.csv"):
        library.verify(got / "other.csv")
    for release in (got, original / "out"):
        with pytest.raises(SpecError, match="is a file, and not in a database"):
            library.verify(release, url="sqlite:///a.db")
    (tmp_path / "empty").mkdir()
    with pytest.raises(SpecError, match=f"neither certificate.json nor {PUBLIC}"):
        library.verify(tmp_path / "empty")
    with pytest.raises(SpecError, match="is not a release"):
        library.verify(tmp_path / "empty" / "public" / PUBLIC)
    (got / "data.csv").unlink()
    refused(got, "'data.csv' to which the certificate refers is not in")


@pytest.mark.parametrize("form", ["csv", "parquet", "xlsx", "sav", "dta"])
def test_every_format_and_reading(tmp_path: Path, form: str) -> None:
    data = table().with_columns(ill=table()["ill"].replace("b", None))
    made = released(data, format=form, missing="wildcard" if form == "csv" else "category", require=[DIVERSE])
    made.write(tmp_path / "out")
    verdict = library.verify(passed_on(tmp_path / "out", tmp_path / "got")).verdict
    assert verdict == ("all claims hold by the wildcard reading" if form == "csv" else "all claims hold")


def test_formulas_are_quoted_only_if_that_is_told(tmp_path: Path) -> None:
    data = pl.DataFrame({"age": ["1"] * 4, "ill": ["=a", "'=a"] * 2})
    asked: dict[str, Any] = {"quasi": ["age"], "sensitive": ["ill"], "k": 4, "require": [DIVERSE]}
    for quoted in (True, False):
        library.anonymize(data, **asked, escape_formulas=quoted).write(tmp_path / f"{quoted}")
        assert library.verify(passed_on(tmp_path / f"{quoted}", tmp_path / "got" / f"{quoted}")).public
    assert "escape_formulas" not in json.loads((tmp_path / "False" / "public" / PUBLIC).read_bytes())


def test_another_delimiter(tmp_path: Path) -> None:
    write_csv(tmp_path / "raw.csv", ["age", "a,b"], [(20 + i % 2, "x") for i in range(20)], ";")
    roles = {"quasi": ["age"], "insensitive": ["a,b"], "k": 4}
    library.anonymize(tmp_path / "raw.csv", **roles).write(tmp_path / "out")  # type: ignore[arg-type]
    assert library.verify(passed_on(tmp_path / "out", tmp_path / "got")).verdict == "all claims hold"


@pytest.mark.parametrize(("name", "kind"), [("data.csv", FileLocation), ("data", FolderLocation)])
def test_a_name_without_an_ending_is_a_folder_of_files(
    name: str, kind: type[FileLocation] | type[FolderLocation]
) -> None:
    told: Any = SimpleNamespace(delimiter=";", escape_formulas=True)
    found = _location(Path("got"), {"name": name}, told, None)
    assert found == kind(Path("got", name), ";", quoted=True)


@pytest.mark.parametrize("shape", ["both", "records", "clusters"])
@pytest.mark.parametrize("values", ["multiset", "set"])
def test_clusters(tmp_path: Path, shape: Any, values: Any) -> None:
    clusters(shape=shape, **({} if shape == "records" else {"values": values})).write(tmp_path / "out")
    found = library.verify(passed_on(tmp_path / "out", tmp_path / "got"))
    reason = "needs the raw table, which is not passed on"
    assert found.not_derived == ({} if shape == "records" else {"radius": reason})


def test_values_of_clusters_are_multisets_unless_that_is_told(original: Path, tmp_path: Path) -> None:
    got = passed_on(original / "clusters", tmp_path / "got")
    whole = library.verify(got).as_dict()
    forge(got / PUBLIC, lambda told: told["clusters"].pop("values"))
    assert library.verify(got).as_dict() == whole


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda c: c["clusters"].update(smallest=99), "differ in the clusters"),
        (lambda c: c["clusters"]["claims"].pop(), "the claims on the clusters"),
        (lambda c: c["clusters"]["claims"].append(c["clusters"]["claims"][0]), "the claims on the clusters"),
        (lambda c: c["clusters"]["claims"].append({"model": "more"}), "the claims on the clusters"),
        (lambda c: c["clusters"].update(radii="largest"), "not all the largest"),
        (lambda c: c["clusters"].update(values="set"), "no set of"),
        (lambda c: c["clusters"].update(shape="clusters"), "differ in the columns"),
        (lambda c: c["clusters"].update(shape="other"), "lacks what a certificate states"),
        (lambda c: c["clusters"]["file"].update(sha256=""), "its digest differs"),
    ],
)
def test_a_forged_public_certificate_of_clusters_is_refused(
    original: Path, tmp_path: Path, change: Change, words: str
) -> None:
    got = passed_on(original / "clusters", tmp_path / "got")
    forge(got / PUBLIC, change)
    with pytest.raises(CertificateError, match=words):
        library.verify(got)


def test_a_table_of_a_database_is_found_by_its_url(tmp_path: Path) -> None:
    released(output=f"sqlite:///{tmp_path}/a.db", output_table="given").write(tmp_path / "out")
    got = passed_on(tmp_path / "out", tmp_path / "got")
    assert "delimiter" not in json.loads((got / PUBLIC).read_text(encoding="utf-8"))
    assert str(tmp_path) not in (got / PUBLIC).read_text(encoding="utf-8")
    with pytest.raises(SpecError, match=r"is the table given of a database.*\(--output\)"):
        library.verify(got)
    url = f"sqlite:///{tmp_path}/a.db"
    assert done("verify", got, "--output", url).out.startswith("verdict: all claims hold, and the table is the one")
    with sqlite3.connect(tmp_path / "a.db") as connection:
        connection.execute("update given set ill = 'a' where ill = 'b'")
    connection.close()
    with pytest.raises(CertificateError, match="the digest of its records differs"):
        library.verify(got, url=url)


def test_a_table_may_have_a_name_that_no_file_has_and_be_moved(tmp_path: Path) -> None:
    released(output=f"sqlite:///{tmp_path}/a.db", output_table="given/all").write(tmp_path / "out")
    shutil.move(tmp_path / "a.db", tmp_path / "b.db")
    for path in (tmp_path / "out", tmp_path / "out" / "public" / PUBLIC):
        assert library.verify(path, url=f"sqlite:///{tmp_path}/b.db").verdict == "all claims hold"
        with pytest.raises(SpecError):
            library.verify(path)


def test_a_release_by_rules(original: Path, tmp_path: Path) -> None:
    write_csv(
        tmp_path / "next.csv",
        ["person", "age", "ill", "sex"],
        [("p", 20 + i % 2, "abab"[i // 10], "MF"[i // 20]) for i in range(40)],
    )
    library.apply(original / "out", tmp_path / "next.csv").write(tmp_path / "out")
    got = passed_on(tmp_path / "out", tmp_path / "got")
    assert library.verify(got).verdict == "all claims hold"
    assert "sha256" not in json.loads((got / PUBLIC).read_text(encoding="utf-8")).get("rules", {})
    assert {row["ill"] for row in read_csv(got / "data.csv")} == {"a", "b"}


def test_an_outside_table_is_not_passed_on(tmp_path: Path) -> None:
    write_csv(tmp_path / "all.csv", ["age"], [(20 + i % 2,) for i in range(90)])
    promise = {"model": "k-map", "k": 9, "population": str(tmp_path / "all.csv")}
    table().write_csv(tmp_path / "raw.csv")
    library.anonymize(
        tmp_path / "raw.csv", quasi=["age"], sensitive=["ill"], drop=["person"], require=[promise], k=4
    ).write(tmp_path / "out")
    assert library.verify(tmp_path / "out").not_derived == {}
    found = library.verify(passed_on(tmp_path / "out", tmp_path / "got"))
    assert found.not_derived == {"k-map": "needs the outside table, which the public certificate does not tell"}
    assert found.verdict == "1 claims hold, 1 could not be derived here"


def test_the_public_report_names_the_file_and_the_command() -> None:
    page = released().report(audience="public")
    assert PUBLIC in page
    assert "shoal verify" in page
    assert "pass on all of the folder public" in released().report()


@pytest.mark.parametrize("key", ["loss", "missing", "shoal"])
def test_a_certificate_that_lacks_what_the_public_one_tells(steward: Path, key: str) -> None:
    forge(steward / "out/private/certificate.json", lambda content: content.pop(key))
    refused(steward / "out", "lacks what a certificate states")
