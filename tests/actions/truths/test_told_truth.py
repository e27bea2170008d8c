"""Names tell which records are whose, also where rows of a release stand for several of them."""

from typing import Any

import polars as pl
import pytest

import shoal
from shoal.foundation.errors import SpecError

RELEASE = pl.DataFrame(
    {"zip": ["1", "1", "1", "2", "2"], "ill": ["a", "a", "b", "a", "a"], "who": ["x", "x", "z", "y", None]}
)
PUBLIC = pl.DataFrame({"zip": ["1", "2", "1", "9"], "who": ["x", "y", None, "q"]})
ASKED: dict[str, Any] = {"quasi": ["zip"], "sensitive": ["ill"], "attacks": ["linkage"]}


def test_all_records_of_a_person_are_their_own() -> None:
    found = shoal.attack(RELEASE, public=PUBLIC, truth=["who"], **ASKED).linkage
    assert found is not None
    assert found.truth is not None
    assert (found.truth.present, found.truth.found) == (2, 2)
    assert found.truth.right == pytest.approx(2 / 3 + 1 / 2)
    assert found.n_persons == 4


def test_the_raw_table_tells_who_is_who_where_the_release_does_not() -> None:
    release = RELEASE.drop("who").with_columns(zip=pl.Series(["1", "1", "1", "2", "2"]))
    found = shoal.attack(release, public=PUBLIC, truth=["who"], raw=RELEASE, **ASKED).linkage
    assert found is not None
    assert found.truth is not None
    assert (found.truth.present, found.truth.found) == (2, 2)
    assert found.truth.right == pytest.approx(2 / 3 + 1 / 2)


def test_a_name_must_be_that_of_one_person() -> None:
    twice = pl.concat([PUBLIC, PUBLIC.head(1)])
    with pytest.raises(SpecError, match="name 1 persons of the public table more than once"):
        shoal.attack(RELEASE, public=twice, truth=["who"], **ASKED)
