"""`shoal frontier`."""

from pathlib import Path
from typing import Annotated

import typer

from shoal.cli import request
from shoal.cli.show import print_json, progress
from shoal.foundation.atomic_write import check_file, write_file
from shoal.foundation.errors import SpecError


def frontier(
    job: Annotated[Path, typer.Argument(help="Job file (.toml).")],
    k: Annotated[str, typer.Option(help="Values of k: 2,5,10.")] = "2,3,5,10,20,50",
    max_suppressed: Annotated[str, typer.Option(help="Limits of suppression: 0,0.01,0.05.")] = "0,0.01,0.05,1",
    out: Annotated[Path | None, typer.Option(help="CSV file with a row for every node and k.")] = None,
    force: Annotated[bool, typer.Option(help="Replace an existing file.")] = False,
    as_json: request.AsJson = False,
    quiet: request.Quiet = False,
) -> None:
    """Show the smallest loss for every k and suppression limit, from one pass over all generalizations."""
    from shoal.actions.frontier import frontier_of
    from shoal.jobs.job import Job

    try:
        ks = [int(part) for part in k.split(",")]
        limits = [part.strip() for part in max_suppressed.split(",")]
        good = min(ks) >= 1 and all(0 <= float(limit) <= 1 for limit in limits)
    except ValueError:
        good = False
    if not good:
        raise SpecError(
            "--k takes whole numbers from 1 on, and --max-suppressed shares from 0 to 1, with commas between."
        )
    asked = Job.read(job)
    if out is not None:
        check_file(out, [job, *asked.untouched()], force=force)
    with progress(quiet=quiet) as show:
        found = frontier_of(asked, ks, show)
    if out is not None:
        write_file(out, found.frame.write_csv, force=force)
    cells = [(one, limit, found.best(one, limit)) for one in ks for limit in limits]
    if as_json:
        rows = [{"k": one, "max_suppressed": float(limit), "best": best} for one, limit, best in cells]
        print_json({"measure": found.measure, "records": found.n_records, "frontier": rows})
        return
    print(f"{'k':>6} {'limit':>8} {'suppressed':>10} {found.measure:>14}  levels")
    for one, limit, best in cells:
        if best is None:
            print(f"{one:>6} {float(limit):>8.2%} {'-':>10} {'-':>14}  none is allowed")
        else:
            levels = ",".join(str(level) for level in best["levels"].values())
            print(f"{one:>6} {float(limit):>8.2%} {best['suppressed']:>10} {best['loss']:>14.6g}  {levels}")
