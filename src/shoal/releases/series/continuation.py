"""Continuation: a release as a part of its series, with all that its certificate says of that."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from shoal.certificate import unsealed
from shoal.foundation.budgets import read_bytes
from shoal.foundation.errors import CertificateError
from shoal.jobs.disclosure import PUBLIC
from shoal.jobs.series_request import SeriesRequest
from shoal.models.model import PrivacyModel
from shoal.releases.series.classes import ShownClasses
from shoal.releases.series.companions import CompanionGroups
from shoal.releases.series.link import check_file
from shoal.releases.series.state import SeriesState
from shoal.tables.location import file_digest
from shoal.tables.rows import Rows

ATTACKER = "is told who is in which class of every release, and who the counterfeits are; all worlds are equally likely"
"""What the bound on posteriors assumes."""


@dataclass(frozen=True, slots=True, eq=False)
class Continuation:
    """A release of a series.

    Args:
        asked: What was asked of the series.
        columns: The sensitive columns.
        state: What the next release must know.
        earlier: What the certificate says of each release before this one.
        withheld: How many persons of the table are withheld for good.
        waiting: How many newcomers wait for others.
        least: The least number of values and of persons of a class, or of companions.
        posterior: The bound on the posterior of everybody ever published.
    """

    asked: SeriesRequest
    columns: tuple[str, ...]
    state: SeriesState
    earlier: tuple[dict[str, Any], ...]
    withheld: int
    waiting: int
    least: dict[str, int]
    posterior: Fraction

    @classmethod
    def of(
        cls,
        asked: SeriesRequest,
        promises: Sequence[PrivacyModel],
        columns: tuple[str, ...],
        states: tuple[SeriesState, SeriesState],
        earlier: tuple[dict[str, Any], ...],
        left_out: tuple[int, int],
    ) -> "Continuation":
        """Derive what is reached from the states of this release and of the one before it.

        Args:
            asked: What was asked of the series.
            promises: What is asked of each release.
            columns: The sensitive columns.
            states: The state after this release, and before it.
            earlier: The links of the chain.
            left_out: How many are withheld, and how many wait.
        """
        least, posterior = reached(states[0], states[1] if states[1].number else None, promises, columns)
        return cls(asked, columns, states[0], earlier, *left_out, least, ever(posterior, earlier))

    @property
    def counterfeits(self) -> int:
        """The number of records of nobody."""
        return len(self.state.fakes)

    def section(self) -> dict[str, Any]:
        """Return what the certificate says of the series."""
        terms = {"m": self.asked.m, "column": self.columns[0]} if self.asked.promise == "m-invariance" else {}
        return {
            "promise": self.asked.promise,
            **terms,
            "number": self.state.number,
            "counterfeits": self.counterfeits,
            "withheld": self.withheld,
            "waiting": self.waiting,
            "persons": len(self.state.persons),
            "least": self.least,
            "posterior": str(self.posterior),
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
        shown = ShownClasses.of(rows, quasi, self.columns[:1])
        if self.asked.m is not None:
            shown.demand_equal(self.asked.m)
        check_file(self.state, shown, quasi)
        if self.state.least_persons < k:
            raise CertificateError(
                f"Refused: a class has {self.state.least_persons} persons, counterfeits left out, and k is {k}."
            )


def reached(
    state: SeriesState, before: SeriesState | None, promises: Sequence[PrivacyModel], columns: Sequence[str]
) -> tuple[dict[str, int], Fraction]:
    """Return the least number of values and of persons of a class, or of companions, and the bound on posteriors.

    Everybody of a signature has each of its values in as many worlds as any other. Companions, whose cohort is a class
    of its own in every release, have each other's values: the share of a value among them is its probability.
    """
    if state.promise == "m-invariance":
        least = min(len(state.signatures[one]) for one in np.unique(state.owned).tolist())
        return {"values": least, "persons": state.least_persons}, Fraction(1, least)
    groups = CompanionGroups.of(state, before, promises, columns)
    return {"values": groups.values, "persons": groups.persons}, groups.posterior


def ever(posterior: Fraction, earlier: Sequence[Mapping[str, Any]]) -> Fraction:
    """Return the bound on the posterior of everybody ever published, given those of the releases before."""
    return max(posterior, *(Fraction(link["posterior"]) for link in earlier)) if earlier else posterior


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
        "posterior": series["posterior"],
        "counterfeits": series["counterfeits"],
        "withheld": series["withheld"],
    }
    return (*series["earlier"], own), series
