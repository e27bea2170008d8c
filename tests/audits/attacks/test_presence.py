"""Who is in the raw table, against all pairs of a person and a class."""

from fractions import Fraction

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
    for guess, said in ((found.in_class, inside), (found.at_end, at_end), (found.near_end, at_end)):  # no grid is known
        assert guess == Guess(sum(said), sum(one and there for one, there in zip(said, here, strict=True)))
    assert (found.n_persons, found.present) == (len(persons), sum(here))
    base = sum(here) / len(here)
    assert found.base == base
    beyond = max(guess.right - base * guess.reach for guess in found.guesses)
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
    assert found.near_end == found.at_end  # the grid has a cell for each age
    assert found.as_dict()["at_end"]["times_base"] == 2.0


def near(low: str, high: str, value: str, step: int) -> bool:
    """Tell whether a value lies in the first or the last cell of a range; of decimals, cells end where others begin."""
    if "." in value:
        return Fraction(value) // step in (int(low) // step, int(high) // step - 1)
    return int(value) // step in (int(low) // step, int(high) // step)


@settings(deadline=None, max_examples=60)
@given(st.data(), st.sampled_from([1, 2, 5, 20]), st.booleans())
def test_near_an_end_is_in_the_cell_of_the_grid_there(data: st.DataObject, step: int, whole: bool) -> None:
    values = st.integers(-30, 60) if whole else st.integers(-300, 600).map(lambda n: f"{n / 10:.1f}")
    persons = [str(value) for value in data.draw(st.lists(values, min_size=1, max_size=12, unique=True))]
    firsts = data.draw(st.lists(st.tuples(st.integers(-15, 25), st.integers(1, 12)), min_size=1, max_size=4))
    cells = [(str(step * low), str(step * (low + width) - whole)) for low, width in firsts]
    here = [data.draw(st.booleans()) for _ in persons]
    public = pl.DataFrame({"age": persons, "id": range(len(persons))})
    if not any(Fraction(low) <= Fraction(one) <= Fraction(high) for low, high in cells for one in persons):
        return
    if not whole and all(Fraction(one).denominator == 1 for one in persons):
        return
    found = shoal.attack(
        pl.DataFrame({"age": [f"{low} - {high}" for low, high in cells]}),
        quasi={"age": {"type": "ranges", "grid": step}},
        public=public,
        truth=["id"],
        raw=public.filter(pl.Series(here)),
        attacks=["presence"],
    ).presence
    assert found is not None
    said = [
        any(Fraction(low) <= Fraction(one) <= Fraction(high) and near(low, high, one, step) for low, high in cells)
        for one in persons
    ]
    assert found.near_end == Guess(sum(said), sum(one and there for one, there in zip(said, here, strict=True)))


def test_near_an_end_is_in_the_period_there() -> None:
    days = ["1952-02-29", "1952-12-31", "1953-01-01", "1960-12-31", "1961-01-01", "1961-12-31", "1962-01-01"]
    public = pl.DataFrame({"born": days, "name": list("abcdefg")})
    found = shoal.attack(
        pl.DataFrame({"born": ["1952-01-01 - 1961-12-31", "1961-07-07"]}),
        quasi={"born": {"type": "ranges", "grid": "year"}},
        public=public,
        truth=["name"],
        raw=public[::2],
        attacks=["presence"],
    ).presence
    assert found is not None
    assert (found.in_class, found.at_end, found.near_end) == (Guess(6, 3), Guess(1, 0), Guess(4, 2))
    assert found.as_dict()["near_end"]["precision"] == 0.5


def test_it_needs_persons_and_the_truth() -> None:
    table = pl.DataFrame({"age": ["1 - 2", "1 - 2"]})
    with pytest.raises(SpecError, match=r"'presence' needs a public table \(--public\), and columns that tell"):
        shoal.attack(table, quasi=["age"], attacks=["presence"])
    public = pl.DataFrame({"age": ["1"], "name": ["x"]})
    with pytest.raises(SpecError, match=r"Neither the release nor .* the truth columns \(name\)"):
        shoal.attack(table, quasi=["age"], public=public, truth=["name"], attacks=["presence"])
    assert shoal.attack(table, quasi=["age"], public=public).presence is None


def test_the_release_itself_may_name_persons() -> None:
    table = pl.DataFrame({"age": ["1 - 2", "1 - 2"], "name": ["x", "y"]})
    public = pl.DataFrame({"age": ["1", "2", "3"], "name": ["x", "y", "z"]})
    found = shoal.attack(table, quasi=["age"], public=public, truth=["name"], attacks=["presence"]).presence
    assert found is not None
    assert (found.present, found.in_class, found.at_end) == (2, Guess(2, 2), Guess(2, 2))
