"""Glossary: which words may be chosen, and what the words of results mean, in half a line, for where they stand."""

from shoal.clusters.objectives import LOWERED
from shoal.measures import MEASURES
from shoal.search.algorithms import ALGORITHMS

VARIATION = "how far two distributions are apart: 0 alike, 1 nothing in common"
"""What the total variation is."""


def meaning(measure: str) -> str:
    """Return what a measure, or an objective of clusters, counts; nothing if one from elsewhere does not say it."""
    found = MEASURES.find(measure)
    return next((words for name, words in LOWERED.items() if name == measure), "") if found is None else found.words


def algorithms() -> list[str]:
    """Return the names of all algorithms, those of other packages last; none is loaded for that."""
    return ALGORITHMS.offered


def measures() -> list[str]:
    """Return the names of all measures of loss, likewise."""
    return MEASURES.offered
