"""Utility: what a released table is still good for."""

FIGURES = ("columns", "pairs", "propensity", "classification")
LEARNERS = ("logistic", "tree", "forest")
"""What can be measured, and by which classifiers; here, since the command line names them before it loads any."""
