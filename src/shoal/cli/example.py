"""`shoal example`."""

from pathlib import Path
from typing import Annotated

import typer

from shoal.cli import completion
from shoal.cli.request import AsJson
from shoal.cli.show import print_json


def example(
    name: Annotated[
        str | None,
        typer.Argument(
            help="Name of the example, such as hospital; without it, all are listed.",
            autocompletion=completion.one_of(completion.examples),
        ),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Folder for the copy; default examples/NAME.")] = None,
    force: Annotated[bool, typer.Option(help="Replace an existing folder.")] = False,
    as_json: AsJson = False,
) -> None:
    """Copy a worked example with its tables, hierarchies and jobs; or list the examples."""
    from shoal.actions.example import example as copied
    from shoal.actions.example import titles

    if name is None:
        _list(titles(), as_json=as_json)
        return
    folder = copied(name, out, force=force)
    if as_json:
        print_json({"folder": str(folder)})
    else:
        print(f"example: {folder} (begin with {folder / 'README.md'})")


def _list(known: dict[str, str], *, as_json: bool) -> None:
    """Print the names of the examples with their titles."""
    if as_json:
        print_json(known)
        return
    width = max(map(len, known))
    for name, title in known.items():
        print(f"{name:{width}}  {title}")
