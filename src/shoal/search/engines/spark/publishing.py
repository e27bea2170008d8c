"""Publishing: the records that leave as a DataFrame of Spark."""

from typing import Any

import polars as pl

from shoal.tables.rows import Rows


def spark_frame(rows: Rows) -> Any:
    """Return the records of some rows as a DataFrame of the active session, with text columns and no metadata.

    The different rows go to Spark once; its executors repeat them.
    """
    from pyspark.sql import SparkSession
    from pyspark.sql import functions as spark

    session = SparkSession.builder.getOrCreate()
    names = rows.frame.columns
    places = [f"c{number}" for number in range(len(names))]
    texts = [column.cast(pl.String).alias(place) for place, column in zip(places, rows.frame, strict=True)]
    table = pl.DataFrame([*texts, pl.Series("n", rows.counts)]).to_arrow(compat_level=pl.CompatLevel.oldest())
    counted = session.createDataFrame(table)
    each = counted.select(*places, spark.explode(spark.sequence(spark.lit(1), spark.col("n"))).alias("n"))
    return each.drop("n").toDF(*names)
