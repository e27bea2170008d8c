"""Reductions from hard problems to anonymity, and plain solvers of those problems."""
