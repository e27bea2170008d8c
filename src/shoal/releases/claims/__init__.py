"""Claims: what a release claims, read from the steward's files or from the public ones."""
