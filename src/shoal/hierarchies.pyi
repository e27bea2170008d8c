"""For type checkers: the hierarchies by the name that the front door gives them; it is the same module."""

from shoal.tables.hierarchies import *  # noqa: F403
