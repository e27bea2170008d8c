"""Risk: the probability that an attacker links a record to the right person."""
