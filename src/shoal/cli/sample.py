"""`shoal sample`."""

from pathlib import Path
from typing import Annotated

import typer

from shoal.cli import request
from shoal.cli.show import print_json, progress


def sample(
    rules: Annotated[
        Path, typer.Argument(help="The rules.json of a full-domain release of other persons, or its folder.")
    ],
    file: Annotated[
        str,
        typer.Argument(help="The table to draw from, with the columns of the first: a file, or a URL with --table."),
    ],
    epsilon: Annotated[
        str, typer.Option(help="How many times likelier an output may be with a person, as its logarithm: 1, say.")
    ],
    delta: Annotated[
        str, typer.Option(help="By how much that may fail: far below 1 divided by the number of persons, 1e-6 say.")
    ],
    out: Annotated[Path, typer.Option(help="Folder for the sample.")] = Path("sample"),
    force: Annotated[bool, typer.Option(help="Replace an existing folder.")] = False,
    independent: Annotated[
        str | None,
        typer.Option(help="Why the rules do not depend on these persons, in your words; they are passed on."),
    ] = None,
    beta: Annotated[
        str | None, typer.Option(help="Share of the records to keep, if not the one that fits best.")
    ] = None,
    k: Annotated[int | None, typer.Option(help="Least size of a class, if not the least that is enough.")] = None,
    records_per_person: Annotated[int, typer.Option(help="The most records that one person has.")] = 1,
    after: Annotated[
        list[Path] | None,
        typer.Option(help="Folder of an earlier sample of the same persons, to be added up; repeatable."),
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Refused: a sample cannot be repeated.")] = None,
    delimiter: request.Delimiter = None,
    table: request.Table = None,
    sheet: request.Sheet = None,
    format_: request.ReleaseFormat = None,
    as_json: request.AsJson = False,
    quiet: request.Quiet = False,
) -> None:
    """Release a random part of a table with differential privacy: fixed rules, and small classes dropped."""
    from shoal.actions.sample import sample as drawn
    from shoal.foundation.atomic_write import check_folder

    check_folder(out, [rules, Path(file), *(after or ())], force=force)
    with progress(quiet=quiet) as show:
        found = drawn(
            rules,
            request.read_from(file, table, sheet),
            epsilon=epsilon,
            delta=delta,
            independent=independent,
            beta=beta,
            k=k,
            records_per_person=records_per_person,
            after=after or (),
            seed=seed,
            delimiter=request.separator(delimiter),
            format=format_,
            progress=show,
        )
        said = found.write(out, force=force, progress=show)
    if as_json:
        print_json(said)
        return
    claimed, drawing, together = said["claimed"], said["mechanism"], said["together"]
    classes, earlier = said["classes"], len(said["earlier"])
    print(f"sample:      {out / said['file']['name']}")
    print(f"claimed:     epsilon {claimed['epsilon']}, delta {claimed['delta']:.3g} for each person")
    if earlier:
        print(f"together:    epsilon {together['epsilon']}, delta {together['delta']:.3g}, with what was before")
    print("             as far as what is declared is true: no file can prove how it was drawn")
    print(f"drawn:       each record with probability {drawing['beta']}; classes below {drawing['k']} dropped")
    print(f"records:     {said['records']}")
    print(f"classes:     {classes['count']}, of {classes['smallest']} to {classes['largest']} records")
    print()
    print(f"pass on:     {out}/")
    print("do not tell: how many records there were, how many were dropped, or what another run gave")
