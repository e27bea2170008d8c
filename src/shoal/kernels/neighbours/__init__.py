"""Compiled loops that find the points near each point."""
