"""Oracles of the local algorithms."""
