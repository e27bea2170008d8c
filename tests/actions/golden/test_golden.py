"""The roles that `init` proposes for tables whose right roles are known."""

import pytest

import shoal
from shoal.actions.init import Proposal
from tests.actions.golden.first import FIRST
from tests.actions.golden.held_out import HELD_OUT
from tests.actions.golden.making import Golden, made
from tests.actions.golden.public_shapes import PUBLIC_SHAPES

LEAVING = ("quasi", "sensitive", "insensitive")


@pytest.fixture(scope="module")
def found() -> dict[str, tuple[Golden, Proposal]]:
    tables = {name: made(name, lines) for name, lines in {**FIRST, **HELD_OUT, **PUBLIC_SHAPES}.items()}
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
        for name in PUBLIC_SHAPES
        for column in found[name][1].columns
        if str(column.role) not in found[name][0].roles[column.name]
    ]
    assert wrong == []
