"""Which certificate is gone by, and which files a release vouches for."""

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from shoal.certificate import CERTIFICATE
from shoal.foundation.errors import CertificateError, SpecError
from shoal.jobs.disclosure import PUBLIC
from shoal.jobs.job import JOB_FILE
from shoal.releases.claims.manifest import MANIFEST, PUBLIC_MANIFEST, Manifest
from shoal.releases.claims.reading import claims_in, names_of, released_records
from shoal.tables.folder import FolderLocation
from tests.forging import file_in, made_first
from tests.releases.claims.in_regions import released_in_regions

PASSED_ON = ["data.csv", PUBLIC, "report-public.html"]
KEPT = [CERTIFICATE, JOB_FILE, "rules.json", "report.html"]
WHOLE = [*(f"public/{name}" for name in (*PASSED_ON, PUBLIC_MANIFEST)), *(f"private/{name}" for name in KEPT)]


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    data = pl.DataFrame({"age": ["1", "2"] * 4, "ill": [*"abcd" * 2]})
    folder = tmp_path_factory.mktemp("original")
    shoal.anonymize(data, quasi=["age"], sensitive=["ill"], k=2).write(folder / "out")
    return folder / "out"


@pytest.fixture
def kept(original: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(original, tmp_path / "kept"))


@pytest.fixture
def got(original: Path, tmp_path: Path) -> Path:
    (tmp_path / "got").mkdir()
    for name in (*PASSED_ON, PUBLIC_MANIFEST):
        shutil.copy(original / "public" / name, tmp_path / "got")
    return tmp_path / "got"


@pytest.mark.parametrize("url", ["s3://bucket/release", "gs://bucket/release/data.csv"])
def test_a_release_in_an_object_store_is_refused_as_one(url: str) -> None:
    """And not as a folder that is not there: who reads it knows what to do."""
    with pytest.raises(SpecError, match=rf"^'{url}' is in an object store: .* Copy it to this machine\.$"):
        claims_in(Path(url))


def test_the_steward_s_certificate_is_gone_by_where_it_is_unless_the_other_is_asked_for(kept: Path, got: Path) -> None:
    for path in (kept, kept / "private" / CERTIFICATE, kept / "private" / MANIFEST, kept / "private"):
        found = claims_in(path)
        assert (found.job is None, found.manifest and found.manifest.name) == (False, MANIFEST)
        assert found.certificate["records"]["input"] == 8
    for path in (
        kept / "public" / PUBLIC,
        kept / "public" / PUBLIC_MANIFEST,
        kept / "public",
        kept / "public/data.csv",
        got,
        got / "data.csv",
        got / PUBLIC,
    ):
        found = claims_in(path)
        assert (found.job is None, found.manifest and found.manifest.name) == (True, PUBLIC_MANIFEST)
        assert "input" not in found.certificate["records"]


@pytest.mark.parametrize("name", [CERTIFICATE, JOB_FILE])
def test_a_steward_s_folder_without_one_of_its_files_is_not_what_was_passed_on(kept: Path, name: str) -> None:
    file_in(kept, name).unlink()
    with pytest.raises(SpecError, match=f"is not a release: it has no {name}"):
        claims_in(kept)
    assert claims_in(kept / "public" / PUBLIC).job is None
    (kept / "public" / PUBLIC).unlink()
    with pytest.raises(SpecError, match=f"public' is not a release: it has neither {CERTIFICATE} nor {PUBLIC}"):
        claims_in(kept / "public" / PUBLIC_MANIFEST)


def test_a_list_of_public_files_asks_for_the_public_certificate_only_where_that_is(kept: Path) -> None:
    made_first(kept)
    shutil.move(kept / "public/data.csv", kept / "private")
    shutil.rmtree(kept / "public")
    (kept / "private" / PUBLIC_MANIFEST).touch()
    assert claims_in(kept / "private" / PUBLIC_MANIFEST).job is not None


def test_a_file_that_is_no_part_of_the_release_is_told(kept: Path, got: Path) -> None:
    for folder in (kept, kept / "public", kept / "private", got):
        (folder / "other.csv").write_text("", encoding="utf-8")
        with pytest.raises(SpecError, match=r"does not refer to 'other\.csv', but to data\.csv"):
            claims_in(folder / "other.csv")
    assert claims_in(kept).others == ("other.csv", "private/other.csv", "public/other.csv")
    for folder in (kept / "public", got):
        assert claims_in(folder).others == ("other.csv",)
        assert claims_in(folder / PUBLIC).others == ()


def test_the_files_of_a_release(kept: Path, got: Path) -> None:
    assert names_of(claims_in(got)) == PASSED_ON
    assert sorted(names_of(claims_in(kept))) == sorted(WHOLE)
    assert claims_in(kept).others == claims_in(got).others == ()
    (got / PUBLIC_MANIFEST).unlink()
    assert claims_in(got).others == ("report-public.html",)  # without a list only the data is bound
    made_first(kept)
    assert claims_in(kept).others == ()


