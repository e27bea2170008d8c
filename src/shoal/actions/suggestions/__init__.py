"""Suggestions: the likely roles of the columns of an unknown table, and a job that could release it."""
