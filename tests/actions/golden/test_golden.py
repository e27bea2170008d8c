"""The roles that `init` proposes for tables whose right roles are known."""

import polars as pl
import pytest

import shoal
from shoal.actions.init import Proposal
from tests.actions.golden.first import FIRST
from tests.actions.golden.first_hour import FIRST_HOUR
from tests.actions.golden.held_out import HELD_OUT
from tests.actions.golden.making import Golden, made
from tests.actions.golden.public_shapes import PUBLIC_SHAPES
from tests.actions.golden.registers import REGISTERS

TABLES = {**FIRST, **HELD_OUT, **PUBLIC_SHAPES, **FIRST_HOUR, **REGISTERS}

LEAVING = ("quasi", "sensitive", "insensitive")


@pytest.fixture(scope="module")
def found() -> dict[str, tuple[Golden, Proposal]]:
    tables = {name: made(name, lines) for name, lines in TABLES.items()}
    return {name: (golden, shoal.init(golden.frame)) for name, golden in tables.items()}


def test_no_direct_identifier_leaves(found: dict[str, tuple[Golden, Proposal]]) -> None:
    wrong = [
        (name, column.name)
        for name, (golden, proposal) in found.items()
        for column in proposal.columns
        if not set(golden.roles[column.name]) & set(LEAVING) and column.role in LEAVING
    ]
    assert wrong == []


def test_nine_of_ten_roles_are_right(found: dict[str, tuple[Golden, Proposal]]) -> None:
    right = [
        str(column.role) in golden.roles[column.name]
        for golden, proposal in found.values()
        for column in proposal.columns
    ]
    assert (len(found) >= 40, len(right) > 500) == (True, True)
    assert sum(right) >= 0.9 * len(right)


def test_few_columns_are_undecided(found: dict[str, tuple[Golden, Proposal]]) -> None:
    decided = [column.decided for _, proposal in found.values() for column in proposal.columns]
    assert decided.count(False) <= 0.15 * len(decided)


def test_nothing_is_sure_and_wrong_where_a_person_is_named(found: dict[str, tuple[Golden, Proposal]]) -> None:
    for golden, proposal in found.values():
        for column in proposal.columns:
            if golden.roles[column.name] == ("identifier",):
                assert column.role in ("identifier", "omitted", "entity", "household"), column.name


def test_shapes_of_public_tables_are_known(found: dict[str, tuple[Golden, Proposal]]) -> None:
    wrong = [
        (name, column.name, str(column.role))
        for name in (*PUBLIC_SHAPES, *FIRST_HOUR)
        for column in found[name][1].columns
        if str(column.role) not in found[name][0].roles[column.name]
    ]
    assert wrong == []


def test_what_contradicts_itself_is_not_sure() -> None:
    """A number of records, whatever else the name says, and values that only look like dates."""
    numbered = shoal.init(pl.DataFrame({"stop_id": [f"{5000 + i}" for i in range(100)], "age": ["30", "40"] * 50}))
    assert [(one.role, one.certainty) for one in numbered.columns][:1] == [("identifier", "likely")]
    decimals = shoal.init(pl.DataFrame({"rooms per head": [f"{1 + i % 12}.{625 + 7 * i:04}" for i in range(300)]}))
    assert decimals.columns[0].profile.kind.name == "number"


def test_few_persons_with_many_records_are_persons() -> None:
    users = [f"{15000 + i % 30}" for i in range(900)]
    others = {"steps": [f"{i % 50}00" for i in range(900)], "sex": ["m", "f"] * 450}
    assert shoal.init(pl.DataFrame({"userId": users, **others})).columns[0].role == "entity"
    players = [f"{i % 150:04}x" for i in range(3000)]
    many = {name: values * 4 for name, values in others.items()}
    found = shoal.init(pl.DataFrame({"id": players, **{name: values[:3000] for name, values in many.items()}}))
    assert found.columns[0].role == "entity"


def test_names_of_persons_that_repeat_are_no_question() -> None:
    first = ["Deja", "Miguel", "Anna", "Brandon", "Olivia", "Latisha", "Marcus", "Ian", "Tyrell", "Kevon"] * 3
    proposal = shoal.init(pl.DataFrame({"first": first, "last": first[::-1], "age": [str(20 + i) for i in range(30)]}))
    assert not any("Several records share" in words for words in proposal.warnings)
