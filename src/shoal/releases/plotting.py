"""Plotting: what the picture of a release is made of, with the raw table where it is at hand."""

from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from shoal.foundation.errors import SpecError
from shoal.releases.reporting import release_facts_of, steward_facts_of
from shoal.releases.run import kept
from shoal.reports.drawing.drawing import Drawing
from shoal.reports.drawing.picture import picture
from shoal.reports.plots import release_plot
from shoal.reports.release_facts import ReleaseFacts
from shoal.tables.rows import Rows
from shoal.tables.table import Role

if TYPE_CHECKING:
    from shoal.releases.release import Release


def plot_of(release: "Release", x: str | None, y: str | None) -> Drawing:
    """Return the picture of a release: of its clusters, if it has some, else of classes, risk and columns.

    Args:
        release: The release.
        x: For clusters: the quasi column along the page.
        y: For clusters: the quasi column up the page.
    """
    if "left_out" in release.certificate:
        raise SpecError("This release was solved in regions: its classes are not in memory, so there is no picture.")
    clustered = "clusters" in release.certificate
    if (x is not None or y is not None) and not clustered:
        raise SpecError("'x' and 'y' are for clusters, and this release publishes none: leave both out.")
    if kept(release) is None and not clustered:
        return release_plot(_told_alone(release), None)
    run = release.run
    if run.gathered is not None:
        return Drawing(picture(run.gathered.distances, run.gathered.frame, x, y))
    return release_plot(release_facts_of(run.job, release.certificate, run.rows), steward_facts_of(run, Path.cwd()))


def _told_alone(release: "Release") -> ReleaseFacts:
    """Return what a release tells that knows its run no longer: its records and its public certificate."""
    told = release.public_certificate
    roles = {name: Role(one["role"]) for name, one in told["columns"].items() if "role" in one}
    persons = next((name for name, role in roles.items() if role is Role.ENTITY and name in release.frame), None)
    shown = {name: role for name, role in roles.items() if role in (Role.QUASI, Role.SENSITIVE, Role.INSENSITIVE)}
    sizes = [claim["asked"] for claim in told["claims"] if claim["model"] == "k-anonymity"]
    return ReleaseFacts(
        certificate=told,
        rows=Rows.each(pl.DataFrame([release.frame.get_column(name) for name in shown])),
        roles=shown,
        recipes={},
        k=max(map(int, sizes), default=1),
        asked=(),
        persons=None if persons is None else release.frame.get_column(persons),
    )
