"""`shoal compare`."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoal.cli import completion, request
from shoal.cli.show import plain_console, print_json, print_meaning, progress, words
from shoal.foundation.errors import SpecError

if TYPE_CHECKING:
    from rich.table import Table

    from shoal.actions.comparison.comparison import Comparison
    from shoal.actions.comparison.settings import GridEntry
    from shoal.jobs.job import Job


def compare(
    source: request.Source = None,
    k: Annotated[str | None, typer.Option(help="Values of k: 2,5,10.")] = None,
    r: Annotated[str | None, typer.Option(help="Another name for --k.")] = None,
    algorithm: Annotated[
        str | None,
        typer.Option(
            help="Algorithms: optimal,mondrian:cut=loss,mode=relaxed,tightest.",
            autocompletion=completion.some_of(completion.algorithms),
        ),
    ] = None,
    max_suppressed: Annotated[str | None, typer.Option(help="Limits of suppression: 0,0.01,0.05.")] = None,
    measure: Annotated[
        str | None,
        typer.Option(
            help="Losses to minimize: lm,entropy. All losses are shown by the first.",
            autocompletion=completion.some_of(completion.measures),
        ),
    ] = None,
    require: Annotated[
        list[str] | None,
        typer.Option(
            help="A privacy model to require; may be repeated. Those with one model on one column are alternatives.",
            autocompletion=completion.one_of(completion.models),
        ),
    ] = None,
    threshold: Annotated[str, typer.Option(help="Count the records above this risk.")] = "0.09",
    out: Annotated[
        Path | None, typer.Option(help="Folder for frontier.csv, frontier.svg and a job file for each release.")
    ] = None,
    force: Annotated[bool, typer.Option(help="Replace an existing folder.")] = False,
    input_: request.Input = None,
    table: request.Table = None,
    sheet: request.Sheet = None,
    quasi: request.Quasi = None,
    sensitive: request.Sensitive = None,
    insensitive: request.Insensitive = None,
    drop: request.Drop = None,
    omit: request.Omit = None,
    entity: request.Entity = None,
    household: request.Household = None,
    hierarchy: request.Hierarchies = None,
    distance: request.Distances = None,
    weight: request.Weights = None,
    sampling_weights: request.SamplingWeights = None,
    metric: request.Metric = None,
    time_limit: Annotated[float | None, typer.Option(help="Seconds for each search.")] = None,
    seed: Annotated[int | None, typer.Option(help="The seed of all searches.")] = None,
    missing: request.Missing = None,
    delimiter: request.Delimiter = None,
    suppressed: request.Suppressed = None,
    as_json: request.AsJson = False,
    quiet: request.Quiet = False,
) -> None:
    """Try several settings side by side; show the risk and loss of each, and which no other dominates."""
    from shoal.actions.comparison.settings import Grid, grid_entries  # numba loads here, not on --help
    from shoal.jobs import requests

    def make(choice: "GridEntry") -> "Job":
        return requests.job_of(
            source,
            {
                "input": {
                    "missing": missing,
                    "delimiter": request.separator(delimiter),
                    **requests.located(input_, table, sheet),
                },
                "search": {
                    "algorithm": request.named(choice.algorithm, "algorithm"),
                    "measure": request.named(choice.measure, "measure"),
                    "sampling_weights": sampling_weights,
                    "metric": metric,
                    "max_suppressed": choice.max_suppressed,
                    "time_limit": time_limit,
                    "seed": seed,
                },
                "release": {"suppressed": suppressed},
            },
            [*request.least_size(choice.k, None), *choice.promises],
            request.roles(quasi, sensitive, insensitive, drop, entity, omit, household),
            request.details(hierarchy, distance, weight),
        )

    chosen = grid_entries(
        ks=_sizes(k, r),
        algorithms=request.several(algorithm, "algorithm"),
        measures=request.several(measure, "measure"),
        limits=request.several(max_suppressed, "max-suppressed"),
        promises=map(request.promise, require or []),
        promised=requests.job_file(source) is not None,
    )
    _run(Grid.of(chosen, make), threshold, out, force=force, as_json=as_json, quiet=quiet)


def _sizes(k: str | None, r: str | None) -> list[int]:
    """Read the least sizes of classes, by either name."""
    if k is not None and r is not None:
        raise SpecError("--k and --r both set the smallest size of a class: give one of them.")
    try:
        return [int(part) for part in request.several(k if r is None else r, "k" if r is None else "r")]
    except ValueError:
        raise SpecError("--k and --r take whole numbers with commas between: 2,5,10.") from None


def _run(grid: Any, threshold: str, out: Path | None, *, force: bool, as_json: bool, quiet: bool) -> None:
    """Try all settings and show them; if it is interrupted, show those that are done."""
    from shoal.actions.compare import Trials, limit_of
    from shoal.foundation.atomic_write import check_folder

    trial = Trials(grid, limit_of(threshold))
    if out is not None:
        check_folder(out, [path for setting in grid.settings for path in setting.job.untouched()], force=force)
    done: list[Any] = []
    try:
        with progress(quiet=quiet) as show:
            for outcome in trial.outcomes(show):
                done.append(outcome)
    except (KeyboardInterrupt, SystemError):
        if done:
            _show(trial.comparison(done), as_json=as_json)
        raise
    found = trial.comparison(done)
    if out is not None and found.undominated:
        found.write(out, force=force)
    _show(found, as_json=as_json)
    if not found.undominated:
        raise typer.Exit(3 if any(one.failed == "infeasible" for one in done) else 2)
    if out is not None and not as_json:
        best = found.undominated[0].setting.number
        print(f"\nwritten: {out / 'frontier.csv'}, {out / 'frontier.svg'}, and a job file for each release")
        print(f"to release number {best}: shoal anonymize {out / 'jobs' / f'{best}.toml'} --out release")


def _show(found: "Comparison", *, as_json: bool) -> None:
    content = found.as_dict()
    if as_json:
        print_json(content)
        return
    console, endless = plain_console(), plain_console(width=1000)
    table = _table(content)
    if not console.is_terminal:
        console = endless  # a file has lines of any length
    elif endless.measure(table).maximum > console.width:
        table = _table(content, narrow=True)
    console.print(table)
    reasons: dict[str, list[str]] = {}
    for row in content["settings"]:
        if row["reason"]:
            reasons.setdefault(f"{row['verdict']}: {row['reason']}", []).append(str(row["number"]))
    for reason, numbers in reasons.items():
        print(f"{', '.join(numbers)} {reason}")
    _explain(content)


def _table(content: Mapping[str, Any], *, narrow: bool = False) -> "Table":
    """Return the figures of all settings; a narrow terminal has no room for all columns."""
    rows = content["settings"]
    from rich.table import Table  # loads where something is printed

    table = Table(box=None, pad_edge=False, padding=(0, 1 if narrow else 2, 0, 0))
    table.add_column("", justify="right", no_wrap=True)
    table.add_column("setting", min_width=14)
    every = [_figures(row, content) for row in rows]
    left_out = ("average\nrisk", "seconds") if narrow else ()
    for head in every[0]:
        if head not in left_out:
            table.add_column(head, justify="right", no_wrap=True)
    table.add_column("verdict", no_wrap=True)
    best = {row["number"] for row in rows if row["verdict"] == "undominated"}
    for row, figures in zip(rows, every, strict=True):
        shown = [text for head, text in figures.items() if head not in left_out]
        table.add_row(str(row["number"]), row["setting"], *shown, _verdict(row, best))
    return table


def _figures(row: Mapping[str, Any], content: Mapping[str, Any]) -> dict[str, str]:
    """Return the figures of a setting by the heads of their columns."""
    risks = ("highest\nrisk", "average\nrisk", f"risk >\n{words(content['threshold']['risk'])}")
    heads = (f"{content['measure']}\nloss", "times\nbest", "least\nclass", "sup-\npressed", *risks, "seconds")
    if row["loss"] is None:
        return dict.fromkeys(heads, "-")
    figures = (
        f"{row['loss']:.2%}",
        "-" if row["ratio"] is None else f"{row['ratio']:.3f}",
        str(row["smallest_class"]),
        f"{row['suppressed'] / row['records']:.2%}" if row["suppressed"] else "0",
        f"{row['risk_highest']:.3g}",
        f"{row['risk_average']:.3g}",
        f"{row['above_share']:.2%}" if row["above"] else "0",
        f"{row['seconds']:.2f}",
    )
    return dict(zip(heads, figures, strict=True))


def _verdict(row: Mapping[str, Any], best: set[int]) -> str:
    """Return the verdict; of those that dominate a setting the first is named that none dominates."""
    if row["verdict"] == "dominated":
        return f"beaten by {min(best & set(row['dominated_by']))}"
    return "* not beaten" if row["verdict"] == "undominated" else str(row["verdict"])


def _explain(content: Mapping[str, Any]) -> None:
    """Say what the table means, and what is not alike in it."""
    rows = content["settings"]
    print()
    if not content["complete"]:
        print("interrupted: the settings that are left were not tried")
    if any(row["verdict"] == "undominated" for row in rows):
        print(f"* no other beats it: is as good by {', '.join(content['judged_by'])}, and better by one")
    print_meaning(content["measure"])
    for row in rows:
        if row["found_by"] not in (None, row["number"]):
            print(f"{row['number']}: the release of {row['found_by']} loses less, and meets this setting")
    if any(row["ratio"] is not None for row in rows):
        print("times best: at most so many times the loss of the best release of its kind")
    if any(row["recoding"] == "centres" for row in rows):
        print(f"clusters are priced by {content['measure']} as the least cells that cover their records")
