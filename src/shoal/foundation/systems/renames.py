"""Renames that replace nothing, or change two paths at once, and what makes sure that files are on the disk."""

import os
from errno import EINVAL, ENOSYS, ENOTSUP
from pathlib import Path

_NO_REPLACE, _EXCHANGE = 1, 2  # flags of renameat2 on Linux
_DARWIN = {_NO_REPLACE: 4, _EXCHANGE: 2}  # the same for renamex_np on macOS
_WINDOWS = os.name == "nt"
_HERE = -100  # paths that are not absolute start from the current folder
_UNKNOWN = (ENOSYS, EINVAL, ENOTSUP)  # the system, or the file system, has no such rename, or nothing to wait for


def move(source: Path, target: Path) -> None:
    """Give a file or folder a path at which nothing stands.

    Raises:
        FileExistsError: Something stands there; it is left as it is.
    """
    if _renamed(source, target, _NO_REPLACE):
        return
    if not source.is_dir():
        os.link(source, target)
        source.unlink()
        return
    target.mkdir()  # a rename replaces an empty folder, and nothing else
    try:
        source.rename(target)
    except BaseException:
        target.rmdir()
        raise


def exchange(one: Path, other: Path) -> bool:
    """Let two files or folders change paths at once; return False if that cannot be done here."""
    return _renamed(one, other, _EXCHANGE)


def sync(path: Path) -> None:
    """Wait until a file, or a folder with all in it, is on the disk."""
    for folder, _, names in os.walk(path, topdown=False):
        for name in names:
            _sync(Path(folder) / name)
        _sync(Path(folder))
    if not path.is_dir():
        _sync(path)


def sync_entry(path: Path) -> None:
    """Wait until the folder of a path has the entry of it on the disk; who may not read the folder cannot wait."""
    if os.access(path.parent, os.R_OK):
        _sync(path.parent)


def _sync(path: Path) -> None:
    if _WINDOWS and path.is_dir():  # there a folder cannot be opened
        return
    handle = os.open(path, os.O_RDWR if _WINDOWS else os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in _UNKNOWN:
            raise
    finally:
        os.close(handle)


def _renamed(source: Path, target: Path, flag: int) -> bool:
    """Rename with a flag; return False where there is no such rename."""
    if _WINDOWS:
        return False
    import ctypes

    library = ctypes.CDLL(None, use_errno=True)
    one, other = os.fsencode(source), os.fsencode(target)
    if hasattr(library, "renameat2"):
        failed = library.renameat2(_HERE, one, _HERE, other, flag)
    elif hasattr(library, "renamex_np"):
        failed = library.renamex_np(one, other, _DARWIN[flag])
    else:
        return False
    number = ctypes.get_errno()
    if failed and number not in _UNKNOWN:
        raise OSError(number, os.strerror(number), str(target))
    return not failed
