"""Attacks: what an attacker can learn from a released table."""
