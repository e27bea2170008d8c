"""Releases: what may leave, what is kept beside it, and what it says of itself."""
