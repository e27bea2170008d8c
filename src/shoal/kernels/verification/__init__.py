"""Compiled loops of the verification with the raw table."""
