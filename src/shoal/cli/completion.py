"""Completion in a shell: the words that the values of flags may be. Files are left to the shell.

The words are written down here, since the shelves that know them load too much for a key to be pressed and answered; a
test compares the two.
"""

import os
import sys
from collections.abc import Callable
from pathlib import Path

import typer

ALGORITHMS = (
    "auto", "tightest", "exact", "optimal", "exhaustive", "samarati", "incognito", "attribute-suppression",
    "tuple-suppression", "mondrian", "m-approximation", "top-down", "forest", "greedy-cover", "two-factor-2",
    "two-factor-3", "optimal-2", "k-optimize", "r-gather", "r-gather-outliers", "rk-center", "rk-center-outliers",
    "cellular", "r-cellular", "r-cellular-outliers", "mdav", "microaggregation",
)  # fmt: skip
MEASURES = (
    "lm", "ncp", "stars", "tree", "entropy", "monotone-entropy", "nonuniform-entropy", "absolute-distance",
    "relative-distance", "precision", "discernibility", "class-size", "distribution", "suppression", "ambiguity",
    "classification",
)  # fmt: skip
MODELS = (
    "k-anonymity", "distinct-l-diversity", "entropy-l-diversity", "recursive-cl-diversity", "frequency-l-diversity",
    "p-sensitive-k-anonymity", "alpha-k-anonymity", "t-closeness", "beta-likeness", "delta-disclosure", "k-map",
    "delta-presence",
)  # fmt: skip
HIERARCHIES = ("levels", "intervals", "masking", "dates", "taxonomy", "order", "ranges", "sets", "suppression")
OWN_HIERARCHIES = ("auto", "frequency", "groups")
DISTANCES = ("number", "equal", "tree", "matrix", "place")
FORMATS = ("csv", "parquet", "xlsx", "sav", "dta")
ATTACKS = ("linkage", "homogeneity", "background-knowledge", "skewness", "similarity", "composition")
FIGURES = ("columns", "pairs", "propensity", "classification")
LEARNERS = ("logistic", "tree", "forest")

SHELLS = ("bash", "zsh", "fish", "powershell", "pwsh")

Completer = Callable[[str], list[str]]


def one_of(*words: str) -> Completer:
    """Complete a word."""

    def complete(incomplete: str) -> list[str]:
        return [word for word in words if word.startswith(incomplete)]

    return complete


def some_of(*words: str) -> Completer:
    """Complete the last of several words with commas between; those that are there already are not offered again."""

    def complete(incomplete: str) -> list[str]:
        before, comma, last = incomplete.rpartition(",")
        return [before + comma + word for word in words if word.startswith(last) and word not in before.split(",")]

    return complete


def after_column(*words: str) -> Completer:
    """Complete what follows a column and `=`; in bash that is a word of its own, and a file is looked for."""

    def complete(incomplete: str) -> list[str]:
        column, equals, begun = incomplete.partition("=")
        return [column + equals + word for word in words if equals and word.startswith(begun)]

    return complete


def show_completion(value: bool) -> None:
    """Print the script of a shell, and end."""
    if value:
        from typer.completion import get_completion_script  # type: ignore[attr-defined]

        name = "shoal"
        print(get_completion_script(prog_name=name, complete_var=f"_{name.upper()}_COMPLETE", shell=_shell("show")))
        raise typer.Exit


def install_completion(value: bool) -> None:
    """Write the script of a shell to where that looks for it, and end."""
    if value:
        from typer.completion import install  # type: ignore[attr-defined]

        shell, path = install(shell=_shell("install"), prog_name="shoal", complete_var="_SHOAL_COMPLETE")
        print(f"Completion for {shell} is in {path}: open a new terminal.")
        raise typer.Exit


def _shell(verb: str) -> str:
    """Return the shell that is named after the flag, or else the one that the user has."""
    from shoal.foundation.errors import SpecError

    flag = f"--{verb}-completion"
    named = sys.argv[sys.argv.index(flag) + 1 :][:1] if flag in sys.argv else []
    shell = named[0] if named else Path(os.environ.get("SHELL", "")).name
    if shell not in SHELLS:
        told = f"'{shell}' is no shell that is known here" if named else "It cannot be told which shell this is"
        raise SpecError(f"{told}. Name one: shoal {flag} {'|'.join(SHELLS[:3])}.")
    return shell
