"""Compiled loops of matchings and factors."""
