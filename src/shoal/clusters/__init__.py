"""Clusters: records as points in a metric space, published as the centres of clusters."""
