"""People: jobs whose records stand for persons, their households, or many others."""
