"""Pseudonyms: what leaves in the place of an identifier, made with a key, so that nobody without it can try all values.

A pseudonym is the first half of HMAC-SHA-256 of the value, in hexadecimal digits, with a `p` before them, so that no
program takes it for a number. What is hashed begins with the name that the column is linked by: the same value has
other pseudonyms under other names.
"""

import hmac
import secrets
from dataclasses import dataclass, replace
from pathlib import Path

from shoal.foundation.errors import SpecError
from shoal.jobs.job import Job
from shoal.jobs.keys.secret_files import read_secret, write_secret
from shoal.tables.table import Role, Table, check_whole

_WHAT = "key of pseudonyms"
_HEAD = b"shoal pseudonym key 1: "
_CONTEXT = b"shoal pseudonym 1"
_KEY = 32  # bytes, as many as SHA-256 has
_SHOWN = 16  # bytes of a pseudonym: among a billion of them two are alike with a chance below 1 in 10^20


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class PseudonymKey:
    """A key of pseudonyms. It is shown and written by nothing but `new_pseudonym_key`."""

    secret: bytes

    @classmethod
    def drawn(cls) -> "PseudonymKey":
        """Draw a key from the operating system; nobody keeps it."""
        return cls(secrets.token_bytes(_KEY))

    @classmethod
    def read(cls, path: Path) -> "PseudonymKey":
        """Read the file of a key, which only its owner may read and which is in no release."""
        text = read_secret(path, _WHAT)
        try:
            secret = bytes.fromhex(text.removeprefix(_HEAD).decode("ascii"))
        except ValueError:
            secret = b""
        if not text.startswith(_HEAD) or len(secret) != _KEY:
            raise SpecError(f"'{path}' is not a {_WHAT}: 'shoal pseudonym --new-key' makes one.")
        return cls(secret)

    def pseudonym(self, linked: str, value: str) -> str:
        """Return the pseudonym of a value, as it is written, under the name that its column is linked by."""
        name = linked.encode()
        said = b"".join([_CONTEXT, len(name).to_bytes(8, "big"), name, value.encode()])
        return f"p{hmac.digest(self.secret, said, 'sha256')[:_SHOWN].hex()}"


def new_pseudonym_key(path: Path) -> None:
    """Make the file of a key that only the user may read; it replaces nothing."""
    write_secret(path, _HEAD + PseudonymKey.drawn().secret.hex().encode() + b"\n", _WHAT)


def key_of(job: Job) -> PseudonymKey:
    """Return the key of a job: that of its file, or else one that is drawn for this release alone."""
    path = job.key_file
    return PseudonymKey.drawn() if path is None or not job.pseudonyms else PseudonymKey.read(path)


def pseudonymized(table: Table, job: Job, key: PseudonymKey | None) -> Table:
    """Return a table in which identifiers that are to leave are pseudonyms; it also tells those of its persons.

    Whose record is whose stays known by the raw values, as the search needs it; they become pseudonyms as they leave.

    Args:
        table: The table.
        job: The request.
        key: The key; None draws one.
    """
    if not job.pseudonyms:
        return table
    key = key or PseudonymKey.drawn()
    columns, pseudonyms = dict(table.columns), {}
    for name, linked in job.pseudonyms.items():
        column = table.columns[name]
        check_whole(column, name, table.counts)
        texts = [key.pseudonym(linked, value) for value in column.values]
        if table.roles[name] is Role.IDENTIFIER:
            columns[name] = column.renamed(texts)
            texts = columns[name].values
        pseudonyms[name] = texts
    return replace(table, columns=columns, pseudonyms=pseudonyms)
