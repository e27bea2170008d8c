"""For type checkers: the estimators by the name that the front door gives them; it is the same module."""

from shoal.actions.sklearn import *  # noqa: F403
