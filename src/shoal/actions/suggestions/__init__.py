"""Suggestions: what the columns of an unknown table may be, and a job that could release it."""
