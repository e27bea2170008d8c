"""`shoal apply`."""

from pathlib import Path
from typing import Annotated, Any

import typer

from shoal.cli import completion, request
from shoal.cli.show import (
    print_changes,
    print_claims,
    print_files,
    print_hands,
    print_json,
    print_meaning,
    progress,
    words,
)
from shoal.foundation.wording import number_of


def apply(
    rules: Annotated[Path, typer.Argument(help="The rules.json of a release, or its folder.")],
    file: Annotated[
        str,
        typer.Argument(help="The table to recode, with the same columns as the first: a file, or a URL with --table."),
    ],
    out: Annotated[Path, typer.Option(help="Folder for the release.")] = Path("release"),
    force: Annotated[bool, typer.Option(help="Replace an existing folder or database table.")] = False,
    failing: Annotated[
        str,
        typer.Option(
            help="Records that the rules do not cover, or whose class fails: refuse, or suppress up to the limit.",
            autocompletion=completion.one_of("refuse", "suppress"),
        ),
    ] = "refuse",
    max_suppressed: Annotated[
        str | None, typer.Option(help="Share of records that may be suppressed; replaces the limit of the rules.")
    ] = None,
    changed: Annotated[
        str,
        typer.Option(
            help="Hierarchy files that changed since the rules were made: refuse or allow.",
            autocompletion=completion.one_of("refuse", "allow"),
        ),
    ] = "refuse",
    show_missing: Annotated[
        bool, typer.Option(help="Show the values that the rules do not cover. They are data.")
    ] = False,
    seed: Annotated[int | None, typer.Option(help="Seed, to reproduce the random order.")] = None,
    delimiter: request.Delimiter = None,
    table: request.Table = None,
    sheet: request.Sheet = None,
    format_: request.ReleaseFormat = None,
    output: request.Output = None,
    output_table: request.OutputTable = None,
    pseudonym_key: request.PseudonymKey = None,
    as_json: request.AsJson = False,
    quiet: request.Quiet = False,
) -> None:
    """Recode another table by the rules of a release and derive all claims again, or refuse."""
    from shoal.actions.apply import apply as recoded
    from shoal.foundation.atomic_write import check_folder
    from shoal.foundation.errors import CertificateError

    check_folder(out, [rules, Path(file), *([] if pseudonym_key is None else [pseudonym_key])], force=force)
    with progress(quiet=quiet) as show:
        try:
            release = recoded(
                rules,
                request.read_from(file, table, sheet),
                failing=failing,  # type: ignore[arg-type]
                max_suppressed=max_suppressed,
                changed=changed,  # type: ignore[arg-type]
                show_missing=show_missing,
                seed=seed,
                delimiter=request.separator(delimiter),
                format=format_,
                output=output,
                output_table=output_table,
                pseudonym_key=pseudonym_key,
                progress=show,
            )
        except CertificateError as refusal:
            if show_missing and not as_json:
                _print_unknown(refusal.diagnosis.get("unknown", {}))
            raise
        certificate = release.write(out, force=force, progress=show)
    unknown = release.run.applied.unknown if release.run.applied is not None else {}
    if as_json:
        print_json({**certificate, "unknown": unknown})
        return
    _print(certificate, release.useful, out)
    _print_unknown(unknown)


def _print(certificate: dict[str, Any], useful: Any, out: Path) -> None:
    records, rules, loss = certificate["records"], certificate["rules"], certificate["loss"]
    classes = certificate.get("clusters") or certificate["classes"]
    print_files(certificate, useful, out)
    print_claims(certificate["claims"])
    print()
    print(f"records:     {records['released']} released, {records['suppressed']} suppressed, of {records['input']}")
    if records["suppressed"]:
        print(f"             not covered by the rules: {rules['outside']}; in classes that failed: {rules['failing']}")
    print(f"classes:     {classes['count']}, of {classes['smallest']} to {classes['largest']} records")
    print(f"loss:        {loss['measure']} {loss['share']:.2%} ({words(float(loss['total']))}); no search, so no bound")
    print_meaning(loss["measure"], 13)
    print_changes(useful, out)
    print()
    print("together:    its classes are those of the first release, so one can be subtracted from the other: who alone")
    print("             left a class, or joined it, has the row that differs.")
    print("             `shoal attack FIRST THIS` counts whom that concerns. Where persons come and leave, release a")
    print("             series from its first table on: `shoal anonymize --series`")
    print_hands(certificate, out)


def _print_unknown(unknown: dict[str, Any] | Any) -> None:
    """Print which columns have values that the rules do not cover, and these if they were asked for."""
    for name, count in unknown.items():
        values, records = number_of(count["values"], "different value"), number_of(count["records"], "record")
        print(f"not covered: column '{name}': {values} in {records}")
        for value in count.get("shown", ()):
            print(f"             {'(missing)' if value is None else value}")
