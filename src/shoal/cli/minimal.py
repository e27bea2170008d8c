"""`shoal minimal`."""

from pathlib import Path
from typing import Annotated

import typer

from shoal.cli.request import AsJson, Quiet, names
from shoal.cli.show import print_json, progress, words


def minimal(
    job: Annotated[Path, typer.Argument(help="Job file (.toml).")],
    strategy: Annotated[
        str | None,
        typer.Option(
            help="Columns in the order in which they are generalized; lists the lowest allowed node on that path."
        ),
    ] = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """List all minimal generalizations: allowed ones below which no other is allowed."""
    from shoal.actions.minimal import minimal_of
    from shoal.jobs.job import Job

    with progress(quiet=quiet) as show:
        found = minimal_of(Job.read(job), show, strategy=() if strategy is None else names(strategy))
    if as_json:
        print_json({"minimal": found})
        return
    for levels in found:
        print(words(levels))
