"""`shoal schema`."""

from typing import Annotated

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
    from shoal.foundation.errors import SpecError
    from shoal.jobs.job import Job
    from shoal.releases.rules.rules import Rules

    if what not in ("job", "rules"):
        raise SpecError(f"There is no schema of '{what}': known are job, rules.")
    print_json((Job if what == "job" else Rules).model_json_schema())
