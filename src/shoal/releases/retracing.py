"""Retracing: whose records those of a release are, by the table that it was made of."""

from collections.abc import Mapping, Sequence

import polars as pl

from shoal.foundation.errors import SpecError
from shoal.jobs.job import Job
from shoal.jobs.source import generalized, quasi_column, read
from shoal.tables.hierarchies.hierarchy import STAR
from shoal.tables.rows import Rows
from shoal.tables.table import Role

_COUNT = ""  # no column of a table has an empty name


def retraced(released: Rows, job: Job, quasi: Sequence[str], levels: Mapping[str, int], names: Sequence[str]) -> Rows:
    """Return the rows of a full-domain release with columns that it does not hold, by recoding the raw table again.

    There a value is published alike wherever it stands, so that each raw record has one cell. A cell that the release
    has not was suppressed. Where classes are recoded for themselves, a raw record may be in any of several.

    Args:
        released: The quasi columns of the release.
        job: Its job, with the raw table where that says.
        quasi: The quasi columns.
        levels: The level of each of them; none if the release is recoded class by class.
        names: The columns of the raw table to add.
    """
    told = ", ".join(names)
    if not levels:
        raise SpecError(
            f"The release does not contain {told}, and it uses local recoding, so that the raw table does not "
            "show the class of a record either. To count persons, give the column the role 'entity' in the "
            "job: the release then distinguishes the persons of each class, and k counts them."
        )
    if not job.location.there():
        raise SpecError(f"The release does not contain {told}, and its raw table is not available.")
    unknown = [name for name in names if name not in job.columns]
    if unknown:
        raise SpecError(
            f"The job of the release has no column '{unknown[0]}'. Its columns are: {', '.join(job.columns)}."
        )
    raw = _recoded(_keeping(job, names), quasi, levels, names)
    keys = [str(number) for number in range(len(quasi))]  # a name such as `*` would be a pattern to polars
    counts = _counted(released, quasi, keys)
    cells = pl.DataFrame([raw.frame[name].cast(pl.String).alias(key) for name, key in zip(quasi, keys, strict=True)])
    there = cells.join(counts, on=keys, how="left", nulls_equal=True, maintain_order="left")[_COUNT].is_not_null()
    if job.release.suppressed == "star":
        raw = Rows(raw.frame.with_columns(raw.frame[name].set(~there, STAR) for name in quasi), raw.counts)
    else:
        raw = Rows(raw.frame.filter(there), raw.counts[there.to_numpy()])
    if not _counted(raw, quasi, keys).equals(counts):
        raise SpecError("Recoding the table that the job names does not give the release: has the table changed?")
    return raw


def _keeping(job: Job, names: Sequence[str]) -> Job:
    """Return the job as one that reads some columns too which never leave."""
    dropped = [name for name in names if not job.columns[name].leaves]
    kept = {name: job.columns[name].model_copy(update={"role": Role.INSENSITIVE}) for name in dropped}
    return job.model_copy(update={"columns": {**job.columns, **kept}})


def _recoded(job: Job, quasi: Sequence[str], levels: Mapping[str, int], names: Sequence[str]) -> Rows:
    """Return the raw rows in the words of a full-domain release, with some of their columns as they are."""
    source = read(job)
    columns = []
    for name in quasi:
        column = quasi_column(source, name)
        texts = pl.Series(column.hierarchy.labels[levels[name]], dtype=pl.String)
        codes = generalized(source.table, column, levels[name])
        columns.append(texts.gather(pl.Series(codes)).alias(name))
    frame = pl.DataFrame([*columns, *(source.table.columns[name].texts(name) for name in names)])
    return Rows.each(frame) if source.table.counts is None else Rows(frame, source.table.counts)


def _counted(rows: Rows, quasi: Sequence[str], keys: Sequence[str]) -> pl.DataFrame:
    """Return how many records each cell has, in the order of the cells."""
    cells = pl.DataFrame([rows.frame[name].cast(pl.String).alias(key) for name, key in zip(quasi, keys, strict=True)])
    counted = cells.with_columns(pl.Series(_COUNT, rows.counts)).group_by(keys)
    return counted.agg(pl.col(_COUNT).sum()).sort(keys, nulls_last=True)
