"""`shoal check`."""

from typing import Annotated, Any

import typer

from shoal.cli import request
from shoal.cli.show import print_claims, print_json, progress, words
from shoal.foundation.wording import number_of


def check(
    file: Annotated[
        str, typer.Argument(help="A table made by any tool: a file, the folder of a release, or the URL of a database.")
    ],
    quasi: Annotated[str, typer.Option(help="Columns that an attacker may know: a,b,c.")],
    sensitive: request.Sensitive = None,
    require: request.Require = None,
    entity: request.Entity = None,
    delimiter: request.Delimiter = None,
    table: request.Table = None,
    sheet: request.Sheet = None,
    as_json: request.AsJson = False,
    quiet: request.Quiet = False,
) -> None:
    """Measure a table made by any tool: classes, k, and what every model reaches. With --require, judge it."""
    from shoal.actions.check import check as measure

    known, protected, between = request.names(quasi), request.names(sensitive), request.separator(delimiter)
    with progress(quiet=quiet) as show:
        found = measure(
            request.read_from(file, table, sheet),
            quasi=known,
            sensitive=protected,
            require=list(map(request.promise, require or [])),
            entity=entity,
            delimiter=between,
            progress=show,
        )
    if as_json:
        print_json(found)
    else:
        _print(found)
    if not all(claim["holds"] for claim in found.get("claims", [])):
        raise typer.Exit(4)


def _print(found: dict[str, Any]) -> None:
    classes = found["classes"]
    print(f"records:    {found['records']}")
    if "persons" in found:
        print(f"persons:    {found['persons']}")
    print(f"classes:    {classes['count']}, of {classes['smallest']} to {classes['largest']} records")
    unit = " persons" if "persons" in found else ""
    print(f"k:          {found['k']}{unit} (with missing values and stars as wildcards: {found['k_wildcard']})")
    for column, reached in found["sensitive"].items():
        print(f"{column}:")
        for name, value in reached.items():
            print(f"  {name}: {words(value)}")
    if "claims" in found:
        print()
        print_claims(found["claims"])
        for row in found["failing"]:
            fail = "fails" if row["classes"] == 1 else "fail"
            print(f"{number_of(row['classes'], 'class')} of {number_of(row['size'], 'record')} {fail}")
