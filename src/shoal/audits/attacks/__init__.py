"""Attacks: what an attacker can learn from a released table."""

NAMES = (
    "linkage",
    "presence",
    "singling-out",
    "homogeneity",
    "background-knowledge",
    "skewness",
    "similarity",
    "composition",
    "replay",
    "series",
)
"""What the attacks are called; here, since the command line names them before it loads any."""
