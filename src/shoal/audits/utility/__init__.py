"""Utility: how well a released table preserves the distributions, associations and predictions of the raw table."""

FIGURES = ("columns", "pairs", "propensity", "classification")
LEARNERS = ("logistic", "tree", "forest")
"""What can be measured, and by which classifiers; here, since the command line names them before it loads any."""
