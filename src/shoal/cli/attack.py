"""`shoal attack`."""

from typing import Annotated, Any, cast

import typer

from shoal.audits.attacks import NAMES
from shoal.cli import completion, request
from shoal.cli.printing.findings import print_findings
from shoal.cli.show import print_json, progress


def attack(
    releases: Annotated[
        list[str],
        typer.Argument(
            metavar="RELEASE...",
            help="Folder of a release, or a table made by any tool with --quasi: a file, or a URL. Several, in "
            "chronological order, are a series.",
        ),
    ],
    public: Annotated[
        str | None, typer.Option(help="A table of persons to join with the release: a file, or a URL.")
    ] = None,
    truth: Annotated[
        str | None, typer.Option(help="Columns that identify persons in --public and in the release or --raw: a,b.")
    ] = None,
    raw: request.Raw = None,
    other: Annotated[str | None, typer.Option(help="Another release of the same table.")] = None,
    on: Annotated[
        str | None, typer.Option(help="Columns to join on, a,b or a=name_in_public; default all that both have.")
    ] = None,
    quasi: request.Quasi = None,
    sensitive: request.Sensitive = None,
    hierarchy: request.Hierarchies = None,
    attacks: Annotated[
        str | None,
        typer.Option(
            "--attack",
            help=f"Attacks to run: {', '.join(NAMES)}.",
            autocompletion=completion.some_of(*NAMES),
        ),
    ] = None,
    missing: Annotated[
        str,
        typer.Option(
            help="How missing values match: as a wildcard for any value, or as a category of their own.",
            autocompletion=completion.one_of("wildcard", "category"),
        ),
    ] = "wildcard",
    rule_out: Annotated[int, typer.Option(help="How many values background knowledge may rule out.", min=0)] = 2,
    gain: Annotated[str, typer.Option(help="Smallest gain over the prior at which skewness counts a class.")] = "0.5",
    width: Annotated[str, typer.Option(help="Share of the range within which similarity counts a class.")] = "0.1",
    others_known: Annotated[
        bool, typer.Option("--others-known", help="The attacker knows the other sensitive columns.")
    ] = False,
    swaps: Annotated[int, typer.Option(help="Number of swapped tables for replay.", min=1)] = 100,
    sample: Annotated[
        int, typer.Option(help="Largest number of records (or persons) to examine; 0 means all.", min=0)
    ] = 1_000_000,
    seed: Annotated[int, typer.Option(help="Seed of samples and swapped tables.", min=0)] = 0,
    persons: Annotated[
        list[str] | None,
        typer.Option(help="For a series: the table of the persons in a release; once for each release, in order."),
    ] = None,
    k: Annotated[
        int | None, typer.Option(help="For a series: the smallest number of records that may be a person's.")
    ] = None,
    l: Annotated[int | None, typer.Option(help="For a series: no value may be likelier than 1/l.")] = None,  # noqa: E741
    worlds: Annotated[
        int, typer.Option(help="For a series: largest number of placements of persons to enumerate.", min=0)
    ] = 1_000_000,
    show_cells: Annotated[
        bool, typer.Option("--show-cells", help="Show the cells of the classes, and the values concerned.")
    ] = False,
    fail_above: Annotated[
        float | None, typer.Option(help="Exit with code 4 if an attack reaches more than this share.", min=0, max=1)
    ] = None,
    delimiter: request.Delimiter = None,
    table: request.Table = None,
    sheet: request.Sheet = None,
    public_table: Annotated[str | None, typer.Option(help="Table of the database that --public is.")] = None,
    public_sheet: Annotated[str | None, typer.Option(help="Sheet of the workbook that --public is.")] = None,
    raw_table: request.RawTable = None,
    raw_sheet: request.RawSheet = None,
    other_table: Annotated[str | None, typer.Option(help="Table of the database that --other is.")] = None,
    other_sheet: Annotated[str | None, typer.Option(help="Sheet of the workbook that --other is.")] = None,
    as_json: request.AsJson = False,
    quiet: request.Quiet = False,
) -> None:
    """Attack a release, or a series of releases, by the methods of the literature; show whom they reach."""
    from shoal.actions.attack import attack as run

    recipes = dict(map(request.hierarchy, hierarchy or []))
    known, protected = request.names(quasi), request.names(sensitive)
    request.check_named(recipes, [*known, *protected])
    given = [request.read_from(one, table, sheet) for one in releases]
    with progress(quiet=quiet) as shown:
        found = run(
            given if len(given) > 1 else given[0],
            public=request.read_from(public, public_table, public_sheet),
            truth=request.names(truth),
            raw=request.read_from(raw, raw_table, raw_sheet),
            other=request.read_from(other, other_table, other_sheet),
            on=_pairs(on),
            quasi={name: recipes.get(name) for name in known},
            sensitive={name: recipes.get(name) for name in protected},
            attacks=request.names(attacks),
            missing=cast("Any", missing),  # refused there if it is neither
            rule_out=rule_out,
            gain=gain,
            width=width,
            others_known=others_known,
            swaps=swaps,
            sample=sample,
            seed=seed,
            persons=persons or [],
            k=k,
            l=l,
            worlds=worlds,
            delimiter=request.separator(delimiter),
            progress=shown,
        )
    if as_json:
        print_json(found.as_dict(show=show_cells))
    else:
        print_findings(found, show=show_cells)
    if fail_above is not None and found.above(fail_above):
        raise typer.Exit(4)


def _pairs(text: str | None) -> dict[str, str]:
    """Read `a,b=name`."""
    pairs = [name.partition("=") for name in request.names(text)]
    return {name.strip(): public.strip() or name.strip() for name, _, public in pairs}
