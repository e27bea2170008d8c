"""Pseudonyms of single values, for the steward who has the key: to find a person in a release, or to link two."""

from pathlib import Path

from shoal.foundation.given import checked
from shoal.jobs.keys.pseudonyms import PseudonymKey
from shoal.jobs.keys.pseudonyms import new_pseudonym_key as new_key


@checked
def pseudonym(value: str, key: str | Path, linked: str) -> str:
    """Return the pseudonym that releases with a key show in the place of a value.

    Args:
        value: The value, as the table has it, as text.
        key: The file of the key, which only the user may read.
        linked: The name that the column is linked by; its own name, if the job says no other.
    """
    return PseudonymKey.read(Path(key)).pseudonym(linked, value)


@checked
def new_pseudonym_key(path: str | Path) -> None:
    """Make the file of a key of pseudonyms, which only the user may read; an existing file is never replaced."""
    new_key(Path(path))
