"""Locks: only one run at a time writes to a path."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from shoal.foundation.errors import SpecError


@contextmanager
def locked(target: Path) -> Iterator[bool]:
    """Hold the lock of a path, a file beside it that goes with the lock. The system frees it if a run is killed.

    Yields:
        Whether nobody else writes there. Where the system or the file system has no locks, nobody knows.

    Raises:
        SpecError: Another run holds it.
    """
    try:
        import fcntl
    except ImportError:  # not on Windows
        yield False
        return
    path = target.with_name(f".{target.name}.lock")
    while True:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise SpecError(f"Another run is writing '{target}'. Wait for it, or choose another place.") from None
            except OSError:
                path.unlink(missing_ok=True)
                yield False
                return
            if not _same(handle, path):  # whoever held it has taken the file away meanwhile
                continue
            try:
                yield True
            finally:
                _take_away(path)
            return
        finally:
            os.close(handle)


def _take_away(path: Path) -> None:
    """Delete the file of a lock; one that cannot be deleted is in nobody's way, since the lock itself is freed."""
    try:
        path.unlink(missing_ok=True)
    except KeyboardInterrupt:
        path.unlink(missing_ok=True)
        raise
    except OSError:
        with suppress(OSError):
            path.unlink(missing_ok=True)


def _same(handle: int, path: Path) -> bool:
    """Return whether an open file is the one that stands at a path."""
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except FileNotFoundError:
        return False
