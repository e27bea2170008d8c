"""`shoal anonymize`."""

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


def anonymize(
    source: request.Source = None,
    out: Annotated[Path, typer.Option(help="Folder for the release.")] = Path("release"),
    force: Annotated[bool, typer.Option(help="Replace an existing folder or database table.")] = False,
    input_: request.Input = None,
    table: request.Table = None,
    sheet: request.Sheet = None,
    output: request.Output = None,
    output_table: request.OutputTable = None,
    k: request.K = None,
    r: request.R = None,
    require: request.Require = None,
    quasi: request.Quasi = None,
    sensitive: request.Sensitive = None,
    insensitive: request.Insensitive = None,
    drop: request.Drop = None,
    omit: request.Omit = None,
    entity: request.Entity = None,
    household: request.Household = None,
    pseudonym: request.Pseudonyms = None,
    mask: request.Masks = None,
    pseudonym_key: request.PseudonymKey = None,
    series: request.Series = None,
    after: request.After = None,
    forget: request.Forget = None,
    hierarchy: request.Hierarchies = None,
    distance: request.Distances = None,
    weight: request.Weights = None,
    sampling_weights: request.SamplingWeights = None,
    algorithm: Annotated[
        str | None,
        typer.Option(
            help="Name of the algorithm, or auto; with parameters: mondrian:cut=loss.",
            autocompletion=completion.one_of(completion.algorithms),
        ),
    ] = None,
    measure: Annotated[
        str | None,
        typer.Option(
            help="Name of the loss to minimize; with parameters: name:key=value.",
            autocompletion=completion.one_of(completion.measures),
        ),
    ] = None,
    metric: request.Metric = None,
    engine: Annotated[
        str | None,
        typer.Option(
            help="Engine that counts the records, or auto; with parameters: duckdb:memory=4GB,regions=2000000.",
            autocompletion=completion.one_of(completion.engines),
        ),
    ] = None,
    master: Annotated[str | None, typer.Option(help="Spark master, such as spark://host:7077.")] = None,
    max_suppressed: Annotated[
        str | None, typer.Option(help="Share of records that may be suppressed, from 0 to 1.")
    ] = None,
    suppress: Annotated[
        str | None,
        typer.Option(
            help="What full-domain algorithms suppress: classes or records.",
            autocompletion=completion.one_of("classes", "records"),
        ),
    ] = None,
    blind: Annotated[
        bool,
        typer.Option("--blind", help="Form classes without reading the sensitive values; suppress those that fail."),
    ] = False,
    time_limit: Annotated[float | None, typer.Option(help="Seconds for the search.")] = None,
    seed: Annotated[int | None, typer.Option(help="Seed, to reproduce the random order.")] = None,
    missing: request.Missing = None,
    delimiter: request.Delimiter = None,
    format_: request.ReleaseFormat = None,
    types: request.Types = None,
    order: Annotated[
        str | None, typer.Option(help="random or input.", autocompletion=completion.one_of("random", "input"))
    ] = None,
    suppressed: request.Suppressed = None,
    shape: Annotated[
        str | None,
        typer.Option(
            help="For clusters: both, records or clusters.",
            autocompletion=completion.one_of("both", "records", "clusters"),
        ),
    ] = None,
    radius: Annotated[
        str | None,
        typer.Option(help="For clusters: own or largest.", autocompletion=completion.one_of("own", "largest")),
    ] = None,
    values: Annotated[
        str | None,
        typer.Option(help="For clusters: multiset or set.", autocompletion=completion.one_of("multiset", "set")),
    ] = None,
    escape_formulas: Annotated[
        bool,
        typer.Option(
            "--escape-formulas", help="Put an apostrophe before texts that a spreadsheet program would run as formulas."
        ),
    ] = False,
    as_json: request.AsJson = False,
    quiet: request.Quiet = False,
) -> None:
    """Anonymize a table by a job file or by flags; write the release and its certificate."""
    from shoal.jobs import requests  # pydantic loads here, not on --help

    promises = [*request.least_size(k, r), *map(request.promise, require or [])]
    job = requests.job_of(
        source,
        {
            "input": {
                "missing": missing,
                "delimiter": request.separator(delimiter),
                **requests.located(input_, table, sheet),
            },
            "engine": _engine(engine, master),
            **request.series(series, after, forget),
            "search": {
                "algorithm": request.named(algorithm, "algorithm"),
                "measure": request.named(measure, "measure"),
                "sampling_weights": sampling_weights,
                "metric": metric,
                "max_suppressed": max_suppressed,
                "suppress": suppress,
                "blind": blind or None,
                "time_limit": time_limit,
                "seed": seed,
            },
            "release": {
                "format": format_,
                "types": types,
                "order": order,
                "suppressed": suppressed,
                "shape": shape,
                "radius": radius,
                "values": values,
                "escape_formulas": escape_formulas or None,
                "pseudonym_key": None if pseudonym_key is None else str(pseudonym_key.absolute()),
                **requests.target(output, output_table),
            },
        },
        promises,
        request.roles(quasi, sensitive, insensitive, drop, entity, omit, household),
        request.details(hierarchy, distance, weight, pseudonym, mask),
    )
    certificate, release = _released(job, out, force=force, quiet=quiet)
    if as_json:
        print_json(certificate)
    else:
        _print(certificate, release, out, None if job.target is None else job.target.table)


