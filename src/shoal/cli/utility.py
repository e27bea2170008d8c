"""`shoal utility`."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoal.audits.utility import FIGURES, LEARNERS
from shoal.cli import completion, request
from shoal.cli.show import plain_console, print_json, print_meaning, progress, words

if TYPE_CHECKING:
    from rich.table import Table

_PAIRS = 10  # pairs of columns that are printed
_QUANTILES = (0.05, 0.5, 0.95)  # those that are printed
_BAR = 24  # letters of a whole bar


def utility(
    release: Annotated[str, typer.Argument(help="Folder of a release, or a table made by any tool with --quasi.")],
    raw: request.Raw = None,
    quasi: request.Quasi = None,
    sensitive: request.Sensitive = None,
    hierarchy: request.Hierarchies = None,
    figures: Annotated[
        str | None,
        typer.Option(
            "--figure",
            help=f"What to measure: {', '.join(FIGURES)}.",
            autocompletion=completion.some_of(*FIGURES),
        ),
    ] = None,
    target: Annotated[
        str | None, typer.Option(help="Columns for a classifier to predict: a,b; default up to three sensitive ones.")
    ] = None,
    learner: Annotated[
        str,
        typer.Option(help=f"Classifiers: {', '.join(LEARNERS)}.", autocompletion=completion.some_of(*LEARNERS)),
    ] = "logistic,tree",
    measure: Annotated[
        str | None,
        typer.Option(
            help="Measure for the loss of a column; default that of the job, else lm.",
            autocompletion=completion.one_of(completion.measures),
        ),
    ] = None,
    weights: Annotated[
        str | None, typer.Option(help="Column of sampling weights in the release; default that of the job.")
    ] = None,
    split: Annotated[
        bool, typer.Option("--split", help="Run the job again on the training records of each fold of a classifier.")
    ] = False,
    folds: Annotated[int, typer.Option(help="Number of folds.", min=2)] = 5,
    sample: Annotated[
        int, typer.Option(help="Largest number of records of each table for a model; 0 means all.", min=0)
    ] = 20_000,
    named_from: Annotated[
        int | None,
        typer.Option(help="Number of raw records that must have a value for it to be named; default k, or 5.", min=1),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of random draws.", min=0)] = 0,
    distributions: Annotated[
        bool, typer.Option("--distributions", help="Print both distributions of each column.")
    ] = False,
    show_values: Annotated[
        bool, typer.Option("--show-values", help="With --json: include every raw value, however rare.")
    ] = False,
    delimiter: request.Delimiter = None,
    table: request.Table = None,
    sheet: request.Sheet = None,
    raw_table: request.RawTable = None,
    raw_sheet: request.RawSheet = None,
    as_json: request.AsJson = False,
    quiet: request.Quiet = False,
) -> None:
    """Measure how useful a release still is: distributions, correlations, propensity score, classifiers."""
    from shoal.actions.utility import utility as compare

    recipes = dict(map(request.hierarchy, hierarchy or []))
    known, protected = request.names(quasi), request.names(sensitive)
    request.check_named(recipes, [*known, *protected])
    with progress(quiet=quiet) as shown:
        found = compare(
            request.read_from(release, table, sheet),
            raw=request.read_from(raw, raw_table, raw_sheet),
            quasi={name: recipes.get(name) for name in known},
            sensitive={name: recipes.get(name) for name in protected},
            figures=request.names(figures),
            target=request.names(target),
            learner=request.names(learner),
            measure=measure,
            weights=weights,
            split=split,
            folds=folds,
            sample=sample,
            named_from=named_from,
            seed=seed,
            delimiter=request.separator(delimiter),
            progress=shown,
        )
    if as_json:
        print_json(found.as_dict(show=show_values))
    else:
        _print(found.as_dict(), distributions=distributions)


def _print(found: Mapping[str, Any], *, distributions: bool) -> None:
    before, after = found["records"]["before"], found["records"]["after"]
    print(f"records:  {before} before, {after} after")
    for title, printer in (
        ("columns", _print_columns),
        ("pairs", _print_pairs),
        ("propensity", _print_propensity),
        ("classification", _print_classification),
    ):
        if found[title]:
            print()
            printer(found)
    if distributions:
        for one in found["columns"]:
            print()
            _print_distribution(one)
    if found["not_run"] or found["notes"]:
        print()
    for what, reason in found["not_run"].items():
        print(f"not run: {what}: {reason}")
    for note in found["notes"]:
        print(f"note: {note}")


def _table(*header: str) -> "Table":
    from rich.table import Table  # loads where something is printed

    table = Table(box=None, pad_edge=False)
    for place, name in enumerate(header):
        table.add_column(name, justify="left" if place == 0 else "right", no_wrap=place > 0, overflow="fold")
    return table


def _show(table: "Table") -> None:
    plain_console().print(table)


def _print_columns(found: Mapping[str, Any]) -> None:
    measures = {one["loss"]["measure"] for one in found["columns"] if one["loss"] is not None}
    loss = f"loss\n({', '.join(measures)})" if measures else "loss"
    table = _table("\ncolumn", loss, "values\nbefore", "cells\nafter", "\nkept", "suppr-\nessed", "\nmissing")
    table.add_column("total\nvariation", justify="right", no_wrap=True)
    for one in found["columns"]:
        table.add_row(
            one["column"],
            "-" if one["loss"] is None else f"{one['loss']['share']:.1%}",
            str(one["distinct"]["before"]),
            str(one["distinct"]["after"]),
            _split(one["kept"], found["records"]["after"]),
            _split(one["suppressed"], found["records"]["after"]),
            _moved(one["missing"]),
            f"{one['total_variation']:.4f}{' ' if one['exact'] else '*'}",
        )
    _show(table)
    for measure in measures:
        print_meaning(measure)
    print(f"total variation: {_variation()}")
    if not all(one["exact"] for one in found["columns"]):
        print("* by bins; else value by value")
    numbers = [one for one in found["columns"] if one["numbers"] is not None]
    if numbers:
        print()
        _print_numbers(numbers)


def _variation() -> str:
    from shoal.jobs.glossary import VARIATION

    return VARIATION


def _moved(two: Mapping[str, int]) -> str:
    before, after = two["before"], two["after"]
    return str(before) if before == after else f"{before} > {after}"


def _split(number: int, whole: int) -> str:
    return f"{number / whole:.1%}" if whole else "-"


def _print_numbers(columns: list[Mapping[str, Any]]) -> None:
    table = _table("numbers", "mean", "deviation", *(f"{share:.0%}" for share in _QUANTILES))
    for one in columns:
        for side, name in (("before", one["column"]), ("after", "  after")):
            figures = one["numbers"][side]
            if figures is None:
                table.add_row(name, "-")
                continue
            quantiles = [words(figures["quantiles"][str(share)]) for share in _QUANTILES]
            table.add_row(name, words(figures["mean"]), words(figures["deviation"]), *quantiles)
    _show(table)


def _print_pairs(found: Mapping[str, Any]) -> None:
    table = _table("pair", "variation", "Cramér's V", "Pearson", "Spearman")
    for one in found["pairs"][:_PAIRS]:
        measures = (_change(one[name]) for name in ("cramers_v", "pearson", "spearman"))
        table.add_row(" + ".join(one["columns"]), f"{one['total_variation']:.4f}", *measures)
    _show(table)
    print(f"variation: {_variation()}")
    print("Cramér's V, Pearson, Spearman: how closely both columns go together, before > after")
    if len(found["pairs"]) > _PAIRS:
        print(f"and {len(found['pairs']) - _PAIRS} more pairs that changed less (--json lists all)")


def _change(two: Mapping[str, float | None] | None) -> str:
    if two is None:
        return ""
    before, after = ("-" if two[side] is None else f"{two[side]:.3f}" for side in ("before", "after"))
    return f"{before} > {after}"


def _print_propensity(found: Mapping[str, Any]) -> None:
    table = _table("propensity", "pMSE", "of the largest", "expected", "ratio", "standardized", "parameters")
    for one in found["propensity"]:
        figures = (one["expected"], one["ratio"], one["standardized"], one["parameters"])
        told = ("-" if figure is None else words(figure) for figure in figures)
        table.add_row(one["model"], words(one["pmse"]), f"{one['share']:.1%}", *told)
    _show(table)
    print("pMSE: how well a model tells released from raw records; 0 is not at all")
    print("expected: what chance alone gives; ratio: pMSE over that; 1 is as by chance")
    print("standardized: by how many standard deviations pMSE is above what is expected")


def _print_classification(found: Mapping[str, Any]) -> None:
    table = _table("classifier", "classes", "baseline", "raw", "raw, seen", "release", "retained")
    for one in found["classification"]:
        seen, retained = one["raw_seen"], one["retained"]
        table.add_row(
            f"{one['target']} ({one['learner']})",
            str(one["classes"]),
            f"{one['baseline']['mean']:.1%}",
            f"{one['raw']['mean']:.1%}",
            "-" if seen is None else f"{seen['mean']:.1%}",
            f"{one['released']['mean']:.1%}",
            "-" if retained is None else f"{retained:.0%}",
        )
    _show(table)
    print("baseline: always the most frequent class; raw, seen: tested on persons it learned")
    print("retained: how much is left of what 'raw, seen' gains over the baseline")


def _print_distribution(one: Mapping[str, Any]) -> None:
    table = _table(one["column"], "before", "after")
    table.add_column("")
    places = one["distribution"]["places"]
    longest = max((place[side] for place in places for side in ("before", "after")), default=1.0)
    for place in places:
        bars = "\n".join(mark * round(place[side] / longest * _BAR) for side, mark in (("before", "░"), ("after", "█")))
        label = f"({place['label']})" if place["special"] else place["label"]
        table.add_row(label, f"{place['before']:.1%}", f"{place['after']:.1%}", bars.strip("\n"))
    _show(table)
