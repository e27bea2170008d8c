"""Releases that follow each other: classes that keep what earlier releases promised of the same persons."""
