"""`shoal hierarchy`."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoal.actions.suggestions import OWN_TYPES
from shoal.cli import completion, request
from shoal.cli.show import print_json, progress
from shoal.foundation.atomic_write import check_file
from shoal.foundation.errors import SpecError
from shoal.foundation.wording import number_of
from shoal.tables.hierarchies import HIERARCHIES

if TYPE_CHECKING:
    from rich.tree import Tree

    from shoal.actions.hierarchy import Sheet, SheetNode

_NAMED = 20  # lacking values that are named


def hierarchy(
    file: Annotated[
        str, typer.Argument(help="A table (a file, or a URL with --table), or a job file (its table and hierarchies).")
    ],
    column: Annotated[str, typer.Argument(help="The column.")],
    kind: Annotated[
        str,
        typer.Option(
            "--type",
            help=f"{', '.join(OWN_TYPES)}; or {', '.join(HIERARCHIES.own)}.",
            autocompletion=completion.one_of(*OWN_TYPES, completion.hierarchies),
        ),
    ] = "auto",
    out: Annotated[Path | None, typer.Option(help="Write it as an editable levels file.")] = None,
    force: Annotated[bool, typer.Option(help="Replace an existing file.")] = False,
    complete: Annotated[
        bool, typer.Option("--complete", help="Add the missing values, each by itself below the top.")
    ] = False,
    coarsened: Annotated[
        bool,
        typer.Option("--coarsened", help="Put groups together that would cost more entropy than those above them."),
    ] = False,
    widths: Annotated[str | None, typer.Option(help="For intervals: 5,10,20.")] = None,
    cuts: Annotated[str | None, typer.Option(help="For intervals, level by level: '18,40,65;40'.")] = None,
    start: Annotated[str | None, typer.Option(help="For intervals: where an interval starts.")] = None,
    steps: Annotated[
        str | None,
        typer.Option(
            help="For dates: day,month,quarter,year,decade.",
            autocompletion=completion.some_of("day", "month", "quarter", "year", "decade"),
        ),
    ] = None,
    date_format: Annotated[str | None, typer.Option("--format", help="For dates: the format in the data.")] = None,
    side: Annotated[
        str | None,
        typer.Option("--from", help="For masking: right or left.", autocompletion=completion.one_of("right", "left")),
    ] = None,
    levels: Annotated[int | None, typer.Option(help="For masking: the number of levels.", min=1)] = None,
    character: Annotated[str | None, typer.Option(help="For masking: the character that replaces others.")] = None,
    fanout: Annotated[int | None, typer.Option(help="For order: how many neighbours are merged.", min=2)] = None,
    order: Annotated[str | None, typer.Option(help="For order and ranges: all values in their order: a,b,c.")] = None,
    path: Annotated[Path | None, typer.Option(help="For levels, taxonomy and groups: the file.")] = None,
    breadth: Annotated[int, typer.Option(help="How many nodes to show below each node.", min=1)] = 8,
    delimiter: request.Delimiter = None,
    table: request.Table = None,
    sheet: request.Sheet = None,
    as_json: request.AsJson = False,
    quiet: request.Quiet = False,
) -> None:
    """Build the hierarchy of a column and show it as a tree; list values of the data that are missing from it."""
    from shoal.actions.hierarchy import hierarchy as make

    fields: dict[str, Any] = {
        "widths": request.names(widths) or None,
        "cuts": [request.names(level) for level in cuts.split(";")] if cuts else None,
        "start": start,
        "steps": request.names(steps) or None,
        "format": date_format,
        "from": side,
        "levels": levels,
        "character": character,
        "fanout": fanout,
        "order": request.names(order) or None,
        "path": None if path is None else str(path),
    }
    given = {name: value for name, value in fields.items() if value is not None}
    if out is not None:
        check_file(out, [Path(file), *([path] if path is not None and not complete else [])], force=force)
    with progress(quiet=quiet) as show:
        made = make(
            request.read_from(file, table, sheet),
            column,
            kind,
            delimiter=request.separator(delimiter),
            progress=show,
            **given,
        )
    lacking = made.lacking
    made = made.completed() if complete else made
    made = made.coarsened() if coarsened else made
    if out is not None:
        made.write(out, force=force)
    if as_json:
        print_json(made.as_dict())
    else:
        _print(made, lacking, breadth, complete=complete)
        if out is not None:
            print(f"written: {out}")
    if lacking and not complete:
        raise typer.Exit(SpecError.exit_code)


def _print(sheet: "Sheet", lacking: tuple[str, ...], breadth: int, *, complete: bool) -> None:
    from rich.tree import Tree  # loads where something is printed

    from shoal.cli.dialogue import shown
    from shoal.cli.show import plain_console

    root = sheet.tree()
    tree = Tree(_words(root))
    _grow(tree, root, breadth)
    plain_console().print(tree)
    sizes = sheet.as_dict()["levels"]
    print(f"levels: {', '.join(map(str, sizes))} nodes, from the values to the top" + _after(sheet.words))
    if sheet.missing:
        print(f"{number_of(sheet.missing, 'record', 'miss')} a value: that needs no row, and stays apart up to the top")
    if not lacking:
        return
    where = sys.stdout if complete else sys.stderr
    lacked = "lacked, and now has," if complete else "lacks"
    print(f"The hierarchy {lacked} {len(lacking)} of the {len(sheet.counts)} different values in the data:", file=where)
    for value in lacking[:_NAMED]:
        near = sheet.nearest(value)
        hint = f"; the hierarchy has '{shown(near)}'" if near is not None and near != value else ""
        print(f"  '{shown(value)}' ({number_of(sheet.counts[value], 'record')}{hint})", file=where)
    if len(lacking) > _NAMED:
        print(f"  ... and {len(lacking) - _NAMED} more (--json names all)", file=where)
    if not complete:
        print("Add a row for each, or let --complete --out FILE add them below the top.", file=where)


def _after(words: str) -> str:
    return f" ({words})" if words else ""


def _words(node: "SheetNode") -> str:
    from shoal.cli.dialogue import shown

    values = "" if not node.below else f"{number_of(node.values, 'value')}, "
    means = f" ({shown(node.means)})" if node.means else ""
    return f"{shown(node.label)}{means}  ({values}{number_of(node.records, 'record')})"


def _grow(tree: "Tree", node: "SheetNode", breadth: int) -> None:
    """Add what lies below a node, the first ones of many."""
    most = breadth if len(node.below) > breadth + 1 else breadth + 1  # a single rest takes no more room than its number
    for below in node.below[:most]:
        _grow(tree.add(_words(below)), below, breadth)
    if rest := node.below[most:]:
        tree.add(f"… {len(rest)} more  ({number_of(sum(one.records for one in rest), 'record')})")
