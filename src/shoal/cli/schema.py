"""`shoal schema`."""

from typing import Annotated, Any, cast

import typer

from shoal.cli import completion
from shoal.cli.show import print_json


def schema(
    what: Annotated[
        str,
        typer.Argument(
            help="job, for job files, or rules, for the rules of a release.",
            autocompletion=completion.one_of("job", "rules"),
        ),
    ] = "job",
) -> None:
    """Print the JSON schema of job files, or of rules."""
    from shoal.actions.schema import schema as described

    print_json(described(cast("Any", what)))  # refused there if it is neither
