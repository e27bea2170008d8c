from pathlib import Path

import pytest
from pydantic import TypeAdapter, ValidationError

from shoal.tables.hierarchies import HIERARCHIES, Suppression


def test_a_value_or_a_star() -> None:
    hierarchy = Suppression().build(["b", "a"], "sex", Path())
    assert hierarchy.labels == (("a", "b"), ("*",))
    assert hierarchy.height == 1


def test_numbers_are_in_their_own_order() -> None:
    assert Suppression().build(["10", "9"], "age", Path()).values == ("9", "10")
    assert Suppression().build(["10", "9", "x"], "age", Path()).values == ("10", "9", "x")


def test_a_column_that_is_all_missing() -> None:
    hierarchy = Suppression().build([], "sex", Path())
    assert hierarchy.codes.shape == (2, 0)
    assert hierarchy.missing_leaf == -1
    with_missing = hierarchy.with_missing()
    assert with_missing.labels == ((None,), ("*",))
    assert with_missing.encode([None], "sex").tolist() == [0]
    assert with_missing.missing_leaf == 0


@pytest.mark.parametrize("name", HIERARCHIES.names)
def test_every_member_refuses_unknown_fields(name: str) -> None:
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(HIERARCHIES[name]).validate_python({"surprise": 1})
    assert "Unexpected keyword argument" in [error["msg"] for error in caught.value.errors()]
