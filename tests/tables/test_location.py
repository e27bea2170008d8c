from pathlib import Path

import pytest

from shoal.foundation.errors import SpecError
from shoal.tables.databases import database_of
from shoal.tables.databases.address import Address
from shoal.tables.folder import FolderLocation, location_of
from shoal.tables.location import FileLocation, TableLocation


def table(name: str, url: str = "postgresql://u@host/db") -> TableLocation:
    return TableLocation(database_of(Address.of(url)), name)


def test_a_path_and_a_url_lead_to_their_places() -> None:
    assert location_of("a.csv") == FileLocation(Path("a.csv"))
    assert location_of(Path("a.xlsx"), sheet="x") == FileLocation(Path("a.xlsx"), None, "x")
    assert isinstance(location_of("sqlite:///a.db", table="t"), TableLocation)
    assert location_of("parts/*.csv", delimiter=";") == FolderLocation(Path("parts/*.csv"), ";")
    with pytest.raises(SpecError, match="needs the name of a table"):
        location_of("sqlite:///a.db")
    with pytest.raises(SpecError, match="is a file: a table is named for the URL"):
        location_of("a.csv", table="t")
    with pytest.raises(SpecError, match="is not a workbook: it has no sheet 'x'"):
        location_of("a.csv", sheet="x").columns()


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (table("a"), table("a"), True),
        (table("a"), table("public.a"), True),
        (table('"a"'), table("a"), True),
        (table("x.a"), table("y.a"), False),
        (table("a"), table("b"), False),
        (table("a"), table("a", "postgresql://u:secret@host/db"), True),
        (table("a"), table("a", "postgresql://u@host/other"), False),
        (table("a", "sqlite:///x/../a.db"), table("a", "sqlite:///a.db"), True),
    ],
)
def test_one_table_is_told_from_another(one: TableLocation, other: TableLocation, same: bool) -> None:
    assert one.same(other) is same
    assert other.same(one) is same
