"""Continuation: a release as a part of its series, with all that its certificate says of that."""

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from shoal.certificate import unsealed
from shoal.foundation.budgets import read_bytes
from shoal.foundation.errors import CertificateError
from shoal.jobs.disclosure import PUBLIC
from shoal.jobs.series_request import SeriesRequest
from shoal.releases.series.classes import ShownClasses
from shoal.releases.series.link import check_file
from shoal.releases.series.state import SeriesState
from shoal.tables.location import file_digest
from shoal.tables.rows import Rows

ATTACKER = "knows who is in which release, and everybody's quasi values at all times; all worlds are equally likely"
"""What the bound on posteriors assumes."""


@dataclass(frozen=True, slots=True, eq=False)
class Continuation:
    """A release of a series.

    Args:
        asked: What was asked of the series.
        column: The sensitive column.
        state: What the next release must know.
        earlier: What the certificate says of each release before this one.
        withheld: How many persons of the table are withheld for good.
        waiting: How many newcomers wait for others to balance with.
    """

    asked: SeriesRequest
    column: str
    state: SeriesState
    earlier: tuple[dict[str, Any], ...]
    withheld: int
    waiting: int

    @property
    def counterfeits(self) -> int:
        """The number of records of nobody."""
        return len(self.state.fakes)

    def section(self) -> dict[str, Any]:
        """Return what the certificate says of the series."""
        least = min(len(self.state.signatures[one]) for one in self.state.owned.tolist())
        ever = min(least, *(link["values"] for link in self.earlier)) if self.earlier else least
        return {
            "promise": self.asked.promise,
            "m": self.asked.m,
            "column": self.column,
            "number": self.state.number,
            "counterfeits": self.counterfeits,
            "withheld": self.withheld,
            "waiting": self.waiting,
            "persons": len(self.state.persons),
            "least": {"values": least, "persons": self.state.least_persons},
            "posterior": str(Fraction(1, ever)),
            "attacker": ATTACKER,
            "earlier": list(self.earlier),
        }

    def demand(self, rows: Rows, quasi: tuple[str, ...], k: int) -> None:
        """Raise a CertificateError unless what is about to leave is what the series promises.

        Args:
            rows: The records, by the quasi columns and the sensitive one.
            quasi: The quasi columns.
            k: The least number of persons of a class.
        """
        shown = ShownClasses.of(rows, quasi, self.column)
        shown.demand_equal(self.asked.m or 1)
        check_file(self.state, shown, quasi)
        if self.state.least_persons < k:
            raise CertificateError(
                f"Refused: a class has {self.state.least_persons} persons, counterfeits left out, and k is {k}."
            )


def link_of(public: Path) -> tuple[tuple[dict[str, Any], ...], dict[str, Any]]:
    """Return what the next certificate says of all releases up to one, and what that says of its own series.

    Args:
        public: The public folder of that release.
    """
    told = unsealed(read_bytes(public / PUBLIC), PUBLIC)
    series = told.get("series")
    if series is None:
        raise CertificateError(f"The release in '{public}' is not one of a series.")
    own = {
        "number": series["number"],
        "data": told["file"]["sha256"],
        "certificate": file_digest(public / PUBLIC),
        "records": told["file"]["records"],
        "values": series["least"]["values"],
        "counterfeits": series["counterfeits"],
        "withheld": series["withheld"],
    }
    return (*series["earlier"], own), series
