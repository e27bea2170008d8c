"""Clusters: records as points of a metric space, published as centres."""
