"""Utility: how well a released table preserves the distributions, associations and predictions of the raw table."""
