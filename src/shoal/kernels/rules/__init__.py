"""Compiled loops of rules that are applied to another table."""
