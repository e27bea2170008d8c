"""Exact optima of local recoding, by subsets and by integer programs."""
