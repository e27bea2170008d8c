"""For type checkers: the algorithms by the name that the front door gives them; it is the same module."""

from shoal.search.algorithms import *  # noqa: F403
