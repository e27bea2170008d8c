"""All worlds of small series as they are released, against what their certificates claim."""

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.foundation.errors import InfeasibleError
from shoal.releases.series.state import SeriesState
from tests.oracles import worlds
from tests.oracles.worlds import Release, Where

PROMISES: dict[str, dict[str, Any]] = {
    "m-invariance": {"series": {"promise": "m-invariance", "m": 2}},
    "m-invariance without counterfeits": {"series": {"promise": "m-invariance", "m": 2, "counterfeits": "none"}},
    "companions": {"series": {"promise": "companions", "cohort": 2}, "require": "frequency-l-diversity:l=2,column=ill"},
}
MOST = 9  # persons and counterfeits whose worlds are counted


def released(folder: Path, seed: int, promise: str) -> tuple[list[Release], list[Where], list[Fraction]]:
    """Release a random history of up to seven persons; return who was in which class, and what was claimed."""
    rng = np.random.default_rng(seed)
    persons = [f"p{number}" for number in range(rng.integers(4, 8))]
    everybody = pl.DataFrame(
        {
            "person": persons,
            "age": rng.integers(20, 26, len(persons)).astype(str),
            "ill": rng.choice(list("xyz"), len(persons)),
        }
    )
    asked = {**PROMISES[promise], "quasi": {"age": "ranges"}, "sensitive": ["ill"], "drop": ["person"], "k": 2}
    asked |= {"max_suppressed": 1, "seed": seed}
    asked["series"] = {**asked["series"], "person": "person", "key": str(folder / "series.key")}
    names = {shoal.pseudonym(one, key=folder / "series.key", linked="person"): one for one in persons}
    having = dict(zip(persons, everybody["ill"].to_list(), strict=True))
    releases, places, claims = list[Release](), list[Where](), list[Fraction]()
    for number in range(1, 4):
        table = everybody.filter(pl.Series(rng.random(len(persons)) < 0.7))
        after: dict[str, Any] = {"after": folder / f"{seed}-{number - 1}"} if number > 1 else {}
        if table.is_empty():
            return releases, places, claims
        try:
            release = shoal.anonymize(table, **asked, **after)
        except InfeasibleError:  # nobody is left who could be published
            return releases, places, claims
        release.write(folder / f"{seed}-{number}")
        state = SeriesState.read(folder / f"{seed}-{number}" / "private")
        shown: dict[str, list[str]] = {}
        where: dict[str, list[str]] = {}
        for pseudonym, place in zip(state.persons.to_list(), state.places.tolist(), strict=True):
            if place >= 0:
                shown.setdefault(f"c{place}", []).append(having[names[pseudonym]])
                where[names[pseudonym]] = [f"c{place}"]
        for turn, (place, value, _) in enumerate(state.fakes):
            shown[f"c{place}"].append(str(value))
            where[f"nobody {number} {turn}"] = [f"c{place}"]
        releases.append(shown)
        places.append(where)
        claims.append(Fraction(release.certificate["series"]["posterior"]))
    return releases, places, claims


def counted_worlds(folder: Path, seed: int, promise: str) -> bool:
    """Count all worlds after each release of a history, and compare them with its certificate."""
    releases, places, claims = released(folder, seed, promise)
    for number, claim in enumerate(claims, start=1):
        if len({person for where in places[:number] for person in where}) > MOST:
            return True
        found = worlds.posteriors(releases[:number], places[:number])
        largest = max(max(shares.values()) for shares in found.values())
        assert largest <= claim <= Fraction(1, 2)
        if number > 1:
            attack = shoal.attack([folder / f"{seed}-{one}" for one in range(1, number + 1)]).series["ill"]
            assert attack.told is not None
            low, high = attack.told.largest
            assert low <= float(largest) <= high
    return bool(claims)


@pytest.fixture
def keyed(tmp_path: Path) -> Path:
    shoal.new_pseudonym_key(tmp_path / "series.key")
    return tmp_path


@pytest.mark.parametrize("promise", PROMISES)
def test_nobody_is_known_with_more_than_the_certificate_claims(
    keyed: Path, seeds: Callable[[int], range], promise: str
) -> None:
    assert sum(counted_worlds(keyed, seed, promise) for seed in seeds(36)) > 2


@pytest.mark.deep
@pytest.mark.parametrize("promise", PROMISES)
def test_nobody_is_known_with_more_in_many_histories(keyed: Path, promise: str) -> None:
    assert sum(counted_worlds(keyed, seed, promise) for seed in range(1000, 2000)) > 800
