"""Pairing: what only the comparison of a release with its raw table needs."""
