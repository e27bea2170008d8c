"""Attacking: what only the attacks on releases need."""
