"""Draws random tables and jobs; what there is to choose from is read off the shelves."""
