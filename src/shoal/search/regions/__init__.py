"""Regions: a table whose points do not fit into memory, cut into boxes that are solved one after another."""
