"""`shoal anonymize`."""

from pathlib import Path
from typing import Annotated, Any

import typer

from shoal.cli import request
from shoal.cli.show import print_claims, print_json, progress, words


def anonymize(
    source: request.Source = None,
    out: Annotated[Path, typer.Option(help="Folder for the release.")] = Path("release"),
    force: Annotated[bool, typer.Option(help="Replace an existing folder, or table of a database.")] = False,
    input_: request.Input = None,
    table: request.Table = None,
    sheet: request.Sheet = None,
    output: Annotated[
        str | None, typer.Option(help="URL of a database that the data goes into, as the table --output-table.")
    ] = None,
    output_table: Annotated[str | None, typer.Option(help="Table to make: table or schema.table.")] = None,
    k: request.K = None,
    require: request.Require = None,
    quasi: request.Quasi = None,
    sensitive: request.Sensitive = None,
    insensitive: request.Insensitive = None,
    drop: request.Drop = None,
    hierarchy: request.Hierarchies = None,
    weight: request.Weights = None,
    algorithm: Annotated[
        str | None, typer.Option(help="Name of the algorithm, or auto; with parameters: mondrian:cut=loss.")
    ] = None,
    measure: Annotated[
        str | None, typer.Option(help="Name of the loss to minimize; with parameters: name:key=value.")
    ] = None,
    max_suppressed: Annotated[str | None, typer.Option(help="Share of records that may be suppressed, 0 to 1.")] = None,
    time_limit: Annotated[float | None, typer.Option(help="Seconds for the search.")] = None,
    seed: Annotated[int | None, typer.Option(help="For repeating the random order.")] = None,
    missing: Annotated[str | None, typer.Option(help="category, wildcard or drop.")] = None,
    delimiter: request.Delimiter = None,
    format: Annotated[str | None, typer.Option(help="csv, parquet, xlsx, sav or dta.")] = None,  # noqa: A002  (the flag's name)
    order: Annotated[str | None, typer.Option(help="random or input.")] = None,
    suppressed: Annotated[str | None, typer.Option(help="drop or star.")] = None,
    as_json: request.AsJson = False,
    quiet: request.Quiet = False,
) -> None:
    """Anonymize a table as a job file or the flags say; write the release and its certificate."""
    promises = [*([{"model": "k-anonymity", "k": k}] if k is not None else []), *map(request.promise, require or [])]
    job = request.job_of(
        source,
        {
            "input": {
                "missing": missing,
                "delimiter": request.separator(delimiter),
                **request.located(input_, table, sheet),
            },
            "search": {
                "algorithm": request.named(algorithm, "algorithm"),
                "measure": request.named(measure, "measure"),
                "max_suppressed": max_suppressed,
                "time_limit": time_limit,
                "seed": seed,
            },
            "release": {
                "format": format,
                "order": order,
                "suppressed": suppressed,
                "url": output,
                "table": output_table,
            },
        },
        promises,
        {
            "quasi": request.names(quasi),
            "sensitive": request.names(sensitive),
            "insensitive": request.names(insensitive),
            "identifier": request.names(drop),
        },
        dict(map(request.hierarchy, hierarchy or [])),
        dict(map(request.weight, weight or [])),
    )
    from shoal.pipeline import run  # numba loads here, not on --help
    from shoal.release import check_place, check_target

    check_place(out, job.files(), force=force)
    check_target(job, force=force)
    with progress(quiet=quiet) as show:
        release = run(job, progress=show)
        show("writing the release and reading it back")
        certificate = release.write(out, force=force)
    if as_json:
        print_json(certificate)
    else:
        _print(certificate, out)


def _print(certificate: dict[str, Any], out: Path) -> None:
    """Print where everything is, the verdict and the figures behind it."""
    records, loss, how = certificate["records"], certificate["loss"], certificate["algorithm"]
    file = certificate["file"]
    print(f"release:     {'table ' + file['name'] if 'database' in file else out / file['name']}")
    print(f"certificate: {out / 'certificate.json'}")
    print(f"job:         {out / 'job.toml'}")
    print(f"verdict:     {certificate['verdict']}")
    print()
    print_claims(certificate["claims"])
    print()
    print(f"records:     {records['released']} released, {records['suppressed']} suppressed, of {records['input']}")
    classes = certificate["classes"]
    print(f"classes:     {classes['count']}, of {classes['smallest']} to {classes['largest']} records")
    ratio = (
        "" if loss["ratio"] is None else f", at most {words(float(loss['ratio']))} x the best {how['recoding']} release"
    )
    ratio = f", the least of any {how['recoding']} release" if how["guarantee"] == "optimal" else ratio
    print(f"loss:        {loss['measure']} {loss['share']:.2%}{ratio}")
    proven = {"optimal": " (optimal)", "factor": f" (never above {words(how['factor'])} x the optimum)"}
    print(
        f"algorithm:   {how['name']}{proven.get(how['guarantee'], '')}"
        + (f": {how['remark']}" if how["remark"] else "")
    )
    if how["levels"]:
        print(f"levels:      {words(how['levels'])}")
    if certificate.get("labels", {}).get("dropped"):
        print(f"labels:      dropped for {', '.join(certificate['labels']['dropped'])}")
    if certificate["missing"].get("merged"):
        print(f"missing:     all reasons are one in {', '.join(certificate['missing']['merged'])}")
