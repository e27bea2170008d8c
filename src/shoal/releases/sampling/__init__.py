"""Release by sampling: a part of the records, recoded by fixed rules, with differential privacy."""
