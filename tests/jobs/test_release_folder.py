"""Where the files of a release are: in two folders, in one as earlier versions have them, or as they were passed on."""

from pathlib import Path

import pytest

from shoal.certificate import CERTIFICATE
from shoal.jobs.disclosure import PUBLIC
from shoal.jobs.job import JOB_FILE
from shoal.jobs.release_folder import ReleaseFolder, holds_certificate, is_release_folder
from shoal.jobs.requests import job_file


def put(folder: Path, *names: str) -> Path:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("", encoding="utf-8")
    return folder


@pytest.fixture
def made(tmp_path: Path) -> Path:
    names = (f"private/{CERTIFICATE}", f"private/{JOB_FILE}", f"public/{PUBLIC}", "public/data.csv")
    return put(tmp_path / "out", *names)


def test_a_release_is_found_by_its_folder_and_by_what_is_kept(made: Path) -> None:
    whole = ReleaseFolder(made, made / "public", made / "private")
    for path in (made, made / "private", made / "private" / CERTIFICATE, made / "private" / JOB_FILE):
        assert ReleaseFolder.of(path) == whole == ReleaseFolder.made_in(made)
    assert whole.folders == (made, made / "public", made / "private")
    assert whole.name(whole.public, "data.csv") == "public/data.csv"
    assert whole.name(whole.root, "note.txt") == "note.txt"


def test_from_within_its_folders(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for place, whole in (("private", True), ("public", False), (".", True)):
        monkeypatch.chdir(made / place)
        found = ReleaseFolder.of(Path())
        assert (found.whole, found.public.resolve()) == (whole, made / "public")


def test_what_is_public_stands_for_what_was_passed_on(made: Path, tmp_path: Path) -> None:
    passed_on = ReleaseFolder(made / "public", made / "public", made / "public", whole=False)
    for path in (made / "public", made / "public/data.csv", made / "public" / PUBLIC):
        assert ReleaseFolder.of(path) == passed_on == ReleaseFolder.in_one(made / "public", whole=False)
    got = put(tmp_path / "private", PUBLIC, "data.csv")  # whatever the folder is called
    assert ReleaseFolder.of(got) == ReleaseFolder.in_one(got, whole=False)
    for name in (CERTIFICATE, JOB_FILE):
        (made / "private" / name).unlink()
    assert ReleaseFolder.of(made) == passed_on


def test_all_files_in_one_folder(tmp_path: Path) -> None:
    for name in ("out", "private"):
        flat = put(tmp_path / name, CERTIFICATE, JOB_FILE, PUBLIC, "data.csv")
        for path in (flat, flat / PUBLIC, flat / "data.csv"):
            assert ReleaseFolder.of(path) == ReleaseFolder.in_one(flat, whole=True)
        assert ReleaseFolder.of(flat).folders == (flat,)
    put(tmp_path, "public/data.csv")
    assert ReleaseFolder.of(tmp_path / "private").root == tmp_path / "private"  # its public certificate is beside it
    alone = put(tmp_path / "job/private", JOB_FILE)
    assert ReleaseFolder.of(alone) == ReleaseFolder.in_one(alone, whole=True)  # there is no public folder


def test_what_is_no_release(made: Path, tmp_path: Path) -> None:
    empty = put(tmp_path / "other", "data.csv", "public/data.csv", "private/data.csv")
    assert ReleaseFolder.of(empty) == ReleaseFolder.in_one(empty, whole=False)
    for folder, found, certified in (
        (empty, False, False),
        (made, True, True),
        (made / "public", True, True),
        (made / "private", True, True),
        (put(tmp_path / "job", JOB_FILE), True, False),
        (put(tmp_path / "got", PUBLIC), True, True),
        (tmp_path / "nowhere", False, False),
        (made / "public/data.csv", False, False),
    ):
        assert (is_release_folder(folder), holds_certificate(folder)) == (found, certified)


def test_who_may_not_open_the_private_folder_has_what_is_public(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    exists = Path.exists

    def closed(path: Path) -> bool:
        if "private" in path.parts:
            raise PermissionError
        return exists(path)

    monkeypatch.setattr(Path, "exists", closed)
    assert ReleaseFolder.of(made) == ReleaseFolder.in_one(made / "public", whole=False)
    assert holds_certificate(made)


def test_a_release_stands_for_its_job(made: Path, tmp_path: Path) -> None:
    flat = put(tmp_path / "flat", CERTIFICATE, JOB_FILE)
    assert job_file(str(made)) == job_file(str(made / "private")) == made / "private" / JOB_FILE
    assert job_file(str(flat)) == flat / JOB_FILE
    assert job_file("any/JOB.TOML") == Path("any/JOB.TOML")
    for table in (None, "sqlite:///a.toml", str(made / "public"), str(made / "public/data.csv"), str(tmp_path)):
        assert job_file(table) is None


def test_other_folders_beside_or_below_do_not_change_whose_files_these_are(tmp_path: Path) -> None:
    flat = put(tmp_path / "kept", CERTIFICATE, JOB_FILE)  # beside a folder `public` that is not its own
    put(tmp_path, f"public/{PUBLIC}")
    assert ReleaseFolder.of(flat) == ReleaseFolder.in_one(flat, whole=True)
    bare = put(tmp_path / "private", "data.csv")  # nothing in it is a release's
    assert ReleaseFolder.of(bare) == ReleaseFolder.in_one(bare, whole=False)
    got = put(tmp_path / "got", PUBLIC, "data.csv", f"private/{CERTIFICATE}")  # and a release of somebody's within
    assert ReleaseFolder.of(got) == ReleaseFolder.in_one(got, whole=False)
