"""Budgets: how much is read of what comes from elsewhere, so that no file or database takes all time or memory.

Three limits are the user's: `limits` sets them in Python, and flags of the same names on the command line. The others
are far above what a table about persons needs, and fixed. `docs/limits.md` lists all of them.
"""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from math import isfinite
from pathlib import Path
from time import monotonic
from typing import Any

from shoal.foundation.errors import SpecError

MEGABYTE = 1 << 20

ROW_BYTES = 64 * MEGABYTE
"""The bytes of one record, or of one value of a database."""
COLUMNS = 20_000
"""The columns of a table."""
DIGITS = 1_000
"""The digits of a number, with those that its exponent stands for."""
KEY_PARTS = 100
"""The parts of a key of a job file, such as `columns.age.role`."""
CHARACTERS = 500_000_000
"""The characters of all labels that masking makes for a column."""
INFLATION = 100
"""How many times its size a packed file may have once it is unpacked, if that is more than `UNPACKED_BYTES`."""
UNPACKED_BYTES = 256 * MEGABYTE
"""What any packed file may have once it is unpacked."""
EMPTY_CELLS = 20
"""How many cells of a sheet may be empty for one that is not, if there are more than `CELLS`."""
CELLS = 4_000_000
"""The cells of a sheet up to which it may be as empty as it likes."""

_ALL = 1 << 60
_TABLE_BYTES = 64 * 1024 * MEGABYTE
_TEXT_BYTES = 128 * MEGABYTE
_JOB_SHARE = 32  # a job file is read by a slower reader, and is smaller
_ITEM_BYTES = 16  # an entry of a list needs fewer in a file, but more in memory


