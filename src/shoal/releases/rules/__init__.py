"""Rules: the recoding of a release, to be applied to other tables."""
