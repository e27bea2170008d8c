"""Figures of single algorithms: `python -m benchmarks.algorithms.tightest`."""
