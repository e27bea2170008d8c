"""`shoal compile`."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from shoal.cli.request import AsJson, Quiet
from shoal.cli.show import print_json, progress


def compile(  # noqa: A001  (the verb; nobody imports it but the command line)
    portable: Annotated[
        Path | None,
        typer.Option(help="Compile for every processor of this architecture, into this folder; used to build a wheel."),
    ] = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Compile all kernels for this machine now, so that no later command has to."""
    # a run that is interrupted leaves locks to the process that clears them away; it need not tell of it
    sys.warnoptions.append("ignore:resource_tracker:UserWarning")
    from shoal.actions.compile import compile_kernels, compile_portable

    with progress(quiet=quiet) as show:
        done = compile_kernels(show) if portable is None else compile_portable(portable, show)
    if as_json:
        print_json(
            {
                "kernels": done.kernels,
                "compiled": done.compiled,
                "seconds": round(done.seconds, 3),
                "folder": str(done.folder),
            }
        )
        return
    took = f", {done.compiled} of them compiled in {done.seconds:.0f} s" if done.compiled else ", as they were"
    print(f"{done.kernels} kernels are ready{took}: {done.folder}")