@dataclass(frozen=True, slots=True)
class Budget:
    """The limits that users may change.

    Args:
        max_records: The records of a table.
        max_bytes: The bytes of a file once it is unpacked, or of a table of a database. If not given, 64 GiB for a
            table, and 128 MiB for all else: certificates, rules, hierarchies, matrices.
        timeout: Seconds to wait for the records of a database.
    """

    max_records: int = 250_000_000
    max_bytes: int | None = None
    timeout: float = 3600.0

    def __post_init__(self) -> None:
        """Check that there is something left to read."""
        least = {"max_records": self.max_records, "max_bytes": self.max_bytes}
        wrong = [name for name, value in least.items() if value is not None and not _is_positive_integer(value)]
        if wrong:
            raise SpecError(f"{wrong[0]} is {getattr(self, wrong[0])!r}: a whole number of at least 1 is needed.")
        if isinstance(self.timeout, bool) or not isinstance(self.timeout, int | float):
            raise SpecError("timeout is not a number: seconds are needed.")
        if not (isfinite(self.timeout) and self.timeout > 0):
            raise SpecError(f"timeout is {self.timeout}: a number of seconds above 0 is needed.")

    @property
    def table_bytes(self) -> int:
        """The bytes of a table."""
        return _TABLE_BYTES if self.max_bytes is None else self.max_bytes

    @property
    def text_bytes(self) -> int:
        """The bytes of a certificate, of rules, of a file of a hierarchy or of distances."""
        return _TEXT_BYTES if self.max_bytes is None else self.max_bytes

    @property
    def job_bytes(self) -> int:
        """The bytes of a job file."""
        return min(self.text_bytes, max(self.text_bytes, _TEXT_BYTES) // _JOB_SHARE)

    def unpacked_bytes(self, packed: int) -> int:
        """The bytes that a packed file of so many may have once it is unpacked; all that users allow if they say so."""
        return max(INFLATION * packed, UNPACKED_BYTES) if self.max_bytes is None else self.max_bytes

    @property
    def items(self) -> int:
        """The entries of lists and tables in a JSON file, or the fields of a file of a hierarchy or of distances."""
        return max(self.text_bytes, _TEXT_BYTES) // _ITEM_BYTES

    def check_items(self, count: int, where: str) -> None:
        """Raise a SpecError if a text has more entries than may be read."""
        if count > self.items:
            raise SpecError(
                f"There are more than {self.items} entries in {where}. To read more, raise the limit (--max-bytes)."
            )

    def check_records(self, count: int, where: str) -> None:
        """Raise a SpecError if a table has more records than may be read; a count need not be the last."""
        if count > self.max_records:
            raise SpecError(
                f"There are more than {self.max_records} records in {where}. To read more, raise the limit "
                "(--max-records)."
            )

    def check_bytes(self, count: int, where: str, most: int | None = None) -> None:
        """Raise a SpecError if a file has more bytes than may be read.

        Args:
            count: Its bytes, as far as they are known.
            where: Its name.
            most: The limit; that of a table if not given.
        """
        limit = self.table_bytes if most is None else most
        if count > limit:
            raise SpecError(
                f"There are more than {limit} bytes in {where}. To read more, raise the limit (--max-bytes)."
            )


class Meter:
    """Counts what a database returns, and the time; a SpecError names the limit that it passes.

    Args:
        where: The table, for messages.
    """

    def __init__(self, where: str) -> None:
        self._where, self._held = where, budget()
        self._records = self._bytes = 0
        self._end = monotonic() + self._held.timeout

    def late(self) -> bool:
        """Tell whether the time is over."""
        return monotonic() > self._end

    def take(self, records: int, size: int) -> None:
        """Count some records."""
        self._records += records
        self._bytes += size
        self.check()

    def check(self) -> None:
        """Raise a SpecError if a limit is passed."""
        self._held.check_records(self._records, self._where)
        self._held.check_bytes(self._bytes, self._where)
        if self.late():
            raise SpecError(
                f"The database did not return all of {self._where} within {self._held.timeout:g} s. To wait longer, "
                "raise the limit (--timeout). Is it a view without an end?"
            )


def _is_positive_integer(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


_CURRENT: ContextVar[Budget] = ContextVar("budget", default=Budget())  # noqa: B039  (it is frozen)


def budget() -> Budget:
    """Return the limits that hold here; another thread starts with the usual ones."""
    return _CURRENT.get()


@contextmanager
def limits(
    *, max_records: int | None = None, max_bytes: int | None = None, timeout: float | None = None
) -> Iterator[Budget]:
    """Set limits on what is read within; those that are not given stay as they are.

    Args:
        max_records: The records of a table.
        max_bytes: The bytes of a file once it is unpacked, or of a table of a database.
        timeout: Seconds to wait for the records of a database.
    """
    given: dict[str, Any] = {"max_records": max_records, "max_bytes": max_bytes, "timeout": timeout}
    changed = replace(budget(), **{name: value for name, value in given.items() if value is not None})
    token = _CURRENT.set(changed)
    try:
        yield changed
    finally:
        _CURRENT.reset(token)


@contextmanager
def unlimited() -> Iterator[None]:
    """Set no limits of the user on what is read within: it was written here, and is as large as it is."""
    with limits(max_records=_ALL, max_bytes=_ALL):
        yield


def check_regular(path: Path) -> None:
    """Raise a SpecError for what can be opened but has no end, or no size: pipes, sockets, devices.

    A folder, or a path that leads nowhere, is left to the caller, who has better words for it.
    """
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):
        return
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise SpecError(f"'{path}' is a pipe, a socket or a device: a regular file is needed.")


def read_bytes(path: Path, most: int | None = None) -> bytes:
    """Return the content of a plain file.

    Args:
        path: The file.
        most: The bytes that may be read; those of a certificate if not given.

    Raises:
        OSError: It cannot be read.
        SpecError: It is no plain file, or too large.
    """
    check_regular(path)
    held = budget()
    limit = held.text_bytes if most is None else most
    try:
        handle = os.open(
            path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC
        )  # a pipe put there meanwhile is not waited for
    except ValueError as error:  # a zero byte in the name
        raise FileNotFoundError(str(error)) from None
    with open(handle, "rb") as stream:  # noqa: PTH123  (no path: it is open already)
        content = stream.read(min(limit, os.fstat(handle).st_size) + 1)
    held.check_bytes(len(content), f"'{path}'", limit)
    return content
