"""Published loss: what a release of cells loses, from its own cells and the raw table; no search takes part."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from shoal.actions.verification.cells import cells_at, cells_of
from shoal.classes.grouping import Grouping
from shoal.classes.observed import Observed
from shoal.classes.recoding import Recoding, Subsets
from shoal.classes.sampling_weights import whole_weights
from shoal.classes.tally import QuasiColumn, SensitiveColumn, Tally
from shoal.foundation.errors import CertificateError
from shoal.jobs.source import Source, quasi_column
from shoal.measures.measure import Loss
from shoal.tables.hierarchies.hierarchy import STAR, Label
from shoal.tables.rows import Rows
from shoal.tables.table import Role, totals


def published_loss(source: Source, released: Rows, levels: Mapping[str, int], starred: int) -> Loss:
    """Return the loss of a release by the measure of its job.

    Args:
        source: The raw table, with the hierarchies over its values.
        released: The quasi columns of the release, and the sensitive ones that the measure looks at; with sampling
            weights also these, as those of the very records.
        levels: The level of each quasi column; none if the release is recoded class by class.
        starred: How many of the records are suppressed ones that became stars.

    Raises:
        CertificateError: The cells are not made of the raw table.
    """
    measure, quasi = source.job.search.measure, list(source.table.names(Role.QUASI))
    weights = source.job.search.sampling_weights
    shown = _without_stars(released, quasi, starred)
    observed = Observed.of_rows(shown, quasi, measure.sensitive_columns if weights is None else [weights])
    columns = tuple(counted_column(source, name) for name in quasi)
    subsets = tuple(_read(column, _texts(observed, j), levels) for j, column in enumerate(columns))
    suppressed = source.table.n_records - shown.n_records
    if suppressed < 0:
        raise CertificateError("More records were released than the raw table has.")
    groups, cells = observed.groups, observed.cells
    if suppressed:
        cells = np.vstack([cells, cells[:1]])
    if weights is not None:
        groups = _weighed(source, weights, groups)
    elif suppressed:
        groups = _with_suppressed(groups, suppressed)
    kept = np.arange(groups.n_classes) < observed.groups.n_classes
    return measure.loss(groups, Recoding(columns, subsets, cells.astype(np.int32)), kept)


def _weighed(source: Source, name: str, groups: Grouping) -> Grouping:
    """Return classes with the weights of their records; those of the raw table that are in none come last.

    Args:
        source: The raw table.
        name: Its column of weights.
        groups: The classes, by the same column.
    """
    column, counts = source.table.columns[name], source.table.histogram(name)[: len(source.table.columns[name].values)]
    whole = whole_weights(column.values, counts, name)
    place = {value: code for code, value in enumerate(column.values)}
    codes = [place.get(value, -1) if isinstance(value, str) else -1 for value in groups.sensitive[0].values]
    profiles = np.array(codes, dtype=np.int32)[groups.profile_codes[groups.profiles, 0]]
    left = counts - totals(np.maximum(profiles, 0), groups.counts, len(counts))
    if (profiles < 0).any() or (left < 0).any():
        raise CertificateError(f"The release has other sampling weights in column '{name}' than the raw table.")
    gone = np.flatnonzero(left)
    owners = np.repeat(np.arange(groups.n_classes), np.diff(groups.offsets))
    tally = Tally(
        quasi=(),
        sensitive=(SensitiveColumn(name, tuple(column.values), weights=whole),),
        codes=np.zeros((len(profiles) + len(gone), 0), dtype=np.int32),
        profiles=np.append(profiles, gone).astype(np.int32),
        profile_codes=np.arange(len(counts), dtype=np.int32)[:, None],
        counts=np.append(groups.counts, left[gone]),
    )
    labels = np.append(owners, np.full(len(gone), groups.n_classes)).astype(np.int32)
    return Grouping.of(tally, labels, groups.n_classes + bool(len(gone)))


def _without_stars(released: Rows, quasi: Sequence[str], starred: int) -> Rows:
    """Return the records without those that became stars."""
    columns = [released.frame.get_column(name).alias("").cast(pl.String) for name in quasi]
    stars = np.logical_and.reduce([column.eq_missing(STAR).to_numpy() for column in columns])
    n_stars = int(released.counts[stars].sum())
    if n_stars < starred:
        raise CertificateError(f"{starred} records are said to be stars, and {n_stars} are.")
    before = np.cumsum(released.counts * stars) - released.counts * stars  # stars in the rows before
    gone = np.clip(starred - before, 0, released.counts * stars)
    left = released.counts - gone
    return Rows(released.frame.filter(pl.Series(left > 0)), left[left > 0])


def counted_column(source: Source, name: str) -> QuasiColumn:
    """Return a quasi column with the number of raw records of each leaf."""
    column, coded = quasi_column(source, name), source.table.columns[name]
    occurring: list[Label] = [*coded.values, *((None,) if coded.missing else ())]
    leaves = column.hierarchy.encode(occurring, name)
    counts = totals(leaves, source.table.histogram(name)[: len(leaves)], column.hierarchy.n_leaves)
    return replace(column, leaf_counts=counts, weight=source.weights[name])


def _texts(observed: Observed, number: int) -> list[Label]:
    """Return the different cells of a column by their codes; the missing one is last, if there is one."""
    texts = observed.published[number]
    return [*texts, *((None,) if (observed.cells[:, number] == len(texts)).any() else ())]


def _read(column: QuasiColumn, texts: Sequence[Label], levels: Mapping[str, int]) -> Subsets:
    if levels:
        return cells_at(column.hierarchy, levels[column.name], texts, column.name)
    return cells_of(column.hierarchy, texts, column.name)


def _with_suppressed(groups: Grouping, suppressed: int) -> Grouping:
    """Add the suppressed records as a last class; which sensitive values they have makes no difference to a loss."""
    return replace(
        groups,
        sizes=np.append(groups.sizes, suppressed),
        offsets=np.append(groups.offsets, groups.offsets[-1] + 1),
        profiles=np.append(groups.profiles, np.int32(0)).astype(np.int32),
        counts=np.append(groups.counts, suppressed),
    ).own_totals()
