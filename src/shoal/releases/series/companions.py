"""Companions, from two states: everybody leaves with as many others as the promises ask for, or not at all."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from shoal.foundation.errors import CertificateError
from shoal.models.model import PrivacyModel
from shoal.releases.series.histories import at_all_times, keeps, likeliest
from shoal.releases.series.state import WITHHELD, SeriesState


@dataclass(frozen=True, slots=True)
class CompanionGroups:
    """What the groups of a release keep: those who are in it, cohort by cohort, and those who left together.

    Args:
        persons: The least number of persons of a group.
        values: The least number of different values of one column in a group.
        posterior: The largest share that a value has in a group.
    """

    persons: int
    values: int
    posterior: Fraction

    @classmethod
    def of(
        cls, state: SeriesState, before: SeriesState | None, promises: Sequence[PrivacyModel], columns: Sequence[str]
    ) -> "CompanionGroups":
        """Derive the groups from the states, and put the promises to each.

        Args:
            state: The state of the release.
            before: That of the release before; None for the first.
            promises: The promises of the job.
            columns: The sensitive columns.

        Raises:
            CertificateError: A group keeps less, or is no cohort that is one class.
        """
        inside = np.flatnonzero(state.places >= 0)
        if len(np.unique(state.owned)) < len(state.owned) or (state.held[state.places < 0] != WITHHELD).any():
            raise _refused("a cohort is split, or somebody who is not published is not withheld for good")
        groups = [*_by(state, inside, state.held[inside])]
        if before is not None:
            there = np.flatnonzero(before.held != WITHHELD)
            now = state.held[state.places_of(before.persons.gather(there.astype(np.uint32)).to_list())]
            if ((now != WITHHELD) & (now != before.held[there])).any():
                raise _refused("a person is in another cohort than before")
            known = np.isin(state.held[inside], before.held[there])
            if known.sum() != (now != WITHHELD).sum():
                raise _refused("somebody came to a cohort after its first release")
            left = there[now == WITHHELD]
            groups += _by(before, left, before.held[left])
        for one in groups:
            if not keeps(one, promises, columns):
                raise _refused("a group that stays, or that left together, keeps less than what was promised")
        return cls(
            min(map(len, groups), default=0),
            min(
                (
                    len(set(column))
                    for one in groups
                    for marks in at_all_times(one)
                    for column in zip(*marks, strict=True)
                ),
                default=0,
            ),
            max(map(likeliest, groups), default=Fraction(0)),
        )


def _by(state: SeriesState, places: NDArray[np.int64], owners: NDArray[np.int32]) -> list[list[str]]:
    """Return the histories of each group."""
    order = np.argsort(owners, kind="stable")
    histories, ends = state.histories(places[order]), np.flatnonzero(np.diff(owners[order])) + 1
    return [one.tolist() for one in np.split(histories, ends) if len(one)]


def _refused(words: str) -> CertificateError:
    return CertificateError(f"The series does not hold: {words}.")
