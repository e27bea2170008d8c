"""Printing: what single commands print, where it is long."""
