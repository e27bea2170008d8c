"""Suggestions: the likely roles of the columns of an unknown table, and a job that could release it."""

OWN_TYPES = ("auto", "frequency", "groups")
"""What a hierarchy is made by beside the types of the shelf; here, since the command line names them first."""
