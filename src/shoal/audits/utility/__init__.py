"""Utility: what a released table is still good for."""
