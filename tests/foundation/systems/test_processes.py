"""Processes: who runs is told; a group ends with its leader; and a system without these is not asked."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from shoal.foundation.systems import processes, renames
from shoal.search.engines import spill_folder

GROUP = """
import subprocess, sys
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
print(child.pid, flush=True)
{rest}
"""


def test_who_runs_is_told() -> None:
    assert processes.runs(os.getpid())
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    assert not processes.runs(ended.pid)
    assert processes.user() == os.getuid()


def gone(process: int) -> bool:
    """Tell whether a process has ended, though nobody may have taken note of it yet."""
    try:
        state = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return True
    return state == "Z"


@pytest.mark.parametrize("by_itself", [False, True])
def test_a_group_ends_with_its_leader(by_itself: bool) -> None:
    rest = "from shoal.foundation.systems.processes import end_own_group; end_own_group()"
    code = GROUP.format(rest=rest if by_itself else "sys.stdin.read()")
    command = [sys.executable, "-c", code]
    with subprocess.Popen(command, stdin=-1, stdout=-1, text=True, start_new_session=True) as leader:
        assert leader.stdout is not None
        child = int(leader.stdout.readline())
        if not by_itself:
            processes.end(leader.pid, processes.FORCE)
        assert leader.wait(20) == -processes.FORCE
    for _ in range(200):
        if gone(child):
            break
        subprocess.run(["sleep", "0.05"], check=True)  # noqa: S607
    assert gone(child)


def test_a_system_without_users_and_groups_is_not_asked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("getuid", "getpgrp", "killpg"):
        monkeypatch.delattr(os, name)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    left = tmp_path / "shoal-spill-999999999-x"
    left.mkdir()
    with spill_folder.spill_folder():  # nobody knows whose the other one is
        assert left.is_dir()
    assert processes.user() is None
    processes.end_own_group()
    sleeping = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    processes.end(sleeping.pid, processes.FORCE)
    assert sleeping.wait(20) == -processes.FORCE


def test_files_appear_whole_where_there_is_no_such_rename(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(renames, "_WINDOWS", True)
    monkeypatch.setattr("ctypes.CDLL", None)  # nothing of the kind may be loaded
    source, other = tmp_path / "draft", tmp_path / "other"
    source.mkdir()
    (source / "data.csv").write_text("a\n1\n", encoding="utf-8")
    renames.sync(source)
    renames.move(source, tmp_path / "release")
    assert (tmp_path / "release/data.csv").is_file()
    other.write_text("x", encoding="utf-8")
    with pytest.raises(FileExistsError):
        renames.move(other, tmp_path / "release/data.csv")
    assert not renames.exchange(other, tmp_path / "release")
    renames.sync_entry(other)
