"""Releases of one level for each column, in which single cells are suppressed."""
