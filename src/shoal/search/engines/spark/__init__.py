"""The Spark engine: records are counted where a cluster, or a Spark on this machine, has them."""

from shoal.search.engines.spark.counting import counted_frame, counted_rows
from shoal.search.engines.spark.engine import Spark
from shoal.search.engines.spark.publishing import spark_frame

__all__ = ["Spark", "counted_frame", "counted_rows", "spark_frame"]
