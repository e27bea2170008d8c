"""Bounds: what every partition into classes loses at least."""
