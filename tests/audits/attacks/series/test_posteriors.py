"""The probabilities of a series against all worlds, one by one."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.audits.attacks.series.posteriors import posteriors_of
from tests.audits.attacks.series.small import apart, arrays, attacked
from tests.oracles import worlds
from tests.oracles.worlds import Release, Where

ALL = Fraction(1)
BEFORE = {"c": ["p", "q", "r"]}
FIRST = {"c": ["x", "y", "z"]}
BY_HAND = {
    "one release": ([FIRST], [BEFORE], Fraction(1, 3)),
    "one leaves": ([FIRST, {"c": ["x", "y"]}], [BEFORE, {"c": ["p", "q"]}], ALL),
    "a newcomer of another value": ([FIRST, {"c": ["x", "y", "y"]}], [BEFORE, {"c": ["p", "q", "n"]}], ALL),
    "a newcomer of the same value": ([FIRST, FIRST], [BEFORE, {"c": ["p", "q", "n"]}], Fraction(1, 3)),
    "a counterfeit": ([FIRST, FIRST], [BEFORE, {"c": ["p", "q"]}], Fraction(1, 3)),
    "all leave": ([FIRST, {"d": ["x"]}], [BEFORE, {"d": ["n"]}], Fraction(1, 3)),
}


@pytest.mark.parametrize("name", BY_HAND)
def test_what_is_known_by_hand(name: str) -> None:
    releases, persons, expected = BY_HAND[name]
    _, found = attacked(releases, [apart(one) for one in persons])
    assert max(found["r"].values()) == (expected, expected)


def test_companions_alone_do_not_keep_one_half() -> None:
    """Each cohort has two persons and two values; yet who was there twice has one of them in five worlds of eight."""
    releases: list[Release] = [{"c": ["x", "y", "y", "z"]}, {"c": ["x", "y", "x", "z"]}]
    places: list[Where] = [apart({"c": ["a", "b", "c", "d"]}), apart({"c": ["a", "b", "e", "f"]})]
    _, found = attacked(releases, places)
    assert max(high for shares in found.values() for _, high in shares.values()) == Fraction(5, 8)


def test_who_has_to_guess_classes_may_count_more() -> None:
    """Signatures never change, and all classes show two values; p and q may be in either class of either release."""
    shown: Release = {"c": ["x", "y"], "d": ["y", "z"]}
    guessed = {"p": ["c", "d"], "q": ["c", "d"], "r": ["c"], "s": ["d"]}
    told = {"p": ["c"], "q": ["d"], "r": ["c"], "s": ["d"]}
    assert worlds.posteriors([shown] * 2, [guessed] * 2)["p"]["y"] == Fraction(6, 10)
    assert worlds.posteriors([shown] * 2, [told] * 2)["p"]["y"] == Fraction(1, 2)
    _, found = attacked([shown] * 2, [guessed] * 2)
    assert found["p"]["y"] == (Fraction(6, 10), Fraction(6, 10))


@st.composite
def series(draw: st.DrawFn) -> tuple[list[Release], list[Where]]:
    """Draw a true history of up to seven persons, and what is released of it; some rows may be nobody's."""
    n_persons, n_steps = draw(st.integers(1, 7)), draw(st.integers(1, 3))
    having = {f"p{i}": draw(st.sampled_from("xyz")) for i in range(n_persons)}
    releases: list[Release] = []
    places: list[Where] = []
    for _ in range(n_steps):
        classes: dict[str, list[str]] = {}
        where: dict[str, list[str]] = {}
        for person, value in having.items():
            if draw(st.integers(0, 3)):
                name = draw(st.sampled_from("abc"))
                classes.setdefault(name, []).append(value)
                where[person] = sorted({name, draw(st.sampled_from("abc"))}) if draw(st.integers(0, 3)) == 0 else [name]
        if classes:
            releases.append(classes)
            places.append({person: [one for one in held if one in classes] for person, held in where.items()})
    if not releases:
        return [{"a": ["x"]}], [{"p0": ["a"]}]
    return releases, places


@settings(deadline=None)
@given(series())
def test_the_probabilities_are_those_of_all_worlds(drawn: tuple[list[Release], list[Where]]) -> None:
    truth = worlds.posteriors(*drawn)
    found, bounds = attacked(*drawn)
    assert found.fits.all()
    assert found.exact.all()
    for person, shares in truth.items():
        assert {value: low for value, (low, _) in bounds[person].items() if low} == shares
        assert all(low == high for low, high in bounds[person].values())


