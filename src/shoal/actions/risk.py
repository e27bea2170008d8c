"""Exposure: the risks of a table, of a job's input, or of a release beside the table that it came from."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.audits.risk.risk import Scenario, assess
from shoal.audits.risk.singling_out import singling_out as shares
from shoal.certificate import CERTIFICATE
from shoal.classes.observed import COUNT
from shoal.foundation.errors import SpecError
from shoal.foundation.exact import fraction as exactly
from shoal.foundation.given import checked
from shoal.foundation.progress import Progress, silent
from shoal.jobs.delivery import Delivery
from shoal.jobs.given_table import count_columns, frame_or_location, parts_of
from shoal.jobs.job import JOB_FILE, Job
from shoal.jobs.release_folder import ReleaseFolder, is_release_folder
from shoal.jobs.source import population_evidence
from shoal.releases.claims.stated import levels_in
from shoal.releases.release import Release
from shoal.releases.release_view import ReleaseView
from shoal.releases.retracing import retraced
from shoal.reports.drawing.drawing import Drawing
from shoal.tables.rows import Rows
from shoal.tables.table import Role


@dataclass(frozen=True, slots=True, eq=False)
class RecordRisks:
    """The figures of each record of a table, by those of its rows.

    Args:
        data: The table, as it was given.
        rows: Its different rows, in the columns that decide.
        figures: The figures of each of them.
    """

    data: Any
    rows: Rows
    figures: pl.DataFrame

    def parts(self) -> Iterator[pl.DataFrame]:
        """Yield the figures of the records in the order of the table, which is read again a part at a time."""
        names = self.rows.frame.columns
        keys = [str(number) for number in range(len(names))]  # a name such as `*` would be a pattern to polars
        known = _keyed(self.rows.frame, names, keys).with_columns(self.figures).unique(keys)
        for part in parts_of(self.data, names):
            found = _keyed(part, names, keys).join(known, on=keys, how="left", nulls_equal=True, maintain_order="left")
            if found[self.figures.columns[0]].null_count():
                raise SpecError("The table has changed since its risks were measured.")
            yield found.drop(keys)


def _keyed(frame: pl.DataFrame, names: Sequence[str], keys: Sequence[str]) -> pl.DataFrame:
    """Return columns as text, by other names."""
    return pl.DataFrame(
        [frame.get_column(name).cast(pl.String).alias(key) for name, key in zip(names, keys, strict=True)]
    )


@dataclass(frozen=True, eq=False)
class Risk:
    """The risks of a table.

    Args:
        summary: The figures of the table, as JSON.
        each: The figures of each record.
        sizes: The number of records, or persons, of each class.
        before: The risks of the table that a release came from, if that is at hand.
    """

    summary: dict[str, Any]
    each: RecordRisks
    sizes: NDArray[np.int64]
    before: "Risk | None" = None

    @cached_property
    def records(self) -> pl.DataFrame:
        """The figures of each record, in the order of the table, which is read again for it."""
        return pl.concat(list(self.each.parts()), how="vertical")

    @checked
    def write_records(self, path: Path) -> None:
        """Write the figures of each record as CSV, a part at a time."""
        with path.open("wb") as file:
            for number, part in enumerate(self.each.parts()):
                part.write_csv(file, include_header=number == 0)

    @checked
    def plot(self, path: str | Path | None = None) -> Drawing:
        """Return a picture of the risk, which a notebook shows: how many hide among how few, and which columns tell.

        It shows names of columns and shares, and no value.

        Args:
            path: Where to write it, too.
        """
        from shoal.reports.plots import risk_plot  # few ask for it

        drawn = risk_plot(self.summary, self.sizes, None if self.before is None else self.before.sizes)
        if path is not None:
            drawn.write(path)
        return drawn

    def as_dict(self) -> dict[str, Any]:
        """Return all figures of the table, and those from before, as JSON."""
        return self.summary | {"before": None if self.before is None else self.before.summary}

    def __repr__(self) -> str:
        largest, average = (self.summary["prosecutor"]["strict"][name] for name in ("largest", "average"))
        return (
            f"<Risk: {self.summary['records']} records in {self.summary['classes']} classes, k {self.summary['k']}; "
            f"prosecutor {largest:.4g} at most, {average:.4g} on average>"
        )


@dataclass(frozen=True, slots=True, eq=False)
class _Subject:
    """A table to assess, its quasi columns, and the population as a table or as cells in its words.

    `local` is whether it tells persons by numbers that mean something within their class alone.
    """

    data: Any
    quasi: Sequence[str]
    population: Any = None
    cells: Rows | None = None
    local: bool = False

    def assess(self, scenario: Scenario, progress: Progress) -> Risk:
        """Count the records by the columns that are needed, and measure."""
        rows = count_columns(self.data, list(dict.fromkeys([*self.quasi, *scenario.columns])))
        population = self.cells if self.population is None else count_columns(self.population, self.quasi)
        found = assess(rows, self.quasi, replace(scenario, population=population, local=self.local), progress)
        return Risk(found.summary, RecordRisks(self.data, rows, found.of_rows), found.sizes)


@checked
def risk(
    data: Any,
    *,
    quasi: Sequence[str] | None = None,
    population: Any = None,
    weights: str | None = None,
    fraction: float | None = None,
    entity: str | None = None,
    household: str | None = None,
    suda: int | None = 3,
    threshold: float | str | Fraction | None = None,
    delimiter: str | None = None,
    progress: Progress = silent,
) -> Risk:
    """Measure how likely an attacker is to identify the persons behind the records.

    Args:
        data: A frame of polars, pandas or pyarrow; the path of a table, of a job file (its input is measured), or of
            the folder of a release; a `shoal.table`; or a release. A release is measured before and after if its input
            is available.
        quasi: The columns that an attacker may know; not needed for a job or a release.
        population: A table of the whole population, one record for each person, for the journalist's risk.
        weights: The column of sampling weights, for the journalist's risk without such a table.
        fraction: The sampling fraction, for the same if the table is a simple random sample.
        entity: The column that identifies the person: persons are then counted instead of records. By default that of
            the job or release. If a full-domain release does not contain it, it is read from its input.
        household: The column that identifies the household; by default that of the job or release.
        suda: The largest size of minimal sample uniques to search for; 0 for no search, None for all sizes.
        threshold: A threshold of your own, in addition to 0.33, 0.2, 0.1, 0.09 and 0.05.
        delimiter: The field separator of a CSV file; detected by default.
        progress: Called with the current step.
    """
    limit = None if threshold is None else exactly(threshold)
    if limit is not None and not isinstance(limit, Fraction):
        raise SpecError("A threshold of risk is a number above 0 and at most 1, e.g. 0.09 or 1/3.")
    job, levels = _job_of(data, quasi)
    if job is not None and entity is None:
        entity = next(iter(job.names(Role.ENTITY)), None)
    scenario = Scenario(
        fraction=None if fraction is None else float(fraction),
        weights=weights,
        entity=entity,
        household=household,
        suda=suda,
        threshold=limit,
    )
    if population is not None and (weights is not None or fraction is not None):
        raise SpecError("Give a population, sampling weights or a sampling fraction: one of them, not several.")
    everybody = frame_or_location(population, delimiter)
    if job is None:
        after, before = _table(frame_or_location(data, delimiter), quasi, everybody), None
    else:
        after, before = _of_job(data, job, levels, quasi, everybody, scenario)
    for name in (entity, household):
        if name in after.quasi:
            raise SpecError(f"Column '{name}' cannot be both a quasi column and the entity or household.")
    found = after.assess(scenario, progress)
    earlier = None if before is None else before.assess(scenario, progress)
    summary = (
        found.summary if levels is None else found.summary | {"isolation": _isolation(data, found, earlier, progress)}
    )
    return Risk(summary, found.each, found.sizes, earlier)


def _isolation(data: Any, after: Risk, before: Risk | None, progress: Progress) -> dict[str, Any]:
    """Answer by the raw table whether a release prints what fits one person alone; else say why that is not known."""
    progress("looking for who is singled out")
    view = replace(ReleaseView.of(data), table=after.each.rows)
    if view.clusters:
        return {"measured": False, "reason": "it publishes the centres of clusters, and no cells"}
    if view.raw is None:
        return {"measured": False, "reason": "the raw table is not at hand, so that the cells alone were looked at"}
    try:
        found = view.isolation(None if before is None else before.each.rows)
    except SpecError as error:
        return {"measured": False, "reason": str(error)}
    if found is None:
        return {"measured": False, "reason": "the table is too large; shoal attack measures it"}
    return {"measured": True, **found.counts()}


@checked
def singling_out(
    data: Any,
    *,
    quasi: Sequence[str],
    delimiter: str | None = None,
) -> dict[str, Any]:
    """Return which columns make people unique: for each and each pair, the share alone and without it.

    Args:
        data: A frame of polars, pandas or pyarrow, the path of a file, or a `shoal.table`.
        quasi: The columns that an attacker may know.
        delimiter: What separates the fields of a CSV file; found out if not given.
    """
    subject = _table(frame_or_location(data, delimiter), quasi)
    return shares(count_columns(subject.data, subject.quasi), subject.quasi)


def _table(data: Any, quasi: Sequence[str] | None, population: Any = None) -> _Subject:
    """Return a table that does not name its quasi columns itself."""
    names = [quasi] if isinstance(quasi, str) else list(quasi or ())
    if not names:
        raise SpecError("No quasi column is named: name the columns that an attacker may know.")
    return _Subject(data, names, population)


def _of_job(
    data: Any,
    job: Job,
    levels: Mapping[str, int] | None,
    quasi: Sequence[str] | None,
    population: Any,
    scenario: Scenario,
) -> tuple[_Subject, _Subject | None]:
    """Return the table of a job; or that of a release, and the one that it came from.

    A release holds the persons as numbers, if at all; columns that it has not are looked up in its input.
    """
    if quasi is not None:
        raise SpecError("A job or a release names its quasi columns itself: leave 'quasi' out.")
    names = job.names(Role.QUASI)
    raw = _Subject(job.location, names, population)
    if levels is None:
        return raw, None
    released: Any = (
        data.records if isinstance(data, Release) else Delivery(job, ReleaseFolder.of(Path(data)).public).records()
    )
    recoded = None if population is None else _recoded(population, job, names, levels)
    told = [name for name in scenario.columns if name not in names]
    lacking = any(name not in job.columns or not job.columns[name].leaves for name in told)
    if lacking:
        released = retraced(count_columns(released, names), job, names, levels, told)
    local = not lacking and scenario.entity in job.names(Role.ENTITY)
    return _Subject(released, names, cells=recoded, local=local), raw if job.location.there() else None


def _job_of(data: Any, quasi: Sequence[str] | None) -> tuple[Job | None, Mapping[str, int] | None]:
    """Return the job of a job file, or that of a release with its levels (none if it is recoded class by class)."""
    if isinstance(data, Release):
        return data.job, data.solution.levels
    if not isinstance(data, str | Path):
        return None, None
    path = Path(data)
    if path.suffix.lower() == ".toml":
        return Job.read(path), None
    if not path.is_dir() or (quasi is not None and not is_release_folder(path)):
        return None, None  # a folder of files is a table, if its quasi columns are named
    folder = ReleaseFolder.of(path).private
    for name in (CERTIFICATE, JOB_FILE):
        if not (folder / name).is_file():
            raise SpecError(f"'{path}' is not a release: it has no {name}.")
    return Job.read(folder / JOB_FILE), levels_in(folder, CERTIFICATE)


def _recoded(population: Any, job: Job, quasi: Sequence[str], levels: Mapping[str, int]) -> Rows:
    """Return a population in the words of a full-domain release, as counted cells."""
    if not levels:
        raise SpecError(
            "This release uses local recoding, so a population cannot be recoded in the same way. Measure "
            "the risk without a population, or with weights or a sampling fraction; shoal attack (--public) "
            "shows how many persons of a table match each record."
        )
    if not job.location.there():
        raise SpecError("To recode a population like the release, the input that its job names is needed.")
    cells = population_evidence(job, quasi, levels, {"population": population})["population"]
    return Rows(cells.drop(COUNT), cells[COUNT].to_numpy().astype(np.int64))
