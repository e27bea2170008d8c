"""The list of the files of a release, with their digests."""

import json
from pathlib import Path

import pytest

from shoal.foundation.errors import CertificateError
from shoal.jobs.release_folder import ReleaseFolder
from shoal.releases.claims.manifest import MANIFEST, PUBLIC_MANIFEST, Manifest, others_in, signatures_of
from shoal.tables.location import file_digest


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("b.txt", "a.txt"):
        (tmp_path / name).write_text(name, encoding="utf-8")
    Manifest.of(tmp_path, MANIFEST, ["b.txt", "a.txt"]).write(tmp_path)
    return tmp_path


def test_what_is_written_is_read(folder: Path) -> None:
    text = (folder / MANIFEST).read_bytes()
    digests = {name: file_digest(folder / name) for name in ("a.txt", "b.txt")}
    assert json.loads(text) == {"manifest": 1, "files": digests}
    assert Manifest.read(folder, MANIFEST) == Manifest(MANIFEST, digests, text)
    assert text.endswith(b"}\n")


def test_every_version_writes_the_same_bytes(tmp_path: Path) -> None:
    (tmp_path / "ü.txt").write_bytes(b"")
    empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    written = Manifest.of(tmp_path, MANIFEST, ["ü.txt"]).text.decode()
    assert written == f'{{\n  "manifest": 1,\n  "files": {{\n    "ü.txt": "{empty}"\n  }}\n}}\n'


def test_there_may_be_none(tmp_path: Path) -> None:
    assert Manifest.read(tmp_path, MANIFEST) is None


def test_files_that_are_gone_or_another_are_named(folder: Path) -> None:
    (folder / "a.txt").write_text("other", encoding="utf-8")
    with pytest.raises(
        CertificateError, match=r"The file 'a.txt' is not the one that was certified: its digest differs"
    ):
        Manifest.read(folder, MANIFEST)
    (folder / "a.txt").unlink()
    with pytest.raises(CertificateError, match=f"The file 'a.txt' that {MANIFEST} lists is not in"):
        Manifest.read(folder, MANIFEST)


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"[]",
        b"null",
        b"\xff",
        b"[" * 100_000,
        b'{"manifest": 1}',
        b'{"manifest": 2, "files": {}}',
        b'{"manifest": 0, "files": {}}',
        b'{"manifest": true, "files": {}}',
        b'{"manifest": 1, "files": {}, "more": 1}',
        b'{"manifest": 1, "files": {"a.txt": "x"}}',
        b'{"manifest": 1, "files": {"a.txt": 1}}',
    ],
)
def test_what_is_no_list_cannot_be_read(folder: Path, text: bytes) -> None:
    (folder / MANIFEST).write_bytes(text)
    with pytest.raises(CertificateError, match=f"The list of files {MANIFEST} cannot be read"):
        Manifest.read(folder, MANIFEST)


def test_a_list_in_other_bytes_was_changed(folder: Path) -> None:
    text = (folder / MANIFEST).read_bytes()
    for other in (text + b"\n", text.replace(b"  ", b" "), text.replace(b'"files": {', b'"files": {"a.txt": "", ', 1)):
        (folder / MANIFEST).write_bytes(other)
        with pytest.raises(CertificateError, match=r"was changed after it was written|cannot be read"):
            Manifest.read(folder, MANIFEST)


def test_a_file_of_a_folder_there_is_listed(folder: Path) -> None:
    (folder / "data").mkdir()
    (folder / "data/part-0").write_text("c", encoding="utf-8")
    Manifest.of(folder, MANIFEST, ["data/part-0"]).write(folder)
    found = Manifest.read(folder, MANIFEST)
    assert found is not None
    assert list(found.files) == ["data/part-0"]


