"""`shoal verify`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli.request import AsJson, Quiet
from shoal.cli.show import plain_console, print_claims, print_json, progress

if TYPE_CHECKING:
    from shoal.actions.verification.series import VerifiedSeries


def verify(
    release: Annotated[Path, typer.Argument(help="Folder of a release, its data, or its certificate.")],
    output: Annotated[
        str | None,
        typer.Option(
            help="URL of the database with the released table, if it was moved, or if you have only the public "
            "certificate."
        ),
    ] = None,
    raw: Annotated[
        bool,
        typer.Option("--raw", help="Also derive the loss, and everything else about the raw table, from that table."),
    ] = False,
    raw_table: Annotated[
        str | None, typer.Option(help="The raw table, if it is not at the path in the job: a file.")
    ] = None,
    bound: Annotated[
        bool,
        typer.Option("--bound", help="Prove the bound by the stored charges, and also repeat the search; with --raw."),
    ] = False,
    witness: Annotated[
        bool, typer.Option("--witness", help="Prove the bound by the stored charges only; with --raw.")
    ] = False,
    key: Annotated[
        list[Path] | None, typer.Option(help="Public key file with which the release must be signed; may be repeated.")
    ] = None,
    earlier: Annotated[
        list[Path] | None,
        typer.Option(help="Public folder of an earlier release of the series; may be repeated."),
    ] = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Derive every claim of a release again from its file, and compare with its certificate.

    Takes the steward's folder, or the data with certificate-public.json beside it.
    """
    from shoal.actions.verify import verify as derive

    with progress(quiet=quiet) as show:
        found = derive(
            release,
            url=output,
            raw=raw_table or raw,
            bound=bound,
            witness=witness,
            keys=key or (),
            earlier=earlier or (),
            progress=show,
        )
    if as_json:
        print_json(found.as_dict())
        return
    what = "table" if "database" in found.findings.file else "file"
    files = f"the {what} is the one that was" if found.n_files == 1 else f"the {what}s are those that were"
    print(f"verdict: {found.verdict}, and {files} certified")
    print()
    print_claims([claim.as_dict() for claim in found.findings.claims])
    if found.proven is not None:
        print(f"bound: {found.proven:g} is proven by the charges that are kept, in whole units, without a search")
    if found.series is not None:
        _print_series(found.series)
    for promise, reason in found.not_derived.items():
        print(f"not derived here: {promise}: {reason}")
    for name, used in found.signatures.items():
        print(f"signature: {name} {'was not checked (--key)' if used is None else f'fits the key {used}'}")
    if found.told:
        print(f"told by the certificate, not derived here: {', '.join(found.told)}")
    if found.others:
        print(f"in the folder, but not bound by the release: {', '.join(found.others)}")


def _print_series(found: "VerifiedSeries") -> None:
    """Print what was derived of a series, and what the chain says of each release."""
    from rich.table import Table  # loads where something is printed

    print(f"series: {found.words()}")
    table = Table("release", "records", "counterfeits", "withheld", "posterior", "at hand", box=None, pad_edge=False)
    for one in found.releases:
        number = one["number"]
        seen = "linked" if number in found.linked else "compared" if number in found.compared else "no"
        withheld = "few" if one["withheld"] is None else str(one["withheld"])
        figures = (str(number), str(one["records"]), str(one["counterfeits"]), withheld, one["posterior"])
        table.add_row(*figures, "this one" if number == found.number else seen)
    plain_console().print(table)
