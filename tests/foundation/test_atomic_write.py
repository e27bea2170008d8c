"""What is written is whole, on the disk, and replaces nothing unless that is allowed."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from shoal.foundation.atomic_write import write_file, write_folder
from shoal.foundation.errors import SpecError
from shoal.foundation.systems import locks, renames

HOLDING = """
import sys, time
from pathlib import Path
from shoal.foundation.atomic_write import write_folder

def write(draft):
    (draft / "half").write_text("half")
    print("writing", flush=True)
    time.sleep(60)

write_folder(Path(sys.argv[1]), write)
"""


@pytest.fixture(params=["at once", "in turn"], autouse=True)
def system(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Try everything on a system that has the renames that are needed, and on one that has not."""
    if request.param == "in turn":
        monkeypatch.setattr(renames, "_renamed", lambda *_: False)


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that is writing to `out`."""
    command = [sys.executable, "-c", HOLDING, str(tmp_path / "out")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "writing\n"
        yield other
        other.kill()


def fill(folder: Path) -> str:
    (folder / "deep").mkdir()
    (folder / "deep" / "a.txt").write_text("new", encoding="utf-8")
    return "made"


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_a_folder_is_made(tmp_path: Path) -> None:
    assert write_folder(tmp_path / "out", fill) == "made"
    assert (tmp_path / "out/deep/a.txt").read_text(encoding="utf-8") == "new"
    assert names(tmp_path) == {"out"}


@pytest.mark.parametrize("kind", ["full", "empty", "file", "link"])
def test_what_appears_meanwhile_is_never_replaced(tmp_path: Path, kind: str) -> None:
    target = tmp_path / "out"

    def write(draft: Path) -> None:
        draft.joinpath("a").write_text("new", encoding="utf-8")
        if kind in ("full", "empty"):
            target.mkdir()
        if kind == "full":
            (target / "a").write_text("theirs", encoding="utf-8")
        if kind == "file":
            target.write_text("theirs", encoding="utf-8")
        if kind == "link":
            target.symlink_to(tmp_path / "nowhere")

    with pytest.raises(SpecError, match=r"appeared there meanwhile, and was left as it is\. Nothing was written"):
        write_folder(target, write)
    assert names(tmp_path) == {"out"}
    assert kind != "full" or (target / "a").read_text(encoding="utf-8") == "theirs"
    assert kind != "file" or target.read_text(encoding="utf-8") == "theirs"
    assert kind != "link" or target.is_symlink()


def test_a_file_that_appears_meanwhile_is_never_replaced(tmp_path: Path) -> None:
    def write(draft: Path) -> None:
        draft.write_text("new", encoding="utf-8")
        (tmp_path / "out").write_text("theirs", encoding="utf-8")

    with pytest.raises(SpecError, match="appeared there meanwhile"):
        write_file(tmp_path / "out", write)
    assert (tmp_path / "out").read_text(encoding="utf-8") == "theirs"
    assert names(tmp_path) == {"out"}


@pytest.mark.parametrize("kind", ["nothing", "folder", "file"])
def test_what_stands_there_is_replaced_if_that_is_allowed(tmp_path: Path, kind: str) -> None:
    if kind == "folder":
        (tmp_path / "out").mkdir()
        (tmp_path / "out/old").touch()
    if kind == "file":
        (tmp_path / "out").touch()
    write_folder(tmp_path / "out", fill, force=True)
    assert names(tmp_path / "out") == {"deep"}
    assert names(tmp_path) == {"out"}


def test_a_file_is_made_and_replaced(tmp_path: Path) -> None:
    for text, force in (("new", False), ("newer", True)):
        write_file(tmp_path / "out", lambda draft, text=text: draft.write_text(text, encoding="utf-8"), force=force)  # type: ignore[misc]
        assert (tmp_path / "out").read_text(encoding="utf-8") == text
    assert names(tmp_path) == {"out"}


def test_all_is_on_the_disk_before_it_has_its_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[tuple[Path, bool]] = []
    wait = os.fsync

    def watched(handle: int) -> None:
        synced.append((Path(f"/proc/self/fd/{handle}").readlink(), (tmp_path / "out").exists()))
        wait(handle)

    monkeypatch.setattr(os, "fsync", watched)
    write_folder(tmp_path / "out", fill)
    *first, last = synced
    assert [(path.name, stands) for path, stands in first[:2]] == [("a.txt", False), ("deep", False)]
    assert [(path.parent, stands) for path, stands in first[2:]] == [(tmp_path, False)]
    assert last == (tmp_path, True)


def test_a_folder_that_may_not_be_read_can_be_written_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: not mode & os.R_OK)
    monkeypatch.setattr(Path, "iterdir", lambda path: pytest.fail("it is listed"))
    write_file(tmp_path / "out", lambda draft: draft.write_text("new", encoding="utf-8"))
    assert (tmp_path / "out").read_text(encoding="utf-8") == "new"


def test_two_runs_do_not_write_to_one_place(tmp_path: Path, writer: subprocess.Popen[str]) -> None:
    for force in (False, True):
        with pytest.raises(SpecError, match="Another run is writing"):
            write_folder(tmp_path / "out", fill, force=force)
    assert not (tmp_path / "out").exists()
    write_folder(tmp_path / "other", fill)
    assert writer.poll() is None


def test_what_a_killed_run_left_is_taken_away_by_the_next(tmp_path: Path, writer: subprocess.Popen[str]) -> None:
    writer.send_signal(signal.SIGKILL)
    writer.wait()
    assert len(names(tmp_path)) == 2  # its draft and its lock
    for kept in (".out-12345678", ".out-1234567.draft", ".other-12345678.draft"):
        (tmp_path / kept).touch()
    write_folder(tmp_path / "out", fill)
    assert names(tmp_path) == {"out", ".out-12345678", ".out-1234567.draft", ".other-12345678.draft"}


def test_without_locks_nothing_of_others_is_taken_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import fcntl

    def none(*_: object) -> None:
        raise OSError("no locks here")

    monkeypatch.setattr(fcntl, "flock", none)
    (tmp_path / ".out-12345678.draft").mkdir()
    write_folder(tmp_path / "out", fill)
    assert names(tmp_path) == {"out", ".out-12345678.draft"}


def test_a_lock_whose_file_was_taken_away_is_taken_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tries = iter([False, True])
    monkeypatch.setattr(locks, "_same", lambda *_: next(tries))
    with locks.locked(tmp_path / "out") as alone:
        assert alone
    assert next(tries, None) is None
    assert names(tmp_path) == set()
