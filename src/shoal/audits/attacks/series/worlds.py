"""Worlds: all tables that fit several releases, counted for a few cohorts."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from math import factorial

Cell = tuple[int, int, int]  # a release, one of its classes, a value
State = tuple[int, ...]  # how many records of each cell are left


class TooManyError(Exception):
    """There are more ways than were to be counted."""


@dataclass(frozen=True, slots=True)
class SmallCohort:
    """A cohort whose worlds are counted.

    Args:
        size: The number of its persons.
        places: For each release that it is in, the classes that may hold its persons.
        values: The values that they may have, each with the least and the most of them.
    """

    size: int
    places: tuple[tuple[int, tuple[int, ...]], ...]
    values: tuple[tuple[int, int, int], ...]


@dataclass(slots=True)
class Worlds:
    """The worlds of some cohorts that share classes with each other alone.

    A world gives each person a value and, in each release, a class that may hold the person, so that every class shows
    of each value as many records as it does. Each world is as likely as any other.

    Args:
        cohorts: The cohorts.
        left: The number of records of each cell.
        limit: The most ways to place a cohort that are tried in all.
    """

    cohorts: Sequence[SmallCohort]
    left: dict[Cell, int]
    limit: int
    tried: int = 0
    _cells: list[Cell] = field(default_factory=list)

    def posteriors(self) -> list[dict[int, Fraction]] | None:
        """Return for each cohort the probability that one of its persons has a value; None if no world fits.

        Raises:
            TooManyError: There are more ways to place the cohorts than the limit allows.
        """
        self._cells = list(self.left)
        levels: list[dict[State, int]] = [{tuple(self.left.values()): 1}]
        steps: list[list[tuple[State, State, int, dict[int, int]]]] = []
        for cohort in self.cohorts:
            ways: dict[State, int] = {}
            found = []
            for state, before in levels[-1].items():
                for after, weight, having in self._placed(cohort, state):
                    ways[after] = ways.get(after, 0) + before * weight
                    found.append((state, after, weight, having))
            levels.append(ways)
            steps.append(found)
        total = levels[-1].get((0,) * len(self._cells), 0)
        return None if total == 0 else self._shares(levels, steps, total)

    def _shares(
        self,
        levels: Sequence[dict[State, int]],
        steps: Sequence[list[tuple[State, State, int, dict[int, int]]]],
        total: int,
    ) -> list[dict[int, Fraction]]:
        """Return the expected share of each value in each cohort, going through the cohorts backwards."""
        ahead: dict[State, int] = {(0,) * len(self._cells): 1}
        shares: list[dict[int, Fraction]] = []
        for cohort, ways, found in zip(reversed(self.cohorts), reversed(levels[:-1]), reversed(steps), strict=True):
            sums: dict[int, int] = {}
            behind: dict[State, int] = {}
            for state, after, weight, having in found:
                rest = weight * ahead.get(after, 0)
                if rest:
                    behind[state] = behind.get(state, 0) + rest
                    for value, number in having.items():
                        sums[value] = sums.get(value, 0) + number * rest * ways[state]
            shares.append({value: Fraction(number, total * cohort.size) for value, number in sums.items() if number})
            ahead = behind
        return shares[::-1]

    def _placed(self, cohort: SmallCohort, state: State) -> Iterator[tuple[State, int, dict[int, int]]]:
        """Yield what is left after each way to place a cohort, in how many ways so, and who has what."""
        where = {cell: i for i, cell in enumerate(self._cells)}
        releases = [release for release, _ in cohort.places]
        options = [
            (value, low, high, [where[release, one, value] for release, one in zip(releases, path, strict=True)])
            for value, low, high in cohort.values
            for path in product(*(classes for _, classes in cohort.places))
            if all((release, one, value) in where for release, one in zip(releases, path, strict=True))
        ]
        yield from self._dealt(options, 0, cohort.size, list(state), factorial(cohort.size), {})

    def _dealt(
        self,
        options: Sequence[tuple[int, int, int, list[int]]],
        first: int,
        persons: int,
        left: list[int],
        weight: int,
        having: dict[int, int],
    ) -> Iterator[tuple[State, int, dict[int, int]]]:
        """Deal so many persons to the options from `first` on."""
        self.tried += 1
        if self.tried > self.limit:
            raise TooManyError
        if persons == 0:
            yield tuple(left), weight, dict(having)
            return
        if first == len(options):
            return
        value, _, high, cells = options[first]
        most = min(persons, high - having.get(value, 0), *(left[cell] for cell in cells))
        for number in range(most + 1):
            for cell in cells:
                left[cell] -= number
            having[value] = having.get(value, 0) + number
            yield from self._dealt(options, first + 1, persons - number, left, weight // factorial(number), having)
            having[value] -= number
            for cell in cells:
                left[cell] += number
