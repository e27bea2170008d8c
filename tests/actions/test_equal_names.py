"""Frames whose columns share a name: they are numbered, as those of a file, wherever the frame goes."""

from typing import Any

import duckdb
import pytest

import shoal
from shoal.foundation.errors import SpecError

QUERY = """
    SELECT (i % 7)::INTEGER AS age, (i % 3)::DOUBLE AS age, if(i % 2 = 0, 'f', 'm') AS sex, 'x' || (i % 4) AS ill
    FROM range(90) t(i)
"""
ASKED: dict[str, Any] = {"quasi": ["age", "sex"], "sensitive": ["ill"], "insensitive": ["age (2)"], "k": 3, "seed": 1}
NUMBERED = ["age", "age (2)", "sex", "ill"]


def queried() -> duckdb.DuckDBPyRelation:
    """Return the query as a relation."""
    relation = duckdb.sql(QUERY)
    assert relation is not None
    return relation


def check(frame: Any) -> None:
    """Assert that the second column of a name has a number in every verb, and keeps its type."""
    proposal = shoal.init(frame)
    assert [column.name for column in proposal.columns] == NUMBERED
    assert any("numbered: 'age (2)'" in words for words in proposal.warnings)
    for engine in ("auto", "local"):
        release = shoal.anonymize(frame, **ASKED, engine=engine)
        assert list(release.data.columns) == NUMBERED
        assert release.certificate["records"]["released"] == 90
    assert shoal.risk(frame, quasi=["age", "age (2)"]).summary["classes"] == 21
    assert shoal.utility(release, raw=frame, figures=["columns"]).records == (90, 90)
    with pytest.raises(SpecError, match=r"No role for column 'age \(2\)'"):
        shoal.anonymize(frame, quasi=["age", "sex"], sensitive=["ill"], k=3)


def test_columns_of_a_relation_are_numbered() -> None:
    relation = queried()
    assert relation.columns == ["age", "age", "sex", "ill"]
    check(relation)
    release = shoal.anonymize(relation, **ASKED)
    assert str(release.data.schema["age (2)"]) == "Float64"


def test_columns_of_a_dataframe_of_spark_are_numbered(spark: Any) -> None:
    rows = [tuple(row) for row in queried().fetchall()]
    frame = spark.createDataFrame(rows, "a int, b double, c string, d string").toDF("age", "age", "sex", "ill")
    check(frame)
    release = shoal.anonymize(frame, **ASKED)
    assert dict(release.data.dtypes)["age (2)"] == "double"
