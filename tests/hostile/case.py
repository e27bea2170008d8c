"""A case: a folder of files, a command that reads them, and how it may end."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

REFUSED = frozenset({2, 4})
"""How a command ends on what cannot be read."""
ANY = frozenset({0, 2, 3, 4})
"""How a command may end on a random change, which may do no harm, or ask for what does not exist."""


@dataclass(frozen=True)
class Repeated:
    """Bytes that are made when they are needed: some, many times."""

    unit: bytes
    times: int
    before: bytes = b""
    after: bytes = b""

    def __bytes__(self) -> bytes:
        return self.before + self.unit * self.times + self.after


Content = bytes | Repeated
Put = Callable[[Path], object]
"""Puts a file somewhere."""
CHECK = ["--quasi", "a"]


@dataclass(frozen=True)
class Case:
    """A hostile input.

    Args:
        kind: The kind of input, for the figures.
        name: What is wrong with it.
        make: Puts the files into a folder and returns the arguments of the command.
        codes: The exit codes that are right.
    """

    kind: str
    name: str
    make: Callable[[Path], list[str]]
    codes: frozenset[int] = REFUSED

    def __str__(self) -> str:
        return f"{self.kind}: {self.name}"


def table_case(kind: str, name: str, file: str, put: Put, *flags: str, codes: frozenset[int] = REFUSED) -> Case:
    """Return the case of a table that `check` reads."""

    def make(folder: Path) -> list[str]:
        put(folder / file)
        return ["check", str(folder / file), *CHECK, *flags]

    return Case(kind, name, make, codes)
