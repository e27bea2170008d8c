"""Given: what Python users hand over, read as what it should be, or a SpecError that says what is needed."""

import os
from pathlib import Path
from typing import Any

from shoal.foundation.errors import SpecError


def path_of(given: Any, what: str) -> Path:
    """Read a path, or raise a SpecError.

    Args:
        given: A text or a path.
        what: What the path is of, for the message: `the job file`.
    """
    if not isinstance(given, str | os.PathLike):
        raise SpecError(f"The path of {what} is a text or a Path, not {kind_of(given)}.")
    path = os.fspath(given)
    if not isinstance(path, str) or "\0" in path:
        raise SpecError(f"The path of {what} cannot be used: it is a text without signs that no file name has.")
    return Path(path)


def kind_of(given: Any) -> str:
    """Name the type of what was given; its value may be data."""
    return "None" if given is None else f"of the type {type(given).__name__}"
