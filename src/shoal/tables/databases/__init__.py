"""The databases, by name."""

from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from shoal.foundation.errors import SpecError
from shoal.foundation.lazy_imports import offer
from shoal.foundation.shelf import Shelf
from shoal.tables.databases.address import Address

if TYPE_CHECKING:  # imported when asked for; the members in the order of the shelf
    # isort: off
    from shoal.tables.databases.database import Database as Database
    from shoal.tables.databases.postgresql import Postgresql as Postgresql
    from shoal.tables.databases.sqlite import Sqlite as Sqlite
else:
    __getattr__, __dir__ = offer(__name__, "DATABASES", "from_here", "database_of")

DATABASES: "Shelf[Database]" = Shelf("database", __name__, "Database")


def from_here(url: str) -> str:
    """Return a URL that means the same in every folder; the path of a file in it starts from where we are."""
    file = database_of(Address.of(url)).file
    return url if file is None else f"sqlite:///{quote(str(file.absolute()))}"


def database_of(address: Address, folder: Path = Path()) -> "Database":
    """Return the database that a URL stands for."""
    for member in DATABASES:
        if address.scheme in member.schemes:
            return member(address, folder)
    known = ", ".join(f"{scheme}://" for member in DATABASES for scheme in member.schemes)
    raise SpecError(f"Unknown kind of database '{address.scheme}://'. Known are: {known}.")
