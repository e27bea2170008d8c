"""Witness: the charges that a steward keeps prove the bound of a certificate again; nothing is searched."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from shoal.actions.verification.charged import Charged, proven
from shoal.actions.verification.published_loss import counted_column
from shoal.actions.verification.raw_table import RawTable, demand
from shoal.classes.observed import sensitive_column
from shoal.classes.tally import QuasiColumn, SensitiveColumn
from shoal.foundation.errors import CertificateError
from shoal.jobs.source import Source
from shoal.measures import CellMeasure
from shoal.models.caps import Caps
from shoal.models.requirement import Requirement
from shoal.releases.charges import NAME, RowCharges, ranked, rows_in_order
from shoal.releases.claims.figures import ROUNDED
from shoal.tables.hierarchies.hierarchy import Label
from shoal.tables.table import Role


def proven_by_charges(raw: RawTable) -> Fraction | None:
    """Return what the charges of a release prove of its table.

    Returns:
        The bound; None if the release has no charges, or there are too many combinations of cells to look at.

    Raises:
        CertificateError: They prove less than the certificate tells.
    """
    told = raw.certificate["loss"].get("witness")
    if told is None:
        return None
    source = raw.source()
    measure = source.job.search.measure
    if not isinstance(measure, CellMeasure):
        raise CertificateError(f"The measure '{measure.name}' has no price for a cell, so no charges prove a bound.")
    if source.job.search.sampling_weights is not None:
        raise CertificateError("The loss goes by sampling weights, and charges prove no bound of such a loss.")
    charges = RowCharges.read(raw.claims.where.private)
    found = proven(_charged(source, charges), measure, charges)
    if found is not None:
        demand(["what the charges prove"] if told > found * (1 + Fraction(ROUNDED)) else [])
    return found


def places_of(raw: RawTable, found: Fraction | None) -> tuple[str, ...]:
    """Return the places of a certificate that a proven bound derives."""
    bound = raw.certificate["loss"]["bound"]
    if found is None:
        return ()
    whole = bound is not None and bound <= found * (1 + Fraction(ROUNDED))
    return ("loss.witness", *(("loss.bound", "loss.ratio") if whole else ()))


def _charged(source: Source, charges: RowCharges) -> Charged:
    """Count the rows of a raw table, by their leaves and, if these have caps, by their sensitive values."""
    table, job = source.table, source.job
    columns = tuple(counted_column(source, name) for name in table.names(Role.QUASI))
    leaves = {column.name: _leaves(source, column) for column in columns}
    required, values, caps = _required(source), None, None
    k = max(required.fewest, *(model.least_size for promise in job.require for model in promise.counted()))
    if job.input.missing == "wildcard" and any(table.columns[column.name].missing for column in columns):
        k = 1
    if charges.column is not None:
        values, caps = _values(source, charges.column, required)
    sizes = {column.name: column.hierarchy.n_leaves for column in columns}
    numbers, first = rows_in_order(leaves, sizes, values)
    return Charged(
        columns=columns,
        codes=np.stack([leaves[column.name][first] for column in columns], axis=1).astype(np.int32),
        counts=table.totals(numbers, len(first)),
        values=None if values is None else values[first],
        k=k,
        suppressible=int(Fraction(job.search.max_suppressed) * table.n_records) > 0,
        caps=caps,
    )


def _leaves(source: Source, column: QuasiColumn) -> NDArray[np.int32]:
    """Return the leaf of each row of the table in a column."""
    coded = source.table.columns[column.name]
    occurring: list[Label] = [*coded.values, *((None,) if coded.missing else ())]
    return np.asarray(column.hierarchy.encode(occurring, column.name))[coded.codes].astype(np.int32)


def _required(source: Source) -> Requirement:
    """Return what the promises on sensitive columns ask of every class; nothing where missing values match all."""
    job = source.job
    if job.input.missing == "wildcard":
        return Requirement()
    promises = [model for promise in job.require for model in promise.counted()]
    stay = job.release.suppressed == "star" or any(model.of_input for model in promises)
    share = Fraction(0 if stay else job.search.max_suppressed)
    return Requirement.of(promises, lambda name: _counted(source, name)[:2], share)


def _counted(source: Source, name: str) -> tuple[SensitiveColumn, NDArray[np.int64], NDArray[np.int32]]:
    """Return a sensitive column, how many records have each of its values, and the value of each row."""
    if name not in source.table.names(Role.SENSITIVE):
        raise CertificateError(f"{NAME} speaks of '{name}', which is no sensitive column.")
    column, codes = sensitive_column(name, source.table.columns[name], source.hierarchies.get(name))
    return column, source.table.totals(codes, len(column.values)), codes


def _values(source: Source, name: str, required: Requirement) -> tuple[NDArray[np.int32], Caps]:
    """Return the rank of each row's value of a sensitive column, and the caps of the values in the same order."""
    column, _, codes = _counted(source, name)
    if required.caps is None or required.column != name:
        raise CertificateError(f"{NAME} goes by the values of '{name}', and no promise caps how frequent these are.")
    ranks = ranked(column.values)
    most = tuple(required.caps.most[code] for code in np.argsort(ranks))
    return ranks[codes], replace(required.caps, most=most)
