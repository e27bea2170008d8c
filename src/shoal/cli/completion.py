"""Completion in a shell: the words that the values of flags may be. Files are left to the shell.

The words are asked of the shelves when a key is pressed, and not before; a shelf knows its names without loading much.
"""

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import typer

SHELLS = ("bash", "zsh", "fish", "powershell", "pwsh")

Completer = Callable[[str], list[str]]
Words = Callable[[], Sequence[str]]


def algorithms() -> list[str]:
    """Return the names of the algorithms."""
    from shoal.search.algorithms import ALGORITHMS

    return ["auto", *ALGORITHMS.offered]


def engines() -> list[str]:
    """Return the names of the engines."""
    from shoal.search.engines import ENGINES

    return ["auto", *ENGINES]


def measures() -> list[str]:
    """Return the names of the measures."""
    from shoal.measures import MEASURES

    return MEASURES.offered


def models() -> list[str]:
    """Return the names of the privacy models."""
    from shoal.models import MODELS

    return MODELS.offered


def masks() -> list[str]:
    """Return the names of masks."""
    from shoal.tables.masks import MASKS

    return list(MASKS)


def hierarchies() -> list[str]:
    """Return the types of hierarchies."""
    from shoal.tables.hierarchies import HIERARCHIES

    return HIERARCHIES.offered


def distances() -> list[str]:
    """Return the types of distances."""
    from shoal.clusters.distances import DISTANCES

    return DISTANCES.offered


def formats() -> list[str]:
    """Return the formats that can be written; whether a plug-in's can, is known once it is loaded."""
    from shoal.tables.formats import FORMATS

    return [name for name in FORMATS.offered if name not in FORMATS.own or FORMATS.declared(name, "writes")]


def examples() -> list[str]:
    """Return the names of the examples."""
    from shoal.actions.example import titles

    return list(titles())


def one_of(*words: str | Words) -> Completer:
    """Complete a word."""

    def complete(incomplete: str) -> list[str]:
        return [word for word in _listed(words) if word.startswith(incomplete)]

    return complete


def some_of(*words: str | Words) -> Completer:
    """Complete the last of several words with commas between; those that are there already are not offered again."""

    def complete(incomplete: str) -> list[str]:
        before, comma, last = incomplete.rpartition(",")
        left = [word for word in _listed(words) if word not in before.split(",")]
        return [before + comma + word for word in left if word.startswith(last)]

    return complete


def after_column(*words: str | Words) -> Completer:
    """Complete what follows a column and `=`; in bash that is a word of its own, and a file is looked for."""

    def complete(incomplete: str) -> list[str]:
        column, equals, begun = incomplete.partition("=")
        return [column + equals + word for word in _listed(words) if equals and word.startswith(begun)]

    return complete


def _listed(words: Sequence[str | Words]) -> list[str]:
    return [word for one in words for word in ([one] if isinstance(one, str) else one())]


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
