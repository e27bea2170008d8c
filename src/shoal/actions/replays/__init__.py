"""Replays: what only the attack that runs a job again needs."""
