"""Comparison: the parts of `compare`: settings, their outcomes, and their losses by one measure."""
