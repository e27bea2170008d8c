"""Continuing a series: a release that keeps what those before it promised."""
