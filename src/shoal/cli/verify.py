"""`shoal verify`."""

from pathlib import Path
from typing import Annotated

import typer

from shoal.cli.request import AsJson, Quiet
from shoal.cli.show import print_claims, print_json, progress


def verify(
    release: Annotated[Path, typer.Argument(help="Folder of a release, its data, or the certificate to go by.")],
    output: Annotated[
        str | None,
        typer.Option(
            help="URL of the database that the released table is in, if it was moved, or if only the public "
            "certificate is here."
        ),
    ] = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Derive every claim of a release again from its file, and compare all with its certificate.

    The folder of the steward will do, and so will the data with certificate-public.json beside it.
    """
    from shoal.actions.verify import verify as derive

    with progress(quiet=quiet) as show:
        found = derive(release, url=output, progress=show)
    if as_json:
        print_json(found.as_dict())
        return
    what = "table" if "database" in found.findings.file else "file"
    files = f"the {what} is the one that was" if found.n_files == 1 else f"the {what}s are those that were"
    print(f"verdict: {found.verdict}, and {files} certified")
    print()
    print_claims([claim.as_dict() for claim in found.findings.claims])
    for promise, reason in found.not_derived.items():
        print(f"not derived here: {promise}: {reason}")
