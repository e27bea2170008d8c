"""Run every benchmark, one after the other: `make bench`."""

import subprocess
import sys
from pathlib import Path

for script in (
    "search",
    "sensitive",
    "whole_run",
    "first_run",
    "exact",
    "optimal_2",
    "two_factors",
    "frontier",
    "compare",
    "wide",
    "checking",
    "risk",
    "attacks",
    "places",
    "utility",
    "mondrian",
    "greedy_cover",
    "forest",
    "simple_local",
    "tightest",
    "k_optimize",
    "r_gather",
    "cellular",
    "clusters",
    "bounds",
    "distances",
    "guarantees",
):
    subprocess.run([sys.executable, str(Path(__file__).parent / f"{script}.py")], check=False)
