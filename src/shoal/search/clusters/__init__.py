"""Clusters as solutions of a problem: every promise is kept, and the objective lowered."""
