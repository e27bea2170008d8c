"""Compiled loops of the audits."""
