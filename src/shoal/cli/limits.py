"""The flags that limit what a command reads: the same for every command."""

from collections.abc import Callable
from functools import wraps
from inspect import Parameter, signature
from typing import Annotated, Any, ParamSpec, cast

import typer

from shoal.foundation.budgets import limits

P = ParamSpec("P")

_PANEL = "Limits on what is read"
_FLAGS = {
    "max_records": Annotated[
        int | None,
        typer.Option(min=1, help="Largest number of records in a table; default 250 million.", rich_help_panel=_PANEL),
    ],
    "max_bytes": Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Largest size of a file in bytes, uncompressed; default 64 GiB for a table, 128 MiB for other files.",
            rich_help_panel=_PANEL,
        ),
    ],
    "timeout": Annotated[
        float | None,
        typer.Option(
            help="Longest time in seconds to read records from a database; default 3600.", rich_help_panel=_PANEL
        ),
    ],
}


def limited(command: Callable[P, None]) -> Callable[P, None]:
    """Return a command that takes the flags, too, and reads within their limits."""

    @wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        given = {name: cast("Any", kwargs.pop(name, None)) for name in _FLAGS}
        with limits(**given):
            command(*args, **kwargs)

    shown = signature(command)
    flags = [Parameter(name, Parameter.KEYWORD_ONLY, default=None, annotation=hint) for name, hint in _FLAGS.items()]
    changed = cast("Any", run)
    changed.__signature__ = shown.replace(parameters=[*shown.parameters.values(), *flags])
    changed.__annotations__ = {**command.__annotations__, **_FLAGS}
    return run
