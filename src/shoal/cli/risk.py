"""`shoal risk`."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from shoal.cli import request
from shoal.cli.show import plain_console, print_json, progress, words
from shoal.foundation.atomic_write import check_file, write_file
from shoal.foundation.wording import number_of

_COLUMNS, _PAIRS = 12, 5  # columns and pairs of columns that are told


def risk(
    data: Annotated[
        str,
        typer.Argument(help="A table (a file, or a URL) with --quasi, a job file, or the folder of a release."),
    ],
    quasi: request.Quasi = None,
    population: Annotated[
        str | None, typer.Option(help="Table of the population, one record for each person: a file, or a URL.")
    ] = None,
    weights: Annotated[str | None, typer.Option(help="Column of sampling weights.")] = None,
    fraction: Annotated[
        float | None, typer.Option(help="Share of the population that is in the table (sampling fraction).")
    ] = None,
    entity: Annotated[
        str | None, typer.Option(help="Column that says whose record it is, to count persons instead of records.")
    ] = None,
    household: Annotated[str | None, typer.Option(help="Column that says who lives together.")] = None,
    suda: Annotated[
        int, typer.Option(help="Largest size of minimal sample uniques to search; 0 skips the search.", min=0)
    ] = 3,
    threshold: Annotated[
        str | None, typer.Option(help="A risk that no record may exceed, e.g. 0.09; the exit code is the verdict.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="CSV file for the figures of each record.")] = None,
    force: Annotated[bool, typer.Option(help="Replace an existing file.")] = False,
    delimiter: request.Delimiter = None,
    table: request.Table = None,
    sheet: request.Sheet = None,
    population_table: Annotated[str | None, typer.Option(help="Table of the database that --population is.")] = None,
    population_sheet: Annotated[str | None, typer.Option(help="Sheet of the workbook that --population is.")] = None,
    as_json: request.AsJson = False,
    quiet: request.Quiet = False,
) -> None:
    """Measure the risk of re-identification: prosecutor, journalist and marketer risk, SUDA, unique columns."""
    from shoal.actions.risk import risk as measure

    if out is not None:
        check_file(out, [Path(one) for one in (data, population) if one is not None], force=force)
    with progress(quiet=quiet) as show:
        found = measure(
            request.read_from(data, table, sheet),
            quasi=None if quasi is None else request.names(quasi),
            population=request.read_from(population, population_table, population_sheet),
            weights=weights,
            fraction=fraction,
            entity=entity,
            household=household,
            suda=suda,
            threshold=threshold,
            delimiter=request.separator(delimiter),
            progress=show,
        )
    if out is not None:
        write_file(out, found.write_records, force=force)
    if as_json:
        print_json(found.as_dict())
    else:
        _print(found.as_dict())
    if threshold is not None and _exceeds(found.summary, threshold):
        raise typer.Exit(4)


def _exceeds(summary: Mapping[str, Any], threshold: str) -> bool:
    """Tell whether anybody is above the threshold: against the population if one is known, else in the table.

    Where the population is a model's, the model that fits the table judges, which is the more careful one.
    """
    from fractions import Fraction

    judged = summary["journalist"] or summary["prosecutor"]
    rows = judged.get("fitted", judged["strict"])["thresholds"]
    return any(row["above"] for row in rows if row["threshold"] == float(Fraction(threshold)))


def _print(found: Mapping[str, Any]) -> None:
    before = found["before"]
    for title, one in (("before", before), ("after" if before else "", found)):
        if one is not None:
            _print_counts(title, one)
    print()
    _print_risks(found, before)
    for title, one in (("before", before), ("after" if before else "", found)):
        if one is not None:
            print()
            _print_more(title, one)
    print()
    _print_columns(before or found)
    if "isolation" in found:
        print()
        _print_isolation(found["isolation"])


def _print_counts(title: str, one: Mapping[str, Any]) -> None:
    people = "" if one["persons"] is None else f" of {number_of(one['persons'], 'person')}"
    records, classes = number_of(one["records"], "record"), number_of(one["classes"], "class")
    print(f"{title + ':' if title else 'table:':<9}{records}{people} in {classes}")
    print(f"{'':9}k {one['k']} (with missing values and stars as wildcards: {one['k_wildcard']})")
    unit = one["unit"].removesuffix("s")
    print(f"{'':9}{number_of(one['unique']['number'], unit, 'are')} unique ({one['unique']['share']:.2%})")


def _readings(one: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Give each risk with its name; the wildcard reading only where it differs."""
    for name in ("prosecutor", "journalist"):
        if one[name] is not None:
            yield name, one[name]["strict"]
            if one[name]["wildcard"] != one[name]["strict"]:
                yield f"{name}, wildcards", one[name]["wildcard"]
            if "fitted" in one[name]:
                yield f"{name}, fitted", one[name]["fitted"]
    if "household" in one:
        yield "household", one["household"]
        if "strict" in one["household"]:
            yield "household, strict", one["household"]["strict"]


