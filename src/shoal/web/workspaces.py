"""Workspace: the private folder of a run of the app, which is gone when the run ends, however it ends."""

import json
import os
import shutil
import stat
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex
from tempfile import gettempdir

PREFIX = ".shoal-"
UPLOADS = "uploads"
CACHE = "cache"


@dataclass(eq=False)
class Workspace:
    """A folder of mode 700 and the lock that says that its run is alive.

    It lies in the folder that the app was started in, if that can be written to, so that a project which is kept
    changes its name and not its depth: all paths in it stay right. The lock lies in a folder of the user, and holds the
    path, so that the next start, wherever that is, takes away what a killed run has left.

    Args:
        folder: The folder.
        lock: The file of its lock.
        handle: The open file of the lock.
    """

    folder: Path
    lock: Path
    handle: int

    @classmethod
    def make(cls, root: Path) -> "Workspace":
        """Clear what killed runs have left, and make a folder for this one."""
        locks = _locks()
        clear_left(locks)
        place = root if os.access(root, os.W_OK | os.X_OK) else Path(gettempdir())
        name = PREFIX + token_hex(8)
        lock = locks / f"{name}.lock"
        draft = lock.with_suffix(".new")  # nobody looks at it before it is held and says all
        handle = os.open(draft, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        _hold(handle)
        folder = (place / name).absolute()
        os.write(handle, json.dumps(str(folder)).encode())
        draft.rename(lock)
        folder.mkdir(mode=0o700)
        return cls(folder, lock, handle)

    @property
    def uploads(self) -> Path:
        """Where uploaded files are."""
        return self._made(UPLOADS)

    @property
    def cache(self) -> Path:
        """Where copies are that can be made again."""
        return self._made(CACHE)

    def _made(self, name: str) -> Path:
        folder = self.folder / name
        folder.mkdir(mode=0o700, exist_ok=True)
        return folder

    def moved(self, target: Path) -> "Workspace":
        """Give the folder a name of its own, to be kept; go on with a new private one, which gets the copies."""
        after = Workspace.make(self.folder.parent)
        if (self.folder / CACHE).is_dir():
            (self.folder / CACHE).rename(after.folder / CACHE)
        self.folder.rename(target)
        self.close()
        return after

    def close(self) -> None:
        """Take the folder away, and its lock."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.lock.unlink(missing_ok=True)
        with suppress(OSError):
            os.close(self.handle)


def clear_left(locks: Path) -> None:
    """Take away the folders of runs that were killed: nobody holds their locks."""
    for lock in locks.glob(f"{PREFIX}*.lock"):
        with suppress(OSError, ValueError):
            handle = os.open(lock, os.O_RDWR | os.O_CLOEXEC)
            try:
                _hold(handle)
                folder = Path(json.loads(os.read(handle, 65536) or b'""'))
                if folder.name == lock.stem and not folder.is_symlink():
                    shutil.rmtree(folder, ignore_errors=True)
                lock.unlink()
            finally:
                os.close(handle)


def _hold(handle: int) -> None:
    """Take a lock, or raise an OSError if a living run holds it."""
    try:
        import fcntl
    except ImportError:  # not on Windows, where an open file cannot be deleted
        return
    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _locks() -> Path:
    """Return the folder of the locks: that of the user's caches, or a private one where temporary files are."""
    home = os.environ.get("XDG_CACHE_HOME") or (str(Path.home() / ".cache") if os.environ.get("HOME") else "")
    wanted = [Path(home) / "shoal" / "ui"] if home else []
    for folder in (*wanted, Path(gettempdir()) / f"shoal-ui-{_user()}"):
        with suppress(OSError):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if _own(folder) and os.access(folder, os.W_OK):
                return folder
    raise PermissionError("No folder can be written to in which the app could keep its locks.")


def _user() -> int:
    return os.getuid() if hasattr(os, "getuid") else 0


def _own(folder: Path) -> bool:
    """Tell whether a folder is no link, and this user's: anybody may make one of that name where all may write."""
    found = folder.lstat()
    return stat.S_ISDIR(found.st_mode) and found.st_uid == _user()
