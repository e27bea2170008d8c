"""The local engine: the records are in memory."""

from shoal.search.engines.local.assigning import assigned
from shoal.search.engines.local.clusters import publish_clusters
from shoal.search.engines.local.counting import count
from shoal.search.engines.local.engine import Local
from shoal.search.engines.local.publishing import publish

__all__ = ["Local", "assigned", "count", "publish", "publish_clusters"]
