"""Reporting: what the reports of a release tell of its job."""

from collections.abc import Mapping
from typing import Any, Literal

import polars as pl

from shoal.jobs.job import Job
from shoal.reports.release_facts import ReleaseFacts
from shoal.tables.table import Role

Audience = Literal["steward", "public"]
REPORTS: Mapping[str, Audience] = {"report.html": "steward", "report-public.html": "public"}
"""The reports that stand beside every release, and for whom each is."""


def told_of(job: Job, certificate: Mapping[str, Any], frame: pl.DataFrame) -> ReleaseFacts:
    """Return what a report of a release tells."""
    entity = next(iter(job.names(Role.ENTITY)), None)
    persons = None if entity is None else frame.get_column(entity)
    frame = frame if entity is None else frame.drop(pl.selectors.by_name(entity))
    quasi = [name for name in frame.columns if job.columns[name].role is Role.QUASI]
    hierarchies = {name: job.hierarchy_over(frame[name], name) for name in job.names(Role.SENSITIVE)}
    return ReleaseFacts(
        certificate=certificate,
        frame=frame,
        roles={name: job.columns[name].role for name in frame.columns},
        recipes={name: recipe for name in quasi if (recipe := job.columns[name].hierarchy) is not None},
        k=max(promise.least_size for promise in job.require),
        asked=_asked(job),
        starred=job.release.suppressed == "star",
        whole=job.release.shape != "clusters",
        hierarchies={name: hierarchy for name, hierarchy in hierarchies.items() if hierarchy is not None},
        persons=persons,
    )


def _asked(job: Job) -> tuple[tuple[str, str], ...]:
    """Return what was asked for, in words; nothing that a repetition needs and an attacker may use."""
    missing = {
        "category": "a value like any other",
        "wildcard": "matches every value",
        "drop": "the record is left out",
    }
    asked = [
        ("missing value", missing[job.input.missing]),
        ("records that may be suppressed", f"{float(100 * job.search.max_suppressed):.4g} % of them at most"),
        ("order of the records", job.release.order),
    ]
    weights = [f"{name} {column.weight:g}" for name, column in job.columns.items() if column.weight != 1]
    return (*asked, *([("weights", ", ".join(weights))] if weights else []))