def test_names_start_from_the_folder_of_the_release(folder: Path) -> None:
    (folder / "private").mkdir()
    (folder / "public/data").mkdir(parents=True)
    (folder / "public/data/part-0").write_bytes(b"1")
    Manifest.of(folder, MANIFEST, ["public/data/part-0"]).write(folder / "private")
    found = Manifest.read(folder / "private", MANIFEST, folder)
    assert found is not None
    assert list(found.files) == ["public/data/part-0"]
    (folder / "public/data/part-0").write_bytes(b"2")
    with pytest.raises(CertificateError, match="'public/data/part-0' is not the one that was certified"):
        Manifest.read(folder / "private", MANIFEST, folder)
    with pytest.raises(CertificateError, match=rf"that {MANIFEST} lists is not in '{folder}/private'"):
        Manifest.read(folder / "private", MANIFEST)


@pytest.mark.parametrize("name", ["below/deep/deeper/c.txt", "../c.txt", "below//c.txt", "./c.txt", "below/../c.txt"])
def test_no_file_elsewhere_is_listed(folder: Path, name: str) -> None:
    (folder / "below/deep/deeper").mkdir(parents=True)
    for place in (folder, folder.parent, folder / "below", folder / "below/deep/deeper"):
        (place / "c.txt").write_text("c", encoding="utf-8")
    for names in ([name], ["a.txt", name]):
        Manifest.of(folder, MANIFEST, names).write(folder)
        with pytest.raises(CertificateError, match="was changed after it was written"):
            Manifest.read(folder, MANIFEST)


@pytest.mark.parametrize("name", ["", "/", "//", "/a.txt", "a.txt/", ".", ".."])
def test_what_names_no_file_in_the_folder_is_not_listed(folder: Path, name: str) -> None:
    listed = {"manifest": 1, "files": {name: "0" * 64}}
    (folder / MANIFEST).write_text(json.dumps(listed, indent=2) + "\n", encoding="utf-8")
    with pytest.raises(CertificateError, match="was changed after it was written"):
        Manifest.read(folder, MANIFEST)


def test_a_list_is_a_short_file(folder: Path) -> None:
    (folder / MANIFEST).write_bytes(b" " * 1_000_001)
    with pytest.raises(CertificateError, match="more than 1,000,000 bytes"):
        Manifest.read(folder, MANIFEST)
    (folder / MANIFEST).write_bytes(b" " * 1_000_000)
    with pytest.raises(CertificateError, match="cannot be read"):
        Manifest.read(folder, MANIFEST)
    (folder / MANIFEST).unlink()
    (folder / MANIFEST).mkdir()
    with pytest.raises(CertificateError, match=f"{MANIFEST} is not a file"):
        Manifest.read(folder, MANIFEST)


def test_just_the_files_of_a_release_are_demanded(folder: Path) -> None:
    found = Manifest.read(folder, MANIFEST)
    assert found is not None
    found.demand(["a.txt", "b.txt"])
    for names, words in ((["a.txt"], r"differs in b\.txt\."), (["a.txt", "b.txt", "c"], r"differs in c\.")):
        with pytest.raises(CertificateError, match=words):
            found.demand(names)


def test_others_are_named_but_no_signatures(folder: Path) -> None:
    for name in (f"{MANIFEST}.me.sig", f"{PUBLIC_MANIFEST}.me.sig", "other.sig", "c.txt"):
        (folder / name).write_bytes(b"")
    (folder / f"{MANIFEST}.folder.sig").mkdir()
    assert signatures_of(folder, MANIFEST) == [f"{MANIFEST}.me.sig"]
    where = ReleaseFolder.in_one(folder, whole=True)
    assert others_in(where, ["a.txt", MANIFEST]) == ["b.txt", "c.txt", f"{MANIFEST}.folder.sig", "other.sig"]


def test_others_are_looked_for_in_both_folders_and_around_them(tmp_path: Path) -> None:
    known = ["public/data/part-0", "public/a", f"private/{MANIFEST}"]
    signed = [f"private/{MANIFEST}.me.sig", f"public/{PUBLIC_MANIFEST}.me.sig"]
    other = [f"private/{PUBLIC_MANIFEST}.me.sig", f"public/{MANIFEST}.me.sig", "public/b/c", "b", "private/d"]
    for name in (*known, *signed, *other):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"")
    found = others_in(ReleaseFolder.made_in(tmp_path), known)
    assert found == sorted(["public/b" if name == "public/b/c" else name for name in other])