def _print_risks(found: Mapping[str, Any], before: Mapping[str, Any] | None) -> None:
    rows = found["prosecutor"]["strict"]["thresholds"]
    from rich.table import Table  # loads where something is printed

    table = Table("risk", "", "largest", "average", box=None, pad_edge=False)
    table.columns[0].no_wrap = True
    for row in rows:
        table.add_column(f"> {row['threshold']:.4g}\nk < {row['k']}", justify="right", no_wrap=True)
    earlier = dict(_readings(before)) if before is not None else {}
    for name, now in _readings(found):
        pairs = [("before", earlier[name])] if name in earlier else []
        for when, figures in [*pairs, ("after" if before is not None else "", now)]:
            shares = [_share(row["share"]) for row in figures["thresholds"]]
            table.add_row(_shown(name), when, words(figures["largest"]), words(figures["average"]), *shares)
    plain_console().print(table)


def _shown(name: str) -> str:
    """Indent another reading of the risk that stands above it."""
    _, comma, reading = name.partition(", ")
    return f"  {reading}" if comma else name


def _share(share: float) -> str:
    """Return a share so short that five fit in a line, and none that is not 0 looks like it."""
    return "0" if share == 0 else f"{share:.1%}" if share >= 0.0005 else "< 0.1%"


def _print_more(title: str, one: Mapping[str, Any]) -> None:
    """Print what concerns the table as a whole."""
    lead = f"{title}: " if title else ""
    marketer = one["marketer"].get("fitted", one["marketer"]["strict"])
    print(
        f"{lead}{words(marketer['expected'])} {one['unit']} are named rightly if all are matched "
        f"({marketer['share']:.2%}; by the {one['marketer']['basis']})"
    )
    if "household" in one["global"]:
        together = one["global"]["household"]
        print(
            f"{lead}{words(together['expected'])} records are expected to be found if whoever finds one of a household "
            f"finds all ({together['share']:.2%}; by the strict risks)"
        )
    if one["journalist"] is not None and one["journalist"].get("not_covered"):
        more = number_of(one["journalist"]["not_covered"], "record", "have")
        print(f"{lead}{more} more like them here than in the population")
    if one["uniqueness"] is not None:
        estimate = one["uniqueness"]
        print(
            f"{lead}{estimate['share']:.2%} of a population of {estimate['population']} are unique, and "
            f"{estimate['of_sample_uniques']:.2%} of the uniques here (estimated, model {estimate['model']})"
        )
    if "suda" in one:
        sizes = ", ".join(f"{count} of size {size}" for size, count in one["suda"]["msus"].items())
        print(f"{lead}minimal sample uniques (fewest values that only one record has): {sizes}")
        if one["suda"]["wildcard"]["msus"] != one["suda"]["msus"]:
            sizes = ", ".join(f"{count} of size {size}" for size, count in one["suda"]["wildcard"]["msus"].items())
            print(f"{lead}with wildcards: {sizes}")


def _print_isolation(found: Mapping[str, Any]) -> None:
    """Print the answer to the first question of WP216."""
    if not found["measured"]:
        print(f"singled out: not measured: {found['reason']}")
        return
    kinds = {
        "cells": "by the cells of a class",
        "ends": "and the end of a range",
        "elements": "and an element of a set",
    }
    unit = found["unit"].removesuffix("s")
    print(
        f"singled out: {found['isolating']} of {number_of(found['descriptions'], 'description')} that the release "
        f"prints fit exactly one {unit} of the raw table"
    )
    for one in found["kinds"]:
        print(f"  {kinds[one['kind']]:<24}{one['isolating']} of {one['predicates']}")


def _print_columns(one: Mapping[str, Any]) -> None:
    """Print which columns single people out, in the table before it was changed if that is known."""
    shares = one["singling_out"]
    print(f"unique by all columns: {shares['all']:.2%}")
    parts = one["suda"]["contributions"] if "suda" in one else {}
    from rich.table import Table  # loads where something is printed

    heads = ("columns", "unique alone", "unique without", *(["part of SUDA"] if parts else []))
    table = Table(*heads, box=None, pad_edge=False)
    for row in [*shares["columns"][:_COLUMNS], *shares["pairs"][:_PAIRS]]:
        part = [f"{parts[row['columns'][0]]:.2%}" if len(row["columns"]) == 1 else ""] if parts else []
        table.add_row(" + ".join(row["columns"]), f"{row['alone']:.2%}", f"{row['without']:.2%}", *part)
    plain_console().print(table)
    print("unique alone: if only these are known; without: if all but these are known")
    if parts:
        print("part of SUDA: the share of the minimal sample uniques that need the column,")
        print("each the heavier the fewer values it has")
    if (left := len(shares["columns"]) - _COLUMNS) > 0:
        print(f"and {number_of(left, 'more column')} by themselves, which tell less (--json lists all)")
