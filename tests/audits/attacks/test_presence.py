"""Who is in the raw table, against all pairs of a person and a class."""

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.audits.attacks.presence import Guess
from shoal.foundation.errors import SpecError
from tests.audits import attacks_plain as plain
from tests.audits import papers
from tests.audits.attacks.test_isolation import RAW, RELEASE, covers


@settings(deadline=None, max_examples=60)
@given(RELEASE, RAW, st.data())
def test_guesses_are_counted_person_by_person(
    release: list[tuple[str, str]], persons: list[tuple[str, str]], data: st.DataObject
) -> None:
    release, persons = [*release, ("21 - 33", "a")], [*persons, ("21", "a"), ("33", "b"), ("25", "c")]
    here = [data.draw(st.booleans()) for _ in persons]
    public = papers.frame(persons, "age", "zip").with_columns(pl.Series("id", range(len(persons))))
    found = shoal.attack(
        papers.frame(release, "age", "zip"),
        quasi=["age", "zip"],
        public=public,
        truth=["id"],
        raw=public.filter(pl.Series(here)),
        attacks=["presence"],
    ).presence
    assert found is not None
    inside, at_end = [], []
    for person in persons:
        own = [cells for cells in set(release) if all(map(covers, cells, person))]
        inside.append(bool(own))
        ends = [
            value in plain.printed(cell)
            for cells in own
            for cell, value in zip(cells, person, strict=True)
            if " - " in cell
        ]
        at_end.append(any(ends))
    for guess, said in ((found.in_class, inside), (found.at_end, at_end)):
        assert guess == Guess(sum(said), sum(one and there for one, there in zip(said, here, strict=True)))
    assert (found.n_persons, found.present) == (len(persons), sum(here))
    base = sum(here) / len(here)
    assert found.base == base
    beyond = max(guess.right - base * guess.reach for guess in (found.in_class, found.at_end))
    assert found.share == pytest.approx(max(beyond, 0) / len(persons))
    told = found.as_dict()
    assert told["at_end"]["precision"] == pytest.approx(found.at_end.right / max(found.at_end.reach, 1))
    if base and found.at_end.reach:
        assert told["at_end"]["times_base"] == pytest.approx(told["at_end"]["precision"] / base)
    for one in found.exposed:
        assert 0 < one.figures["present"] <= one.figures["at_end"]


def test_voters_at_the_ends_of_ranges_are_patients() -> None:
    """Ten of twenty voters are patients; whoever was born on a printed day surely is."""
    ages = [str(20 + 2 * number) for number in range(20)]
    voters = pl.DataFrame({"age": ages, "name": [f"n{number}" for number in range(20)]})
    patients = voters[::2]
    release = shoal.anonymize(patients, quasi=["age"], drop=["name"], k=5, seed=1)
    found = shoal.attack(release, public=voters, truth=["name"], raw=patients).presence
    assert found is not None
    assert found.base == 0.5
    assert found.in_class.reach == 18
    assert found.at_end == Guess(4, 4)
    assert found.as_dict()["at_end"]["times_base"] == 2.0


def test_it_needs_persons_and_the_truth() -> None:
    table = pl.DataFrame({"age": ["1 - 2", "1 - 2"]})
    with pytest.raises(SpecError, match=r"'presence' needs a public table \(--public\), and columns that tell"):
        shoal.attack(table, quasi=["age"], attacks=["presence"])
    public = pl.DataFrame({"age": ["1"], "name": ["x"]})
    with pytest.raises(SpecError, match=r"Neither the release nor .* tell the truth \(name\)"):
        shoal.attack(table, quasi=["age"], public=public, truth=["name"], attacks=["presence"])
    assert shoal.attack(table, quasi=["age"], public=public).presence is None


def test_the_release_itself_may_name_persons() -> None:
    table = pl.DataFrame({"age": ["1 - 2", "1 - 2"], "name": ["x", "y"]})
    public = pl.DataFrame({"age": ["1", "2", "3"], "name": ["x", "y", "z"]})
    found = shoal.attack(table, quasi=["age"], public=public, truth=["name"], attacks=["presence"]).presence
    assert found is not None
    assert (found.present, found.in_class, found.at_end) == (2, Guess(2, 2), Guess(2, 2))