def _engine(engine: str | None, master: str | None) -> dict[str, Any]:
    """Return what the flags say of the engine; one that is given a master is Spark."""
    told = {} if engine is None else request.fields(engine, "engine")
    return told if master is None else {"name": "spark", **told, "master": master}


def _released(job: Any, out: Path, *, force: bool, quiet: bool) -> tuple[dict[str, Any], Any]:
    """Make sure that the release has a place, make it, and write it there; return its certificate, and the release."""
    from shoal.actions.anonymize import run  # numba loads here, not on --help
    from shoal.foundation.atomic_write import check_folder
    from shoal.jobs.delivery import Delivery

    check_folder(out, job.untouched(), force=force)
    Delivery(job, out).check_free(force=force)
    with progress(quiet=quiet) as show:
        release = run(job, progress=show)
        return release.write(out, force=force, progress=show), release


def _print(certificate: dict[str, Any], release: Any, out: Path, table: str | None) -> None:
    """Print where everything is, the verdict and the figures behind it."""
    records, how, clusters = certificate["records"], certificate["algorithm"], certificate.get("clusters")
    print_files(certificate, release.useful, out)
    print_claims(certificate["claims"])
    print()
    print(f"records:     {records['released']} released, {records['suppressed']} suppressed, of {records['input']}")
    classes = clusters or certificate["classes"]
    print(
        f"{'clusters:' if clusters else 'classes: '}    {classes['count']}, of {classes['smallest']} to "
        f"{classes['largest']} records" + (f", within {words(classes['radius'])} of their centres" if clusters else "")
    )
    print(f"loss:        {_loss(certificate)}")
    print_meaning(certificate["loss"]["measure"], 13)
    proven = {"optimal": " (optimal)", "factor": f" (never above {words(how['factor'])} times the optimum)"}
    print(
        f"algorithm:   {how['name']}{proven.get(how['guarantee'], '')}"
        + (f": {certificate['told']['remark']}" if certificate["told"]["remark"] else "")
    )
    if how["levels"]:
        print(f"levels:      {words(how['levels'])}")
    if "series" in certificate:
        _print_series(certificate["series"])
    if certificate.get("labels", {}).get("dropped"):
        print(f"labels:      dropped for {', '.join(certificate['labels']['dropped'])}")
    if release.as_text:
        print(f"types:       text for {', '.join(release.as_text)}: no type of the format gives the same values back")
    if certificate["missing"].get("merged"):
        print(f"missing:     all reasons are one in {', '.join(certificate['missing']['merged'])}")
    print_changes(release.useful, out, table)
    print_hands(certificate, out)


def _print_series(series: dict[str, Any]) -> None:
    """Print what the series has come to with this release."""
    withheld = f"{series['withheld']} withheld for good, {series['waiting']} waiting for others"
    least = f"at least {series['least']['values']} values and {series['least']['persons']} persons in each group"
    print(f"series:      {series['promise']}, release {series['number']}; {least}")
    print(f"             everybody's posterior, after all releases, is at most {series['posterior']}")
    print(f"             {series['counterfeits']} counterfeits, {withheld}")
    print("             keep the key of the series, and private/ for the next release (--after)")


def _loss(certificate: dict[str, Any]) -> str:
    """Return what is lost, and how far that is at most from the least."""
    loss, how = certificate["loss"], certificate["algorithm"]
    if "clusters" in certificate:
        lost = f"{loss['measure']} {words(float(loss['total']))}, {loss['share']:.2%} of that of one cluster"
        best = "the least of any clusters"
        near = "the least possible"
    else:
        lost = f"{loss['measure']} {loss['share']:.2%}{', by sampling weights' if 'weighted' in loss else ''}"
        best = f"the least of any {how['recoding']} release"
        near = f"that of the best {how['recoding']} release"
    if how["guarantee"] == "optimal":
        return f"{lost}, {best}"
    return lost if loss["ratio"] is None else f"{lost}, at most {words(float(loss['ratio']))} times {near}"
