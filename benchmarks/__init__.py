"""Figures of the docs, each by its script: `python -m benchmarks.search`."""
