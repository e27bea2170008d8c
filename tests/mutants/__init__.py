"""Mutants: small changes of what is trusted, each of which a test must notice (`make mutants`)."""
