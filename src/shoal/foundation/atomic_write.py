"""Atomic writes: a folder or a file is written whole or not at all, and replaces nothing unless that is allowed."""

import os
import re
import secrets
import shutil
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from time import sleep
from typing import TypeVar

from shoal.foundation.errors import SpecError
from shoal.foundation.systems import renames
from shoal.foundation.systems.locks import locked

T = TypeVar("T")

_TRIES = 20  # to delete a temporary file
_REMOTE = re.compile(r"(s3[an]?|gs|gcs|r2|az|azure|abfss?|wasbs?|hdfs|viewfs|https?):/", re.IGNORECASE)
_OWN = 0o600  # read and written by the user alone


def check_here(folder: Path, words: str) -> None:
    """Raise a SpecError if a path is the URL of an object store, which has no folders.

    Args:
        folder: The folder of a release.
        words: What is done with a release, and where.
    """
    if _REMOTE.match(str(folder)):
        url = str(folder).replace(":/", "://", 1)  # as it was given
        raise SpecError(f"'{url}' is in an object store: a release is {words}.")


def check_folder(folder: Path, kept: Iterable[Path], *, force: bool = False) -> None:
    """Raise a SpecError if `folder` may not be made, before any work is done for it.

    Args:
        folder: The folder to make.
        kept: Files that must not be deleted with a folder that is replaced.
        force: Whether an existing folder may be replaced; never one in which we are.
    """
    check_here(folder, "written to a file system, all or nothing. Write it into a folder, and copy that")
    target = folder.absolute()
    if _stands(target) and not force:
        raise SpecError(f"'{folder}' exists already. Choose another folder, or allow replacing it (--force).")
    if not target.parent.is_dir():
        raise SpecError(f"Cannot write '{folder}': there is no folder '{target.parent}'.")
    if not os.access(target.parent, os.W_OK | os.X_OK):
        raise SpecError(f"Cannot write '{folder}': the folder '{target.parent}' is not writable.")
    if _stands(target):
        inside = [path for path in (Path.cwd(), *kept) if path.resolve().is_relative_to(target.resolve())]
        if inside:
            raise SpecError(f"'{folder}' cannot be replaced: that would delete '{inside[0]}'. Choose another folder.")


def check_file(path: Path, kept: Iterable[Path] = (), *, force: bool = False) -> None:
    """Raise a SpecError if the file `path` may not be made, before any work is done for it.

    Args:
        path: The file to make.
        kept: Files that must not be replaced, whatever is allowed.
        force: Whether an existing file may be replaced; never a folder.
    """
    target = path.absolute()
    if target.is_dir():
        raise SpecError(f"Cannot write '{path}': it is a folder. Name a file in it.")
    if _stands(target) and not force:
        raise SpecError(f"'{path}' exists already. Choose another file, or allow replacing it (--force).")
    if not target.parent.is_dir():
        raise SpecError(f"Cannot write '{path}': there is no folder '{target.parent}'.")
    if not os.access(target.parent, os.W_OK | os.X_OK):
        raise SpecError(f"Cannot write '{path}': the folder '{target.parent}' is not writable.")
    if any(one.resolve() == target.resolve() for one in kept):
        raise SpecError(f"'{path}' cannot be replaced: it is the input table. Choose another file.")


def write_file(path: Path, write: Callable[[Path], object], *, force: bool = False, public: bool = False) -> None:
    """Make a file with what `write` puts into a temporary one beside it; whatever goes wrong leaves no trace.

    Args:
        path: The file.
        write: Writes the file that it is given the path of.
        force: Whether to replace what stands there.
        public: Whether others on this machine may read it, as far as the user lets them read files.
    """

    def make(temporary: Path, target: Path) -> None:
        write(temporary)
        if not public:
            temporary.chmod(_OWN)
        renames.sync(temporary)
        if force:
            os.replace(temporary, target)  # noqa: PTH105  (it takes the place of what stands there)
        else:
            renames.move(temporary, target)

    _made(path, make)


