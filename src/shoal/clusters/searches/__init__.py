"""Searches: how clusters of small radius or small cost are found; only cluster algorithms use them."""
