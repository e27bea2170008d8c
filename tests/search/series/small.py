"""Small tables that change, and what the search of a series makes of them, release by release."""

from dataclasses import dataclass, field

import numpy as np
import polars as pl

from shoal.jobs.arguments import request
from shoal.jobs.posing import problem_of
from shoal.jobs.source import read
from shoal.search.series.invariance import InvariantClasses, invariant_classes
from shoal.search.series.people import People
from tests.oracles.worlds import Release, Where

VALUES = "xyzuvw"


@dataclass
class SmallSeries:
    """A series that is continued step by step, as its steward would.

    Args:
        having: The value of everybody.
        ages: The age of everybody.
        m: The least number of values of a signature.
        k: The least number of persons of a class.
        counterfeits: Whether there may be some.
        few: Whether newcomers get few signatures.
    """

    having: dict[str, str]
    ages: dict[str, int]
    m: int = 2
    k: int = 2
    counterfeits: bool = True
    few: bool = False
    signatures: list[tuple[int, ...]] = field(default_factory=list)
    held: dict[str, int] = field(default_factory=dict)
    homes: dict[str, int] = field(default_factory=dict)
    withheld: set[str] = field(default_factory=set)
    releases: list[Release] = field(default_factory=list)
    places: list[Where] = field(default_factory=list)
    fakes: int = 0

    def step(self, there: list[str], seed: int) -> InvariantClasses | None:
        """Release those who are there; None if there is nobody to release."""
        there = [person for person in there if person not in self.withheld]
        if not there:
            return None
        found = self._classes(there, seed)
        self.signatures = found.signatures
        self.homes = {}
        for person, label in zip(there, found.label.tolist(), strict=True):
            if label >= 0:
                assert self.held.setdefault(person, int(found.owned[label])) == found.owned[label]
                self.homes[person] = label
            elif person in self.held:
                self.withheld.add(person)
        self._publish(found)
        return found

    def _classes(self, there: list[str], seed: int) -> InvariantClasses:
        frame = pl.DataFrame(
            {"age": [str(self.ages[one]) for one in there], "ill": [self.having[one] for one in there]}
        )
        source = read(request(frame, quasi=["age"], sensitive=["ill"], k=self.k, seed=1), frame)
        counted = source.engine.count(("ill",))
        held, homes = (np.array([one.get(person, -1) for person in there]) for one in (self.held, self.homes))
        values = np.array([VALUES.index(self.having[one]) for one in there])
        people = People.of(problem_of(source.job, counted.tally), counted.point_of, values, held, homes)
        return invariant_classes(
            people,
            self.signatures,
            len(VALUES),
            m=self.m,
            column="ill",
            counterfeits=self.counterfeits,
            few=self.few,
            rng=np.random.default_rng(seed),
        )

    def _publish(self, found: InvariantClasses) -> None:
        """Note what a reader sees; who is known not to exist is one more person, known to be in that class alone."""
        release: dict[str, list[str]] = {f"c{number}": [] for number in range(len(found.owned))}
        where: dict[str, list[str]] = {}
        for person, label in self.homes.items():
            release[f"c{label}"].append(self.having[person])
            where[person] = [f"c{label}"]
        for label, value in zip(found.fakes.tolist(), found.faked.tolist(), strict=True):
            release[f"c{label}"].append(VALUES[value])
            where[f"nobody{self.fakes}"] = [f"c{label}"]
            self.fakes += 1
        if where:
            self.releases.append(release)
            self.places.append(where)
