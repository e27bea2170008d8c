"""Records of nobody behind those of a table."""

import polars as pl

from shoal.releases.series.counterfeits import with_counterfeits
from shoal.tables.table import Role, Table


def texts(table: Table) -> dict[str, list[str | None]]:
    return {name: table.columns[name].texts(name).to_list() for name in table.columns}


def test_a_counterfeit_is_like_a_row_with_a_value_of_its_own() -> None:
    frame = pl.DataFrame({"age": ["1", "2", None], "ill": ["flu", None, "cold"]})
    table = Table.of(frame, {"age": Role.QUASI, "ill": Role.SENSITIVE})
    found = with_counterfeits(table, "ill", [2, 0, 0], ["cold", "gout", None])
    assert found.n_rows == found.n_records == 6
    assert texts(found) == {
        "age": ["1", "2", None, None, "1", "1"],
        "ill": ["flu", None, "cold", "cold", "gout", None],
    }
    assert texts(table) == {"age": ["1", "2", None], "ill": ["flu", None, "cold"]}
    assert with_counterfeits(table, "ill", [], []) is table
