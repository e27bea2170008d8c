"""Address: the URL of a database, and its password, which is kept apart and never shown."""

import re
from dataclasses import dataclass, field, replace
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

from shoal.foundation.errors import SpecError

_SECRET = re.compile("password|passwd|secret|token", re.IGNORECASE)  # keys of a URL's query whose values are secrets
_FILES = ("sqlite", "duckdb")  # whose URLs are paths, with any signs in them
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")


@dataclass(frozen=True, slots=True)
class Address:
    """The URL of a database, without its secrets.

    Args:
        url: The URL, without a password.
        password: The password, if one was given; else the driver finds one by its own means.
        options: Secrets from the query of the URL.
    """

    url: str
    password: str | None = field(default=None, repr=False)
    options: tuple[tuple[str, str], ...] = field(default=(), repr=False)

    @classmethod
    def of(cls, url: str) -> "Address":
        """Take the secrets out of a URL; a SpecError does not show the URL, since it may contain one."""
        try:
            parts = urlsplit(url)
            _ = parts.port  # raises if it is not a number
            torn = parts.scheme not in _FILES and bool(parts.fragment or "@" in f"{parts.path}{parts.query}")
        except ValueError:
            torn = True
        if torn:
            raise SpecError(
                "The URL of the database cannot be read. Write scheme://user@host:port/database, and characters such "
                "as / # @ : ? in a name or password as %2F %23 %40 %3A %3F. It is not shown here, since it may hold a "
                "password."
            )
        query = parse_qsl(parts.query, keep_blank_values=True)
        user, at, host = parts.netloc.rpartition("@")
        name, colon, password = user.partition(":")
        shown = [pair for pair in query if not _SECRET.search(pair[0])]
        secrets = tuple(pair for pair in query if _SECRET.search(pair[0]))
        url = _joined(parts.scheme, f"{name}{at}{host}", parts.path, shown)
        return cls(url, unquote(password) if colon else None, secrets)

    @property
    def scheme(self) -> str:
        """The scheme of the URL, which tells the kind of database."""
        return self.url.partition("://")[0].lower()

    @property
    def whole(self) -> str:
        """The URL with the password, for the driver alone."""
        parts = urlsplit(self.url)
        user, at, host = parts.netloc.rpartition("@")
        if self.password is not None:
            user, at = f"{user}:{quote(self.password, safe='')}", "@"
        query = [*parse_qsl(parts.query, keep_blank_values=True), *self.options]
        return _joined(parts.scheme, f"{user}{at}{host}", parts.path, query)

    def asked(self, key: str) -> str | None:
        """Return the value of a key in the query of the URL."""
        return dict(parse_qsl(urlsplit(self.url).query, keep_blank_values=True)).get(key)

    def asking(self, key: str, value: str) -> "Address":
        """Return the same address with one more key in its query."""
        return replace(self, url=f"{self.url}{'&' if urlsplit(self.url).query else '?'}{key}={quote(value)}")

    def hidden(self, message: str) -> str:
        """Return a message with all secrets removed."""
        for secret in filter(None, (self.password, *(value for _, value in self.options))):
            message = message.replace(secret, "***").replace(quote(secret, safe=""), "***")
        return message


def _joined(scheme: str, host: str, path: str, query: list[tuple[str, str]]) -> str:
    """Return the URL of some parts, with two slashes even if it has no host."""
    asked = urlencode(query, quote_via=quote, safe="/")
    return f"{scheme}://{host}{path}" + (f"?{asked}" if asked else "")


def is_url(text: str) -> bool:
    """Tell a URL from a path."""
    return _URL.match(text) is not None


def table_parts(table: str) -> list[str]:
    """Split `schema.table`; a part in double quotes may contain dots, and a doubled quote is one quote.

    Raises:
        SpecError: A part is empty, a quote is not closed, or there is a zero byte.
    """
    found = re.fullmatch(r'(?:"((?:[^"]|"")+)"|([^".]+))(?:\.(?:"((?:[^"]|"")+)"|([^".]+)))?', table, re.DOTALL)
    if found is None or "\0" in table:
        raise SpecError('The name of a table is written as: table, schema.table, or "any name" in double quotes.')
    first, second = found[1], found[3]
    parts = [first.replace('""', '"') if first else found[2], second.replace('""', '"') if second else found[4]]
    return [part for part in parts if part]


def sibling_table(table: str, ending: str) -> str:
    """Return the name of a table in the same schema, with an ending appended to its name."""
    *schema, name = table_parts(table)
    return ".".join(map(table_name, (*schema, f"{name}{ending}")))


def table_name(name: str) -> str:
    """Return a name as it is written for `table_parts`: in double quotes only where it needs them."""
    return quoted(name) if re.search(r'[".]', name) else name


def quoted(name: str) -> str:
    """Return a name quoted for SQL."""
    return '"' + name.replace('"', '""') + '"'


def quoted_text(text: str) -> str:
    """Return a text quoted for SQL."""
    return "'" + text.replace("'", "''") + "'"
