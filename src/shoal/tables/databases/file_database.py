"""Databases in a file: where it is, and that a new file stays only if something was committed."""

import os
from abc import abstractmethod
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import ClassVar
from urllib.parse import quote, unquote, urlsplit

from shoal.foundation.errors import SpecError
from shoal.tables.databases.database import Database, Session
from shoal.tables.formats.format import check_readable


class FileSession(Session):
    """A connection to a database in a file."""

    committed: bool = False
    """Whether anything was committed."""


class FileDatabase(Database):
    """A database in a file: `name:///file` is a relative path, `name:////folder/file` an absolute one."""

    ending: ClassVar[str]
    """How such files are named, for messages."""
    companions: ClassVar[tuple[str, ...]] = ()
    """What is added to the name of the file for those that the database keeps beside it."""

    @property
    def file(self) -> Path:
        """The file."""
        parts = urlsplit(self.address.url)
        if parts.netloc or len(parts.path) < 2:
            shown = f"{self.name}:///file.{self.ending}, or {self.name}:////folder/file.{self.ending}"
            raise SpecError(f"A database of the kind '{self.name}' is written as {shown}.")
        return self.folder / unquote(parts.path[1:])

    def moved(self, folder: Path) -> str:
        """Return the URL with the path relative to a folder."""
        path = Path(os.path.relpath(self.file.resolve(), folder.resolve()))
        return f"{self.name}:///{quote(path.as_posix())}"

    @contextmanager
    def session(self, *, writes: bool = False) -> Iterator[Session]:
        """Open the file; a new file is deleted again if nothing was committed."""
        path = self.file
        made = writes and not path.exists()
        if not made:
            check_readable(path)
        elif not path.parent.is_dir():
            raise SpecError(f"Cannot write '{path}': there is no folder '{path.parent}'.")
        session: FileSession | None = None
        try:
            with self.connected(path, writes=writes) as session:
                yield session
        finally:
            if made and (session is None or not session.committed):
                for ending in ("", *self.companions):
                    path.with_name(f"{path.name}{ending}").unlink(missing_ok=True)

    @abstractmethod
    def connected(self, path: Path, *, writes: bool) -> AbstractContextManager[FileSession]:
        """Open a file that is there, or may be made."""
