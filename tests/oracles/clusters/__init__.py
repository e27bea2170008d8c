"""Plain distances and optimal clusters of a few points."""
