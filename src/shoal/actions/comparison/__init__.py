"""Comparison: the parts of `compare`: settings, what came of them, and their losses by one measure."""
