"""The Spark engine: records are counted where a cluster, or a Spark on this machine, has them."""

from shoal.search.engines.spark.counting import counted_frame, counted_rows
from shoal.search.engines.spark.engine import Spark
from shoal.search.engines.spark.publishing import spark_frame
from shoal.search.engines.spark.spilling import SparkRows, counted_or_kept

__all__ = ["Spark", "SparkRows", "counted_frame", "counted_or_kept", "counted_rows", "spark_frame"]
