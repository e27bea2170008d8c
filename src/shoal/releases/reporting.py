"""Reporting: what the reports of a release tell of its job, and the steward's of its run too."""

from collections.abc import Mapping
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from shoal.foundation.errors import SpecError
from shoal.jobs.glossary import meaning
from shoal.jobs.job import Job
from shoal.measures.measure import CellMeasure
from shoal.releases.run import Run
from shoal.tables.formulas import FormulaColumn, formulas_in
from shoal.tables.location import file_digest
from shoal.tables.rows import Rows
from shoal.tables.table import Role

if TYPE_CHECKING:
    from shoal.audits.attacks.isolation import Isolation
    from shoal.audits.utility.usefulness import Usefulness
    from shoal.reports.release_facts import ReleaseFacts, StewardFacts

Audience = Literal["steward", "public"]
REPORTS: Mapping[str, Audience] = {"report.html": "steward", "report-public.html": "public"}
"""The reports that stand beside every release, and for whom each is."""


def report_of(
    run: Run,
    certificate: Mapping[str, Any],
    audience: Audience,
    folder: Path,
    isolation: "Isolation | None",
    useful: "Usefulness",
) -> str:
    """Return a report as HTML; what the steward's tells is kept with the run, so that nothing is looked at twice.

    Args:
        run: How the release was made.
        certificate: The certificate; for the public that which goes with the data.
        audience: For whom it is.
        folder: Where it will stand.
        isolation: Whom the release singles out in the raw table, if that was measured.
        useful: Whether the release is of use; the public is told no more than its certificate and the cells tell.
    """
    from shoal.releases.usefulness import public_usefulness
    from shoal.reports.report import public_report, steward_report  # they load all audits

    facts = replace(
        release_facts_of(run.job, certificate, run.rows),
        isolation=isolation,
        measured=meaning(certificate["loss"]["measure"]),
        useful=public_usefulness(run, certificate) if audience == "public" else useful,
        formulas=_formulas(run),
        quoted=bool(run.job.release.escape_formulas),
    )
    if audience == "public":
        return public_report(facts)
    page, told = steward_report(facts, steward_facts_of(run, folder))
    run.told.update(told)
    return page


def isolation_of(run: Run) -> "Isolation | None":
    """Measure whom a release singles out in the raw table; None where that takes too long, or cells cannot be read."""
    from shoal.audits.attacks.raw_isolation import centre_isolation, raw_isolation  # they load what audits need
    from shoal.classes.observed import Observed

    job, quasi = run.job, run.evidence.quasi
    observed, raw = Observed.of_rows(run.rows, quasi), run.raw
    if run.gathered is not None:
        return centre_isolation(observed, quasi, raw.columns)
    recipes = {name: recipe for name in quasi if (recipe := job.columns[name].hierarchy) is not None}
    entity = next(iter((*raw.names(Role.ENTITY), *raw.linked)), None)
    persons = None if entity is None else raw.columns[entity].codes
    try:
        points = run.raw_points
        return raw_isolation(observed, quasi, points.columns, recipes, job.folder, persons, points.counts)
    except SpecError:  # values outside of a hierarchy, which rules allow
        return None


def _formulas(run: Run) -> tuple[FormulaColumn, ...]:
    """Return the columns with formulas in the files that a spreadsheet program may read."""
    if not run.job.release.for_spreadsheets:
        return ()
    released = chain([run.rows], map(Rows.each, run.released.uncounted()))
    records = released if "records" in run.parts else ()
    clusters = [Rows.each(run.gathered.frame)] if run.gathered and "clusters" in run.parts else []
    return formulas_in(chain(records, clusters))


def steward_facts_of(run: Run, folder: Path) -> "StewardFacts":
    """Return what the steward's report tells beside the release; the job as it is written into a folder."""
    from shoal.audits.categories import are_categories
    from shoal.reports.drawing.picture import picture
    from shoal.reports.release_facts import StewardFacts

    measure, job, gathered = run.job.search.measure, run.job, run.gathered
    return StewardFacts(
        raw=run.raw,
        points=run.raw_points,
        nominal=frozenset(
            name
            for name, column in run.raw.columns.items()
            if are_categories(column.values, run.codebook[name], job.columns[name].hierarchy, name, job.folder)
        ),
        declared=run.missing_codes.blank(job).cleared,
        identifiers=tuple(name for name in job.names(Role.IDENTIFIER) if not job.columns[name].leaves),
        omitted=job.names(Role.OMITTED),
        households=job.names(Role.HOUSEHOLD),
        reasons={name: column.reason for name, column in job.columns.items() if column.reason},
        folder=job.folder,
        measure=measure if isinstance(measure, CellMeasure) and gathered is None else None,
        hierarchies={column.name: column.hierarchy for column in run.solution.recoding.columns},
        job=note(run, folder) + job.toml(folder),
        context=job.context.answers,
        again="shoal anonymize job.toml --out ../../again" if run.applied is None else run.applied.command(job, folder),
        sources=tuple((path.name, file_digest(path)) for path in dict.fromkeys(job.files()) if path.is_file()),
        picture=None if gathered is None else lambda: picture(gathered.distances, gathered.frame),
    )


def note(run: Run, folder: Path) -> str:
    """Say in the job of an applied release that it alone does not make it again, and what does."""
    if run.applied is None:
        return ""
    words = "Made by the rules beside this: `shoal anonymize` would search for another release. The same again:"
    command = "".join(sign if sign.isprintable() else "?" for sign in run.applied.command(run.job, folder))
    return f"# {words}\n# {command}\n"


def release_facts_of(job: Job, certificate: Mapping[str, Any], rows: Rows) -> "ReleaseFacts":
    """Return what a report of a release tells."""
    from shoal.reports.release_facts import ReleaseFacts  # what reports need loads where one is made

    linking = [name for name, one in certificate.get("pseudonyms", {}).items() if one["records"] > 1]
    entity = next(iter((*job.names(Role.ENTITY), *linking)), None)
    frame, persons = rows.frame, None if entity is None else rows.frame.get_column(entity)
    told = [name for name in frame.columns if not job.columns[name].names_persons]
    quasi = [name for name in told if job.columns[name].role is Role.QUASI]
    hierarchies = {name: job.hierarchy_over(frame[name], name) for name in job.names(Role.SENSITIVE)}
    return ReleaseFacts(
        certificate=certificate,
        rows=rows.select(told),
        roles={name: job.columns[name].role for name in told},
        recipes={name: recipe for name in quasi if (recipe := job.columns[name].hierarchy) is not None},
        k=max(promise.least_size for promise in job.require),
        asked=_asked(job),
        starred=job.release.suppressed == "star",
        whole=job.release.shape != "clusters",
        hierarchies={name: hierarchy for name, hierarchy in hierarchies.items() if hierarchy is not None},
        persons=persons,
        head=job.context.head,
        masks={name: column.mask for name, column in job.columns.items() if column.mask is not None},
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
        ("records that may be suppressed", f"{float(100 * job.search.max_suppressed):.4g}% of them at most"),
        ("order of the records", job.release.order),
    ]
    if job.search.suppress == "records":
        asked.append(("what is suppressed", "single records of classes"))
    if job.search.sampling_weights is not None:
        asked.append(("what a record loses", "counts by its sampling weight; promises count records"))
    weights = [f"{name} {column.weight:g}" for name, column in job.columns.items() if column.weight != 1]
    return (*asked, *([("weights", ", ".join(weights))] if weights else []))
