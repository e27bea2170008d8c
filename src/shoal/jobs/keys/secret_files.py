"""Secret files: keys that only their owner may read, and that are in no release."""

import os
import stat
from pathlib import Path

from shoal.foundation.atomic_write import check_file, write_file
from shoal.foundation.errors import SpecError
from shoal.jobs.release_folder import holds_certificate

_LONGEST = 10_000  # bytes of a key
_INSIDE = ("manifest.json", "manifest-public.json")  # a folder with one of them is a release too


def write_secret(path: Path, content: bytes, what: str) -> None:
    """Write a new file that nobody else may read at any moment.

    Args:
        path: The file, not in a release.
        content: Its bytes.
        what: What it is, for messages.
    """
    check_outside(path, what)
    check_file(path)
    write_file(path, lambda draft: _write_own(draft, content))


def read_secret(path: Path, what: str) -> bytes:
    """Read a file that nobody else may read and that is in no release; a SpecError tells what is at fault."""
    content = read_key_file(path)
    check_outside(path, what)
    mode = stat.S_IMODE(path.stat().st_mode)
    if os.name == "posix" and mode & 0o077:
        raise SpecError(f"The {what} '{path}' can be read by others: its mode is {mode:o}. Make it 600.")
    return content


def read_key_file(path: Path) -> bytes:
    """Read the first bytes of a file, of which a key has no more."""
    if not path.is_file():
        raise SpecError(f"There is no key at '{path}'.")
    try:
        with path.open("rb") as file:
            return file.read(_LONGEST)
    except OSError:
        raise SpecError(f"'{path}' cannot be read.") from None


def check_outside(path: Path, what: str) -> None:
    """Raise a SpecError if a file is in the folder of a release, or below it."""
    for folder in path.absolute().resolve().parents:
        if any((folder / name).exists() for name in _INSIDE) or holds_certificate(folder):
            raise SpecError(f"The {what} '{path}' is in the folder of a release, '{folder}': keep it elsewhere.")


def _write_own(path: Path, content: bytes) -> None:
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(content)
