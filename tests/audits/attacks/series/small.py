"""Small series, written by hand or drawn at random, for the code and for the oracle."""

from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np

from shoal.audits.attacks.profiles import ProfileCounts
from shoal.audits.attacks.series.histories import ClassSets, Histories, SeriesStep
from shoal.audits.attacks.series.posteriors import Posteriors, posteriors_of
from tests.oracles.worlds import Release, Where


def arrays(releases: Sequence[Release], places: Sequence[Where]) -> tuple[Histories, list[ProfileCounts], list[str]]:
    """Return a series as the attack takes it, and the persons in their order."""
    persons = sorted({person for release in places for person in release})
    values = sorted({value for release in releases for shown in release.values() for value in shown})
    steps, shown = [], []
    for release, where in zip(releases, places, strict=True):
        names = sorted(release)
        rows = [(names.index(name), values.index(value)) for name in names for value in release[name]]
        classes, codes = (np.array(column, dtype=np.int32) for column in zip(*rows, strict=True))
        shown.append(ProfileCounts.of(classes, codes, np.ones(len(rows), dtype=np.int64), len(names), len(values)))
        sets = sorted({tuple(sorted(names.index(name) for name in held)) for held in where.values()})
        offsets = np.cumsum([0, *map(len, sets)]).astype(np.int64)
        flat = np.array([one for part in sets for one in part], dtype=np.int32)
        placed = [sets.index(tuple(sorted(names.index(name) for name in held))) for held in where.values()]
        steps.append(
            SeriesStep(
                np.array([len(release[name]) for name in names], dtype=np.int64),
                ClassSets(offsets, flat),
                np.array([persons.index(person) for person in where], dtype=np.int64),
                np.array(placed, dtype=np.int32),
            )
        )
    return Histories.of(steps, len(persons)), shown, values


def attacked(
    releases: Sequence[Release], places: Sequence[Where], budget: int = 1_000_000
) -> tuple[Posteriors, dict[str, dict[str, tuple[Fraction, Fraction]]]]:
    """Return what the attack finds: the bounds of each person's probabilities."""
    histories, shown, values = arrays(releases, places)
    found = posteriors_of(histories, shown, budget)
    persons = sorted({person for release in places for person in release})
    return found, {
        person: {values[code]: bounds for code, bounds in found.of(int(cohort)).items()}
        for person, cohort in zip(persons, histories.cohort_of.tolist(), strict=True)
    }


def apart(classes: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Return the classes of everybody, given the persons of each class."""
    return {person: [name] for name, persons in classes.items() for person in persons}
