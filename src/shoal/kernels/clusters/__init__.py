"""Compiled loops of clusters and their metric spaces."""
