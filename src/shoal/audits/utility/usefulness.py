"""Usefulness: the second half of a verdict. A release may meet all requirements and say nothing."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import nan
from typing import Any

from shoal.foundation.wording import series

MOST_LOST = 0.5
"""A release that loses a larger share than this is of little use."""
MOST_SUPPRESSED = 10
"""So is one that suppresses more than one record in so many."""


@dataclass(frozen=True, slots=True)
class Change:
    """A change of the request, and what a quick search makes of it.

    Args:
        words: What is changed.
        flags: The flags of `shoal anonymize` that change it.
        arguments: The arguments of `shoal.anonymize` that do.
        folder: How the folder of the changed release may end.
        loss: The share that is lost then, of the columns that are left; not a number until it is tried.
        suppressed: The share of the records that is suppressed then, likewise.
        silent: The columns that say nothing even then.
        omitted: The columns that are left out.
    """

    words: str
    flags: tuple[str, ...]
    arguments: Mapping[str, Any]
    folder: str
    loss: float = nan
    suppressed: float = nan
    silent: tuple[str, ...] = ()
    omitted: tuple[str, ...] = ()

    def command(self, job: str, out: str, table: str | None = None) -> str:
        """Return the command that makes the changed release.

        Args:
            job: The job file to change, or the folder of the release.
            out: The folder of the release that is to be changed; the new one stands beside it.
            table: The table of a database that its data went into, likewise.
        """
        beside = () if table is None else ("--output-table", f"{table}_{self.folder.replace('-', '_')}")
        return shlex.join(["shoal", "anonymize", job, *self.flags, *beside, "--out", f"{out}-{self.folder}"])

    @property
    def python(self) -> str:
        """The arguments as they are written."""
        said = ", ".join(f"{name}={value!r}" for name, value in self.arguments.items())
        return f"{said} instead of quasi" if self.omitted else said

    @property
    def remarks(self) -> str:
        """What else is to be known: what the share is of, what is suppressed, and which columns still say nothing."""
        said = ["of the remaining columns"] if self.omitted else []
        said += [f"{self.suppressed:.1%} suppressed"] if self.suppressed else []
        said += [nothing_from(self.silent)] if self.silent else []
        return "; ".join(said)


@dataclass(frozen=True, slots=True)
class Usefulness:
    """Whether a release still says something, and what would help if it does not.

    Args:
        silent: The quasi columns that are no longer informative.
        loss: The share that is lost; None if it is held back.
        suppressed: The number of suppressed records; None if it is held back.
        records: The number of records, released or suppressed.
        centres: Whether classes are published as the centres of clusters.
        changes: The changes that would help most, least loss first.
        algorithm: The quick algorithm that they were tried with.
        alike: What that algorithm loses for the request as it is; None if nothing was tried.
        untried: Why nothing was tried, if that is so.
    """

    silent: tuple[str, ...]
    loss: float | None
    suppressed: int | None
    records: int
    centres: bool = False
    changes: tuple[Change, ...] = ()
    algorithm: str = ""
    alike: float | None = None
    untried: str = ""

    @classmethod
    def of(cls, certificate: Mapping[str, Any], silent: Sequence[str]) -> "Usefulness":
        """Judge a release by its certificate, or by the public one, and by the columns that say nothing."""
        records, suppressed = certificate["records"], certificate["records"]["suppressed"]
        n_records = records["released"] + (suppressed or 0)
        centres = "clusters" in certificate
        return cls(tuple(silent), certificate["loss"]["share"], suppressed, records.get("input", n_records), centres)

    def __bool__(self) -> bool:
        return not self.shortcomings

    @property
    def much_suppressed(self) -> bool:
        """Whether too many records are suppressed."""
        return MOST_SUPPRESSED * (self.suppressed or 0) > self.records

    @property
    def shortcomings(self) -> tuple[str, ...]:
        """What makes it of little use, each in a few words; none if it is useful."""
        said = [nothing_from(self.silent)] if self.silent else []
        if self.loss is not None and self.loss > MOST_LOST:
            what = "of what one cluster would cost" if self.centres else "of the information"
            said.append(f"{self.loss:.1%} {what} is lost, more than half")
        if self.much_suppressed:
            said.append(f"{self.suppressed:,} of {self.records:,} records are suppressed, more than one in ten")
        return tuple(said)

    @property
    def verdict(self) -> str:
        """The verdict in one line."""
        if self.shortcomings:
            return f"of little use: {'; '.join(self.shortcomings)}"
        if self.loss is None or self.suppressed is None:
            return "every column is informative; the loss is not disclosed"
        lost = "of what one cluster would cost" if self.centres else "of the information"
        return f"useful: every column is informative; {self.loss:.1%} {lost} is lost, {self._left_out} suppressed"

    @property
    def _left_out(self) -> str:
        return f"{self.suppressed / self.records:.1%}" if self.suppressed else "no record"

    @property
    def tried(self) -> str:
        """How the changes were tried, or why none were."""
        if self.untried:
            return f"No changes were tried: {self.untried}."
        if self.alike is None:
            return ""
        if not self.changes:
            return f"None of the changes that {self.algorithm} tried helps."
        return (
            f"Changes that would help, each tried by {self.algorithm} ({self.alike:.1%} lost without a change; the "
            "algorithm of the job may lose less):"
        )

    def __str__(self) -> str:
        lines = [self.verdict, self.tried]
        for change in self.changes:
            lines.append(f"{change.loss:6.1%} lost  {change.words}")
            lines += [f"{'':13}{words}" for words in (change.remarks, change.python) if words]
        return "\n".join(line for line in lines if line)


def nothing_from(columns: Sequence[str]) -> str:
    """Say that some columns are no longer informative."""
    return f"{series(columns)} {'is' if len(columns) == 1 else 'are'} no longer informative"
