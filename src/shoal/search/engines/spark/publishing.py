"""Publishing: the records that leave as a DataFrame of Spark."""

from typing import Any

import polars as pl

from shoal.tables.formats.column_type import Types, typed_frame
from shoal.tables.rows import Rows


def spark_frame(rows: Rows, types: Types) -> Any:
    """Return the records of some rows as a DataFrame of the active session, without metadata.

    The different rows go to Spark once; its executors repeat them. A column is text, unless its type is known.
    """
    from pyspark.sql import SparkSession
    from pyspark.sql import functions as spark
    from pyspark.sql.pandas.types import from_arrow_schema

    session = SparkSession.builder.getOrCreate()
    names = rows.frame.columns
    places = [f"c{number}" for number in range(len(names))]
    typed = typed_frame(rows.frame, {name: one for name, one in types.items() if one.categories is None})
    columns = [column.alias(place) for place, column in zip(places, typed, strict=True)]
    table = pl.DataFrame([*columns, pl.Series("n", rows.counts)]).to_arrow(compat_level=pl.CompatLevel.oldest())
    schema = from_arrow_schema(table.schema, prefer_timestamp_ntz=True)  # a clock without a zone is no moment
    counted = session.createDataFrame(table, schema=schema)
    each = counted.select(*places, spark.explode(spark.sequence(spark.lit(1), spark.col("n"))).alias("n"))
    return each.drop("n").toDF(*names)
