"""Compiled loops of the exact optima."""
