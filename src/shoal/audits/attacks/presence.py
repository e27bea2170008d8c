"""Presence: who of a public table is in the raw table, by the cells of a release and by the values that they print."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.audits.attacks.exposure import ExposedClass, exposed, largest_first
from shoal.audits.attacks.matches import Matches
from shoal.audits.printed import END, Printed
from shoal.classes.observed import Observed
from shoal.tables.table import totals


@dataclass(frozen=True, slots=True)
class Guess:
    """A guess at who is in the raw table.

    Args:
        reach: The number of public persons of whom it is guessed.
        right: The number of these who are in the raw table.
    """

    reach: int
    right: int

    @property
    def precision(self) -> float:
        """The share of the guesses that are right; 0 if there are none."""
        return self.right / self.reach if self.reach else 0.0

    def as_dict(self, base: float) -> dict[str, float]:
        """Return it as JSON, with the precision as a multiple of the base rate."""
        gain = self.precision / base if base else 0.0
        return {"reach": self.reach, "right": self.right, "precision": self.precision, "times_base": gain}


@dataclass(frozen=True, slots=True)
class Presence:
    """How well an attacker tells who of a public table is in the raw table.

    Args:
        columns: The columns that the tables were joined on.
        n_persons: The number of persons of the public table.
        present: The number of these who are in the raw table; their share is the base rate.
        in_class: The guess that everybody is in it whom a class matches.
        at_end: The guess that everybody is in it whom a class matches and whose value is a printed end of its range.
        near_end: The guess that everybody is in it whom a class matches and whose value lies in the cell of the public
            grid at an end of its range: there is a record of the class in each.
        exposed: The classes at whose ends most persons are in the raw table, with how many match there and are in it.
    """

    name: ClassVar[str] = "presence"
    reference: ClassVar[str] = "Nergiz, Atzori and Clifton 2007; Article 29 Working Party 2014"

    columns: tuple[str, ...]
    n_persons: int
    present: int
    in_class: Guess
    at_end: Guess
    near_end: Guess
    exposed: Sequence[ExposedClass]

    @property
    def base(self) -> float:
        """The share of the public persons who are in the raw table: the precision of a guess without the release."""
        return self.present / self.n_persons if self.n_persons else 0.0

    @property
    def guesses(self) -> tuple[Guess, ...]:
        """All guesses."""
        return self.in_class, self.at_end, self.near_end

    @property
    def share(self) -> float:
        """The largest number of right guesses beyond the base rate, as a share of the public persons."""
        beyond = max(guess.right - self.base * guess.reach for guess in self.guesses)
        return max(beyond, 0.0) / self.n_persons if self.n_persons else 0.0

    def as_dict(self, *, show: bool = False) -> dict[str, Any]:
        """Return the finding as JSON; `show` adds the cells of the exposed classes."""
        return {
            "attack": self.name,
            "columns": list(self.columns),
            "share": self.share,
            "persons": self.n_persons,
            "present": self.present,
            "base": self.base,
            "in_class": self.in_class.as_dict(self.base),
            "at_end": self.at_end.as_dict(self.base),
            "near_end": self.near_end.as_dict(self.base),
            "exposed": [one.as_dict(show=show) for one in self.exposed],
        }


def presence(
    observed: Observed,
    quasi: Sequence[str],
    matches: Matches,
    joined: Sequence[str],
    printed: Sequence[Printed],
    near: Sequence[Printed],
    present: NDArray[np.bool_],
) -> Presence:
    """Count whom the classes and their ends match, and who of these is in the raw table.

    Args:
        observed: The release.
        quasi: The names of its quasi columns.
        matches: Which of its classes match whom.
        joined: The columns that were joined on.
        printed: What the cells of these columns print.
        near: What lies in the cells of the grid at the ends that they print.
        present: For each row of persons, whether the raw table has a record of theirs; who is named is a row.
    """
    cells = observed.cells[:, [quasi.index(name) for name in joined]]
    at_end, near_end = np.zeros((2, len(matches.points)), dtype=np.bool_)
    inside = totals(matches.point_of[present], matches.counts[present], len(matches.points))
    reached, right = np.zeros((2, len(cells)), dtype=np.int64)
    for part in matches.lists():
        points = np.repeat(part.points, np.diff(part.offsets))
        found = cells[part.classes], matches.points[points], matches.order
        hit = _at_ends(printed, *found)
        at_end[points[hit]] = True
        near_end[points[_at_ends(near, *found)]] = True
        reached += np.bincount(part.classes[hit], matches.persons[points[hit]], len(cells)).astype(np.int64)
        right += np.bincount(part.classes[hit], inside[points[hit]], len(cells)).astype(np.int64)
    chosen = largest_first(right, right > 0)
    said = [mask[matches.point_of] for mask in (matches.classes > 0, at_end, near_end)]
    persons = matches.counts
    in_class, at, near_by = (Guess(int(persons[one].sum()), int(persons[one & present].sum())) for one in said)
    return Presence(
        columns=tuple(joined),
        n_persons=matches.n_persons,
        present=int(persons[present].sum()),
        in_class=in_class,
        at_end=at,
        near_end=near_by,
        exposed=exposed(observed, quasi, chosen, {"at_end": reached[chosen], "present": right[chosen]}),
    )


def _at_ends(
    printed: Sequence[Printed],
    cells: NDArray[np.integer],
    values: NDArray[np.integer],
    order: Sequence[int],
) -> NDArray[np.bool_]:
    """Tell for which pairs of a class and a person some end of a range stands for the value of the person.

    Args:
        printed: The printed values of each column.
        cells: `cells[pair, column]`, those of the class.
        values: `values[pair, place]`, those of the person.
        order: The column at each place.
    """
    hit = np.zeros(len(cells), dtype=np.bool_)
    for place, column in enumerate(order):
        pairs, found = printed[column].among(cells[:, column], values[:, place])
        ends = np.array([kind == END for kind in printed[column].kinds], dtype=np.bool_)
        hit[pairs[ends[found]]] = True
    return hit
