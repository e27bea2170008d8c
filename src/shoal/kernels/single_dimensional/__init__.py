"""Compiled loops of single-dimensional recoding."""
