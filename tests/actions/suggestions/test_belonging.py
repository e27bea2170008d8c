"""Whether records that share a number are of one person: what does not change in a life decides."""

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.actions.init import Proposal
from shoal.actions.suggestions.belonging import Belonging, belonging_of
from shoal.actions.suggestions.profile import Profile
from shoal.tables.table import Role

N = 900


def _profile(name: str, values: list[str | None]) -> Profile:
    return Profile.of(pl.Series(name, values, dtype=pl.String))


def _table(number: str, values: list[str], **more: list[str]) -> Proposal:
    """Return what is proposed for claims of 300 persons, three for each, with a number of another kind."""
    persons = [i // 3 for i in range(N)]
    born = [f"{1940 + (one * 7919) % 60}-0{1 + one % 9}-1{one % 10}" for one in persons]
    sexes = [("f", "m")[one * 7919 % 5 % 2] for one in persons]
    kinds = [("office", "ward", "home")[i % 3] for i in range(N)]
    return shoal.init(pl.DataFrame({number: values, "birth_date": born, "sex": sexes, "kind": kinds, **more}))


def _role(proposal: Proposal, name: str) -> str:
    return next(str(column.role) for column in proposal.columns if column.name == name)


def test_by_hand() -> None:
    """Two records share `a` and agree, two share `b` and differ; what is missing does not differ."""
    number = _profile("number", ["a", "a", "b", "b", "c"])
    assert belonging_of(number, [_profile("sex", ["f", "f", "m", "f", "m"])]) == Belonging(of_several=True, by=("sex",))
    assert not belonging_of(number, [_profile("sex", ["f", "f", "m", None, "m"])]).of_several
    assert belonging_of(number, [_profile("sex", ["f"] * 5)]) == Belonging()
    many = _profile("number", [f"{i // 2}" for i in range(20)])
    assert belonging_of(many, [_profile("sex", ["f", "f", "m", "m"] * 5)]) == Belonging(of_one=True, by=("sex",))


@pytest.mark.parametrize("seed", range(20))
def test_like_the_twin(seed: int) -> None:
    rng = np.random.default_rng(seed)
    numbers, sexes = rng.integers(0, 8, 40).tolist(), rng.integers(0, 3, 40).tolist()
    found = belonging_of(
        _profile("number", [str(one) for one in numbers]), [_profile("sex", [("f", "m", None)[one] for one in sexes])]
    )
    of = {
        one: {sex for number, sex in zip(numbers, sexes, strict=True) if number == one and sex < 2} for one in numbers
    }
    shared = [len(of[one]) > 1 for one in of if numbers.count(one) > 1]
    assert found.of_several == (sum(shared) >= 0.2 * len(shared))


@pytest.mark.parametrize("name", ["rend_npi", "physician_id", "patient_number"])
def test_numbers_of_several_persons_are_no_entity(name: str) -> None:
    """Thirty doctors, or numbers that were given twice: k would count those."""
    proposal = _table(name, [f"{1000000 + i % 150}" for i in range(N)])
    assert _role(proposal, name) == "identifier"
    assert proposal.of_role(Role.ENTITY) == []
    assert any(name in one and "entity" in one for one in proposal.warnings)


def test_the_number_of_a_doctor_is_no_entity_whatever_else_is_there() -> None:
    frame = pl.DataFrame({"npi": [f"{1000000 + i % 150}" for i in range(N)], "kind": ["a", "b", "c"] * 300})
    assert str(shoal.init(frame).columns[0].role) == "identifier"


def test_unknown_codes_that_agree_are_the_entity() -> None:
    """Before, such a number left as a quasi column, and k counted records."""
    codes = [f"{(i // 3) * 7919 % 10**6:06}W{i // 3 % 7:02}" for i in range(N)]
    assert _role(_table("sbscr", codes), "sbscr") == "entity"
    shuffled = np.random.default_rng(3).permutation(codes).tolist()
    assert _role(_table("sbscr", shuffled), "sbscr") == "identifier"


def test_a_household_is_counted_where_a_number_is_of_several_persons() -> None:
    persons = [f"E{(i // 2 if i < 20 else i):06}" for i in range(N)]
    homes = [f"{20000 + i // 2 + i // 300}" for i in range(N)]
    born = [f"19{40 + i * 7 % 60}-01-1{i % 10}" for i in range(N)]
    proposal = shoal.init(pl.DataFrame({"matricule": persons, "foyer": homes, "naissance": born}))
    assert (_role(proposal, "matricule"), _role(proposal, "foyer")) == ("identifier", "household")


def test_most_different_values_are_told_as_that() -> None:
    """Nearly all records are of four colours, and nearly all different values are addresses."""
    values = [f"somebody{i}@example.org" if i % 20 == 0 else ("red", "blue")[i % 2] for i in range(N)]
    column = shoal.init(pl.DataFrame({"colour": values, "age": [str(20 + i % 50) for i in range(N)]})).columns[0]
    assert (column.role, "nearly all different values are e-mail" in column.reason) == ("identifier", True)
