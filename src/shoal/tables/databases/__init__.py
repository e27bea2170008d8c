"""The databases, by name."""

from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from shoal.foundation.errors import SpecError
from shoal.foundation.lazy_imports import offer
from shoal.foundation.shelf import Shelf
from shoal.tables.databases.address import Address, is_url
from shoal.tables.stores import is_store

if TYPE_CHECKING:  # imported when asked for; the members in the order of the shelf
    # isort: off
    from shoal.tables.databases.database import Database as Database
    from shoal.tables.databases.duckdb import Duckdb as Duckdb
    from shoal.tables.databases.postgresql import Postgresql as Postgresql
    from shoal.tables.databases.sqlite import Sqlite as Sqlite
else:
    __getattr__, __dir__ = offer(__name__, "DATABASES", "FILES", "database_of", "from_here", "url_of_file")

DATABASES: "Shelf[Database]" = Shelf("database", __name__, "Database")


FILES = {
    ".duckdb": "duckdb",
    ".sqlite": "sqlite",
    ".sqlite3": "sqlite",
}  # databases in files, by the ending of the name


def url_of_file(path: str | Path) -> str | None:
    """Return the URL of a file that is a database by its name, such as `patients.duckdb`; None of any other."""
    scheme = FILES.get(Path(path).suffix.lower())
    return None if scheme is None or is_url(str(path)) else f"{scheme}:///{quote(str(path))}"


def from_here(url: str) -> str:
    """Return a URL that means the same in every folder; the path of a file in it starts from where we are."""
    if is_store(url):
        return url
    database = database_of(Address.of(url))
    return url if database.file is None else f"{database.name}:///{quote(str(database.file.absolute()))}"


def database_of(address: Address, folder: Path = Path()) -> "Database":
    """Return the database that a URL stands for."""
    for member in DATABASES:
        if address.scheme in member.schemes:
            return member(address, folder)
    known = ", ".join(f"{scheme}://" for member in DATABASES for scheme in member.schemes)
    raise SpecError(f"Unknown kind of database '{address.scheme}://'. Known are: {known}.")
