"""The private folder of a run is this user's alone, and gone when the run ends, however it ends."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from shoal.web import workspaces
from shoal.web.workspaces import PREFIX, Workspace

KILLED = """
import os, sys
from pathlib import Path
from shoal.web.workspaces import Workspace
made = Workspace.make(Path(sys.argv[1]))
(made.uploads / "table.csv").write_text("secret")
print(made.folder, flush=True)
os.kill(os.getpid(), 9)
"""


def _mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def test_the_folder_is_private_whatever_the_umask_is(root: Path) -> None:
    before = os.umask(0)
    try:
        made = Workspace.make(root)
        assert {_mode(one) for one in (made.folder, made.uploads, made.cache)} == {0o700}
        assert _mode(made.lock) == 0o600
        assert made.folder.parent == root
    finally:
        os.umask(before)
    made.close()
    assert list(root.iterdir()) == []
    assert not made.lock.exists()


def test_what_a_killed_run_has_left_is_private_and_gone_at_the_next_start(root: Path, tmp_path: Path) -> None:
    ran = subprocess.run([sys.executable, "-c", KILLED, root], capture_output=True, text=True, check=False)
    left = Path(ran.stdout.strip())
    assert ran.returncode == -9
    assert (left / "uploads" / "table.csv").is_file()
    assert _mode(left) == 0o700
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    made = Workspace.make(elsewhere)
    assert not left.exists()
    made.close()


def test_what_a_living_run_has_stays(root: Path) -> None:
    first = Workspace.make(root)
    second = Workspace.make(root)
    assert first.folder.is_dir()
    assert first.folder != second.folder
    second.close()
    first.close()


def test_a_lock_cannot_lead_to_another_folder(root: Path) -> None:
    """Whatever stands in a lock, only a folder of its own name is taken away, and no link is followed."""
    made = Workspace.make(root)
    locks = made.lock.parent
    made.close()
    precious = root / "precious"
    precious.mkdir()
    linked = root / f"{PREFIX}linked"
    linked.symlink_to(precious)
    (locks / f"{PREFIX}other.lock").write_text(json.dumps(str(precious)))
    (locks / f"{PREFIX}linked.lock").write_text(json.dumps(str(linked)))
    (locks / f"{PREFIX}empty.lock").write_text("")
    (locks / f"{PREFIX}torn.lock").write_text("{")
    Workspace.make(root).close()
    assert precious.is_dir()
    assert linked.is_symlink()


def test_a_folder_of_locks_that_is_a_link_or_anothers_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "caches" / "shoal").mkdir(parents=True)
    (tmp_path / "other").mkdir()
    (tmp_path / "caches" / "shoal" / "ui").symlink_to(tmp_path / "other")
    monkeypatch.setattr(workspaces, "gettempdir", lambda: str(tmp_path))
    made = Workspace.make(tmp_path)
    assert made.lock.parent == tmp_path / f"shoal-ui-{os.getuid()}"
    made.close()
    monkeypatch.setattr(workspaces, "_user", lambda: os.getuid() + 1)
    with pytest.raises(PermissionError):
        Workspace.make(tmp_path)


def test_a_kept_project_has_its_upload_and_not_the_copies(root: Path) -> None:
    made = Workspace.make(root)
    (made.uploads / "table.csv").write_text("x")
    (made.cache / "rows.arrow").write_text("x")
    after = made.moved(root / "kept")
    assert sorted(path.name for path in (root / "kept").iterdir()) == ["uploads"]
    assert (after.cache / "rows.arrow").is_file()
    after.close()
    assert sorted(path.name for path in root.iterdir()) == ["kept"]
