"""Spill folder: where an engine puts what does not fit into memory; private, and gone at the end."""

import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from shoal.foundation.systems.processes import runs, user

_PREFIX = "shoal-spill-"


@contextmanager
def spill_folder() -> Iterator[Path]:
    """Make a folder that only the user may look into; also delete those that killed runs left."""
    _clear_left()
    folder = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _clear_left() -> None:
    """Delete the folders of processes that are no more."""
    for path in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        told = re.fullmatch(rf"{_PREFIX}([0-9]+)-.*", path.name)
        with suppress(OSError):
            if told and path.stat().st_uid == user() and not runs(int(told[1])):
                shutil.rmtree(path, ignore_errors=True)
