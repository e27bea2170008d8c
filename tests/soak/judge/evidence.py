"""What the judge goes by: the case that was asked for, and the files that came of it."""

import csv
import io
import json
import re
from collections import Counter
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

Row = tuple[str, ...]
"""The texts of a record; a missing value is an empty one."""


@dataclass(frozen=True)
class Case:
    """A raw table, the job that was asked for, and what no file and no message may hold.

    Args:
        header: The names of the raw columns.
        rows: The raw records.
        job: What a job file says, as a dictionary.
        files: The files that the job names, by name.
        canaries: Texts of identifier columns.
        marks: Texts of values that are told apart from all other words.
        delimiter: What separates the fields of the raw table.
    """

    header: Row
    rows: list[Row]
    job: dict[str, Any]
    files: dict[str, str] = field(default_factory=dict)
    canaries: tuple[str, ...] = ()
    marks: tuple[str, ...] = ()
    delimiter: str = ","

    def names(self, *roles: str) -> list[str]:
        """Return the columns of these roles, in the order of the table."""
        return [name for name in self.header if self.job["columns"][name]["role"] in roles]

    @property
    def quasi(self) -> list[str]:
        return self.names("quasi")

    @property
    def sensitive(self) -> list[str]:
        return self.names("sensitive")

    @property
    def entity(self) -> str | None:
        return next(iter(self.names("entity")), None)

    @property
    def missing(self) -> str:
        return str(self.job.get("input", {}).get("missing", "category"))

    @property
    def promises(self) -> list[dict[str, Any]]:
        return list(self.job["require"])

    @property
    def members(self) -> int:
        """The most records of one household."""
        homes = [self.header.index(name) for name in self.names("household")]
        return max(Counter(row[home] for home in homes for row in self.rows).values(), default=1)

    def asked(self, promise: dict[str, Any]) -> dict[str, Any]:
        """Return a promise with what is counted: persons if a column tells them, or households by their size."""
        by_records = "members" in promise or promise.get("per") == "record"
        if self.entity is not None and not by_records and ("column" in promise or promise["model"] == "k-anonymity"):
            return {**promise, "entity": self.entity}
        if self.names("household") and promise["model"] == "k-anonymity":
            return {"members": self.members, **promise}
        return promise

    def search(self, key: str, default: Any = None) -> Any:
        return self.job.get("search", {}).get(key, default)

    def release(self, key: str, default: Any = None) -> Any:
        return self.job.get("release", {}).get(key, default)

    @property
    def algorithm(self) -> str:
        asked = self.search("algorithm", "auto")
        return str(asked["name"] if isinstance(asked, dict) else asked)

    def weight(self, name: str) -> Fraction:
        return Fraction(str(self.job["columns"][name].get("weight", 1)))

    def records(self) -> list[dict[str, str]]:
        """Return the raw records that are not left out for a missing value."""
        found = [dict(zip(self.header, row, strict=True)) for row in self.rows]
        if self.missing != "drop":
            return found
        watched = {name for one in self.promises if (name := one.get("column")) is not None}
        if any(one.get("others") == "known" for one in self.promises):
            watched |= set(self.sensitive)
        if isinstance(measure := self.search("measure"), dict) and "column" in measure:
            watched.add(measure["column"])
        needed = [*self.quasi, *sorted(watched)]
        return [record for record in found if all(record[name] for name in needed)]


@dataclass(frozen=True)
class Released:
    """What a folder holds: the certificate, and the tables as texts."""

    certificate: dict[str, Any]
    header: Row
    rows: list[Row]
    clusters_header: Row = ()
    clusters: list[Row] = field(default_factory=list)

    def records(self) -> list[dict[str, str]]:
        return [dict(zip(self.header, row, strict=True)) for row in self.rows]


def read_rows(text: str, delimiter: str) -> tuple[Row, list[Row]]:
    """Return the header and the records of delimited text."""
    found = [tuple(row) or ("",) for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)]
    return found[0], found[1:]


def read_release(folder: Path, delimiter: str, *, escaped: bool = False) -> Released:
    """Read the folder of a release whose format is csv; where formulas are quoted, one apostrophe is taken away."""
    tables: dict[str, tuple[Row, list[Row]]] = {}
    for name in ("data", "clusters"):
        path = folder / "public" / f"{name}.csv"
        if path.is_file():
            header, rows = read_rows(path.read_bytes().decode("utf-8"), delimiter)
            plain = [tuple(map(_unquoted, row)) if escaped else row for row in (header, *rows)]
            tables[name] = plain[0], plain[1:]
    certificate = json.loads((folder / "private/certificate.json").read_text(encoding="utf-8"))
    header, rows = tables.get("data", ((), []))
    clusters_header, clusters = tables.get("clusters", ((), []))
    return Released(certificate, header, rows, clusters_header, clusters)


def _unquoted(text: str) -> str:
    """Take one apostrophe away that stands before what a spreadsheet program would run; a number is not run."""
    behind = text.lstrip("'")
    runs = behind[:1] in set("=+-@\t\r\n\uff1d\uff0b\uff0d\uff20")
    number = re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", behind)
    return text[1:] if text.startswith("'") and runs and not number else text


def multiset(cell: str) -> Counter[str] | None:
    """Read a cell of a table of clusters: how often each value occurs; None if it tells the values alone."""
    found = json.loads(cell)
    return Counter({value: int(number) for value, number in found.items()}) if isinstance(found, dict) else None