@settings(deadline=None)
@given(series())
def test_bounds_hold_without_counting(drawn: tuple[list[Release], list[Where]]) -> None:
    truth = worlds.posteriors(*drawn)
    found, bounds = attacked(*drawn, budget=0)
    for person, shares in truth.items():
        assert shares.keys() <= bounds[person].keys()
        for value, (low, high) in bounds[person].items():
            assert low <= shares.get(value, 0) <= high
    histories, _, _ = arrays(*drawn)
    for share in (Fraction(1, 2), Fraction(1)):
        surely, maybe = found.reaching(share)
        for cohort, person in zip(histories.cohort_of.tolist(), sorted(truth), strict=True):
            reached = max(truth[person].values()) >= share
            assert surely[cohort] <= reached <= maybe[cohort]


@settings(deadline=None)
@given(series(), st.data())
def test_who_may_have_been_left_out_widens_the_bounds(
    drawn: tuple[list[Release], list[Where]], data: st.DataObject
) -> None:
    """More persons are listed than a release has records, and nobody knows whose record is missing."""
    releases, places = drawn
    listed = [
        {**where, "new": [data.draw(st.sampled_from(sorted(one)))]} if data.draw(st.booleans()) else where
        for one, where in zip(releases, places, strict=True)
    ]
    optional = [
        {person: [*held, *([worlds.LEFT_OUT] if "new" in where else [])] for person, held in where.items()}
        for where in listed
    ]
    found, bounds = attacked(releases, listed)
    assert found.fits.all()
    histories, _, _ = arrays(releases, listed)
    truth = worlds.posteriors(releases, optional)
    for cohort, (person, shares) in zip(histories.cohort_of.tolist(), sorted(truth.items()), strict=True):
        if found.known[cohort]:
            assert shares.keys() <= bounds[person].keys()
            assert all(low <= shares.get(value, 0) <= high for value, (low, high) in bounds[person].items())


@settings(deadline=None)
@given(series())
def test_some_releases_tell_as_if_there_were_no_others(drawn: tuple[list[Release], list[Where]]) -> None:
    releases, places = drawn
    histories, shown, _ = arrays(releases, places)
    for j in range(len(releases)):
        part = histories.of_steps([j])
        found = posteriors_of(part, [shown[j]], 1_000_000)
        truth = worlds.posteriors([releases[j]], [places[j]])
        persons = sorted({person for where in places for person in where})
        for person, cohort in zip(persons, part.cohort_of.tolist(), strict=True):
            assert (cohort >= 0) == (person in places[j])
            if cohort >= 0:
                assert sorted(low for low, _ in found.of(cohort).values()) == sorted(truth[person].values())


def test_symmetry_settles_what_is_too_large_to_be_counted() -> None:
    """Classes that show each value of a signature equally often leave everybody with one chance in as many values."""
    rng = np.random.default_rng(7)
    having = dict(zip((f"p{i:04}" for i in range(600)), rng.permutation(np.repeat(list("wxyz"), 150)), strict=True))
    releases: list[Release] = []
    places: list[Where] = []
    for _ in range(4):
        by_value = {value: [p for p, one in having.items() if one == value] for value in "wxyz"}
        mixed = {value: rng.permutation(persons).tolist() for value, persons in by_value.items()}
        classes = {f"c{i:03}": [mixed[value][i] for value in "wxyz"] for i in range(150)}
        releases.append({name: [having[p] for p in persons] for name, persons in classes.items()})
        places.append(apart(classes))
    found, bounds = attacked(releases, places, budget=0)
    assert found.exact.all()
    assert {shares for person in bounds.values() for shares in person.values()} == {(Fraction(1, 4), Fraction(1, 4))}


def test_a_whole_table_that_lost_one_person_tells_of_it_though_all_classes_are_new() -> None:
    rng = np.random.default_rng(3)
    having = {f"p{i:03}": value for i, value in enumerate(rng.choice(list("vwxyz"), 200).tolist())}
    releases: list[Release] = []
    places: list[Where] = []
    for persons in (sorted(having), sorted(having)[1:]):
        mixed = rng.permutation(persons).tolist()
        classes = {f"c{i:02}": mixed[i * 5 : i * 5 + 5] for i in range(40)}
        releases.append({name: [having[p] for p in held] for name, held in classes.items()})
        places.append(apart(classes))
    _, bounds = attacked(releases, places, budget=0)
    assert bounds["p000"] == {having["p000"]: (ALL, ALL)}


def test_lists_that_no_world_fits_are_told() -> None:
    releases: list[Release] = [{"c": ["x", "y"], "d": ["x", "y"]}, {"c": ["y", "y"], "d": ["x", "y"]}]
    places = [apart({"c": ["p", "q"], "d": ["r", "s"]})] * 2
    found, bounds = attacked(releases, places)
    fits = found.fits[found.histories.cohort_of]
    assert fits.tolist() == [False, False, True, True]
    assert bounds["r"] == {"x": (Fraction(1, 2), Fraction(1, 2)), "y": (Fraction(1, 2), Fraction(1, 2))}
