"""`shoal init`."""

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli import request
from shoal.cli.show import print_json, progress
from shoal.foundation.errors import SpecError
from shoal.foundation.wording import number_of

if TYPE_CHECKING:
    from shoal.actions.init import Proposal


def init(
    file: Annotated[str, typer.Argument(help="The table to examine: a file, or a URL with --table.")],
    out: Annotated[Path, typer.Option(help="Folder for the job file and its hierarchies.")] = Path("job"),
    force: Annotated[bool, typer.Option(help="Replace an existing folder.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Accept all suggestions without asking.")] = False,
    k: Annotated[int, typer.Option(help="The smallest size of a class.", min=1)] = 5,
    quasi: request.Quasi = None,
    sensitive: request.Sensitive = None,
    insensitive: request.Insensitive = None,
    drop: request.Drop = None,
    omit: request.Omit = None,
    entity: request.Entity = None,
    household: request.Household = None,
    groups: Annotated[
        list[str] | None,
        typer.Option(help="Groups of the values of a column: job=groups.csv, rows 'value;group'; may be repeated."),
    ] = None,
    missing_values: Annotated[
        str | None,
        typer.Option(help="Texts that stand for a missing value: NA,-,.; detected if not given, '' means none."),
    ] = None,
    delimiter: request.Delimiter = None,
    table: request.Table = None,
    sheet: request.Sheet = None,
    as_json: request.AsJson = False,
    quiet: request.Quiet = False,
) -> None:
    """Examine a table and write a commented job file: roles with reasons, hierarchies to edit, privacy models."""
    from shoal.actions.init import init as look
    from shoal.actions.init import roles_given
    from shoal.cli.dialogue import confirmed
    from shoal.foundation.atomic_write import check_folder

    check_folder(out, [Path(file)], force=force)
    roles = roles_given(request.roles(quasi, sensitive, insensitive, drop, entity, omit, household))
    ask = not (yes or as_json) and sys.stdin.isatty() and sys.stderr.isatty()
    if not (ask or yes or as_json or quiet):
        print("This is no terminal, so nothing is asked: all suggestions are taken, as with --yes.", file=sys.stderr)
    with progress(quiet=quiet) as show:
        found = look(
            request.read_from(file, table, sheet),
            roles=roles,
            k=k,
            groups=dict(map(_groups, groups or [])),
            delimiter=request.separator(delimiter),
            missing_values=None if missing_values is None else request.names(missing_values),
            progress=show,
        )
        telling = found.telling
        job = None if ask else found.write(out, force=force)
    if job is None:
        found = confirmed(found, telling)
        with progress(quiet=quiet) as show:
            found = replace(found, progress=show)
            job = found.write(out, force=force)
    if as_json:
        print_json(found.as_dict() | {"job": str(job)})
    else:
        _print(found, job, shown=ask)


def _groups(text: str) -> tuple[str, str]:
    column, equals, file = (part.strip() for part in text.rpartition("="))
    if not equals or not column or not file:
        raise SpecError(f"Cannot read '--groups {text}'. Write: column=file.")
    return column, file


def _print(found: "Proposal", job: Path, *, shown: bool) -> None:
    from shoal.cli.dialogue import print_columns, print_telling

    if not shown:
        print_columns(found)
        print()
    print_telling(found.telling)
    print()
    for warning in found.warnings:
        print(f"note: {warning}")
    if found.undecided:
        names = ", ".join(column.name for column in found.undecided)
        print(f"undecided: {names} (the safe choice was taken: see the reasons in the job, and decide)")
    print(f"job:         {job}")
    if found.files:
        unused = sum(found.ladders[name].recipe is not None for name in found.files)
        taken = f"; {unused} in place of a recipe, if the job says so" if unused else ""
        files = number_of(len(found.files), "file")
        print(f"hierarchies: {job.parent / 'hierarchies'} ({files}, to be edited{taken})")
    print(f"next:        shoal anonymize {job} --out release")