def test_what_a_release_in_regions_leaves_out_is_not_missed(tmp_path: Path) -> None:
    found = claims_in(released_in_regions(tmp_path))
    public = ["data/part-00000.csv", PUBLIC, PUBLIC_MANIFEST]
    expected = [*(f"public/{name}" for name in public), f"private/{CERTIFICATE}", f"private/{JOB_FILE}"]
    assert sorted(names_of(found)) == sorted(expected)


def test_the_records_of_a_release_are_found_by_its_folder_and_anything_else_is_left_as_it_is(
    kept: Path, got: Path, tmp_path: Path
) -> None:
    for folder, data in ((kept, kept / "public"), (kept / "public", kept / "public"), (got, got)):
        for given in (folder, str(folder)):
            found = released_records(given)
            assert found.path == data / "data.csv"
            assert found.rows().n_records == 8
    others: list[Any] = [
        pl.DataFrame({"age": ["1"]}),
        got / "data.csv",
        str(got / "data.csv"),
        tmp_path,
        "absent",
        None,
    ]
    assert all(released_records(other) is other for other in others)


def test_a_release_of_clusters_alone_has_no_records_to_be_found(tmp_path: Path) -> None:
    """The steward, who can release again, is told how."""
    data = pl.DataFrame({"age": list(range(8)), "ill": [*"abcd" * 2]})
    made = shoal.anonymize(data, quasi=["age"], sensitive=["ill"], k=2, algorithm="mdav", shape="clusters")
    made.write(tmp_path / "out")
    with pytest.raises(SpecError, match=r"contains clusters only, and none of their records\.$"):
        released_records(tmp_path / "out/public")
    with pytest.raises(SpecError, match=r"contains clusters only, .* Release both \(shape = 'both'\)\.$"):
        released_records(tmp_path / "out")


def test_a_table_of_a_database_is_no_file(tmp_path: Path) -> None:
    data = pl.DataFrame({"age": ["1", "2"] * 4, "ill": [*"abcd" * 2]})
    place: Any = {"output": f"sqlite:///{tmp_path}/a.db", "output_table": "given"}
    shoal.anonymize(data, quasi=["age"], sensitive=["ill"], k=2, **place).write(tmp_path / "out")
    found = claims_in(tmp_path / "out")
    assert sorted(names_of(found)) == sorted(set(WHOLE) - {"public/data.csv"})
    assert found.others == ()


def test_just_the_files_of_a_release_are_listed(kept: Path, got: Path) -> None:
    (kept / "other.csv").write_text("", encoding="utf-8")
    Manifest.of(kept, MANIFEST, [*WHOLE, "other.csv"]).write(kept / "private")
    with pytest.raises(CertificateError, match=r"lists other files than a release has: it differs in other\.csv"):
        claims_in(kept)
    Manifest.of(got, PUBLIC_MANIFEST, PASSED_ON[:2]).write(got)
    with pytest.raises(CertificateError, match="lists other files than a release has: it differs in report-public"):
        claims_in(got)


def test_a_steward_s_files_are_bound_to_each_other(kept: Path) -> None:
    (kept / "private" / MANIFEST).unlink()
    with pytest.raises(CertificateError, match=f"are not bound to each other: it has no {MANIFEST}"):
        claims_in(kept)
    assert claims_in(kept / "public" / PUBLIC).job is None


def test_a_certificate_beside_a_list_has_a_schema(kept: Path, got: Path) -> None:
    for folder, name, names, place in (
        (kept, MANIFEST, [name for name in WHOLE if not name.endswith(PUBLIC_MANIFEST)], kept / "private"),
        (got, PUBLIC_MANIFEST, PASSED_ON, got),
    ):
        made_first(folder)
        Manifest.of(folder, name, names).write(place)
        with pytest.raises(CertificateError, match=f"says less than one beside {name}: it has no schema"):
            claims_in(folder)


def test_the_files_of_a_folder_are_named_one_by_one(got: Path) -> None:
    (got / "data").mkdir()
    for number in range(2):
        shutil.copy(got / "data.csv", got / f"data/part-{number}.csv")
    claims = replace(claims_in(got), locations={"records": FolderLocation(got / "data")})
    assert names_of(claims)[:2] == ["data/part-0.csv", "data/part-1.csv"]


def test_the_records_of_a_release_are_found_by_its_folder(kept: Path, got: Path, tmp_path: Path) -> None:
    for folder, file in (
        (kept, kept / "public/data.csv"),
        (kept / "private", kept / "public/data.csv"),
        (got, got / "data.csv"),
    ):
        assert released_records(folder).path == file
        assert released_records(str(folder)).path == file
    for other in (kept / "public/data.csv", tmp_path, tmp_path / "nowhere", pl.DataFrame({"a": [1]})):
        assert released_records(other) is other


def test_a_release_of_clusters_alone_has_no_records(tmp_path: Path) -> None:
    data = pl.DataFrame({"age": ["1", "2"] * 4})
    shoal.anonymize(data, quasi=["age"], k=2, algorithm="mdav", shape="clusters").write(tmp_path / "out")
    for folder in (tmp_path / "out", tmp_path / "out/public"):
        with pytest.raises(SpecError, match="contains clusters only"):
            released_records(folder)
