"""Compiled loops of the lower bounds."""
