"""Searches: how clusters of small radius or cost are found; what only cluster algorithms need."""
