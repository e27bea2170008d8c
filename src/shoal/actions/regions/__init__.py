"""What `anonymize` does with a table that is solved in regions."""
