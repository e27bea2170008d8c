"""Hostile inputs: folders and files that are made to hang, to exhaust the memory, or to break what reads them."""