def write_folder(
    folder: Path, write: Callable[[Path], T], *, force: bool = False, public: Callable[[Path], bool] | None = None
) -> T:
    """Make a folder with what `write` puts into a temporary one beside it; whatever goes wrong leaves no trace.

    Args:
        folder: The folder.
        write: Fills the folder that it is given.
        force: Whether to replace what stands there.
        public: Tells by its path from the folder whether others on this machine may read a file; if None, they may
            read none.
    """

    def make(temporary: Path, target: Path) -> T:
        temporary.mkdir(mode=0o700)
        made = write(temporary)
        for path in files_in(temporary):
            if public is None or not public(path.relative_to(temporary)):
                path.chmod(_OWN)
        temporary.chmod(0o777 & ~_umask())
        renames.sync(temporary)
        if force:
            _put(temporary, target)
        else:
            renames.move(temporary, target)
        return made

    return _made(folder, make)


def _made(path: Path, make: Callable[[Path, Path], T]) -> T:
    """Call `make` with a temporary path and the final one; take the temporary away if that goes wrong.

    Only one run at a time makes what stands at a path. So what another one has left there, because it was killed, is
    taken away first. The interrupts are caught twice: polars passes one on while Python still has its own to raise.
    """
    target = path.absolute()
    temporary = target.with_name(f".{target.name}-{secrets.token_hex(4)}.draft")
    try:
        with locked(target) as alone:
            if alone and os.access(target.parent, os.R_OK):  # else what lies there cannot be listed
                _clear_left(target)
            made = make(temporary, target)
    except BaseException as error:
        try:
            _clear(temporary)
        except KeyboardInterrupt:
            _clear(temporary)
        if not isinstance(error, OSError):
            raise
        refusal = f"Cannot write '{path}': {_reason(error)}. Nothing was written."
    else:
        refusal = _unconfirmed(target, path)
    if refusal:
        raise SpecError(refusal)
    return made


def _unconfirmed(target: Path, path: Path) -> str:
    """Wait until the entry of what was written is on the disk; return a message if that cannot be known."""
    try:
        renames.sync_entry(target)
    except OSError as error:
        return f"'{path}' was written, but the system did not confirm that it is on the disk: {_reason(error)}."
    return ""


def files_in(folder: Path) -> Iterator[Path]:
    """Go through all files in a folder; one that cannot be listed is an error."""

    def raised(error: OSError) -> None:
        raise error

    for place, _, names in os.walk(folder, onerror=raised):
        yield from (Path(place) / name for name in names)


def _reason(error: OSError) -> str:
    if isinstance(error, FileExistsError):
        return "something has appeared there meanwhile, and was left as it is"
    return os.strerror(error.errno) if error.errno else "it cannot be made there, or the disk is full"


def _clear_left(target: Path) -> None:
    """Delete what a run that was killed has left beside its target."""
    left = re.compile(rf"\.{re.escape(target.name)}-[0-9a-f]{{8}}\.draft(-old)?")
    for path in target.parent.iterdir():
        if left.fullmatch(path.name):
            _clear(path)


def _put(temporary: Path, target: Path) -> None:
    """Move what is finished to its final path; what stood there goes only when the new one stands."""
    if not _stands(target):
        renames.move(temporary, target)
    elif renames.exchange(temporary, target):
        _clear(temporary)
    else:
        _put_in_turn(temporary, target)


def _put_in_turn(temporary: Path, target: Path) -> None:
    """Do the same by two renames, where both paths cannot change at once."""
    attic = temporary.with_name(f"{temporary.name}-old")
    try:
        os.replace(target, attic)  # noqa: PTH105  (a file may stand there as well)
        temporary.rename(target)
    except BaseException:
        try:
            _restore(attic, target)
        except KeyboardInterrupt:
            _restore(attic, target)
        raise
    _clear(attic)


def _restore(attic: Path, target: Path) -> None:
    """Put back what was put away, unless the new one stands already."""
    if _stands(target):
        _clear(attic)
    elif _stands(attic):
        os.replace(attic, target)  # noqa: PTH105


def _clear(path: Path) -> None:
    """Delete a folder or file, though interrupts come and a writer may be at its last bytes."""
    for _ in range(_TRIES):
        try:
            if path.is_symlink() or path.is_file():
                path.unlink(missing_ok=True)
            shutil.rmtree(path, ignore_errors=True)
            if not _stands(path):
                return
            sleep(0.05)
        except KeyboardInterrupt:
            continue


def _stands(path: Path) -> bool:
    return path.exists() or path.is_symlink()


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
