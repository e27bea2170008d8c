"""Witness: the charges that a steward keeps prove the bound of a certificate again; nothing is searched."""

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from shoal.actions.verification.charged import Charged, proven
from shoal.actions.verification.published_loss import counted_column
from shoal.actions.verification.raw_table import RawTable, demand
from shoal.classes.tally import QuasiColumn
from shoal.foundation.errors import CertificateError
from shoal.jobs.source import Source
from shoal.measures import CellMeasure
from shoal.models.model import SensitiveModel
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
    """Count the rows of a raw table, by their leaves and, if groups of different values are charged, by these."""
    table, job = source.table, source.job
    columns = tuple(counted_column(source, name) for name in table.names(Role.QUASI))
    leaves = {column.name: _leaves(source, column) for column in columns}
    values, k = None, max(model.least_size for promise in job.require for model in promise.counted())
    if job.input.missing == "wildcard" and any(table.columns[column.name].missing for column in columns):
        k = 1
    if charges.column is not None:
        values, k = _values(source, charges.column), _dealt(source, charges.column)
    sizes = {column.name: column.hierarchy.n_leaves for column in columns}
    numbers, first = rows_in_order(leaves, sizes, values)
    return Charged(
        columns=columns,
        codes=np.stack([leaves[column.name][first] for column in columns], axis=1).astype(np.int32),
        counts=table.totals(numbers, len(first)),
        values=None if values is None else values[first],
        k=k,
        suppressible=int(Fraction(job.search.max_suppressed) * table.n_records) > 0,
    )


def _leaves(source: Source, column: QuasiColumn) -> NDArray[np.int32]:
    """Return the leaf of each row of the table in a column."""
    coded = source.table.columns[column.name]
    occurring: list[Label] = [*coded.values, *((None,) if coded.missing else ())]
    return np.asarray(column.hierarchy.encode(occurring, column.name))[coded.codes].astype(np.int32)


def _values(source: Source, name: str) -> NDArray[np.int32]:
    """Return the rank of each row's value of a sensitive column."""
    if name not in source.table.names(Role.SENSITIVE):
        raise CertificateError(f"{NAME} speaks of '{name}', which is no sensitive column.")
    coded = source.table.columns[name]
    return ranked([*coded.values, None])[coded.codes]


def _dealt(source: Source, name: str) -> int:
    """Return the least size of the groups of different values that every class can be dealt into.

    Where no value has more than one in l records of a class, records that are sorted by value and dealt round-robin
    into as many groups as l goes into their number have different values in each group: no value has more records than
    there are groups. A group has l records or more, and fewer than 2l.
    """
    shares = [
        model.largest_share
        for promise in source.job.require
        for model in promise.counted()
        if isinstance(model, SensitiveModel) and model.entity is None and model.column == name
    ]
    least = min((share for share in shares if share is not None), default=Fraction(1))
    if least > Fraction(1, 2):
        raise CertificateError(f"{NAME} charges groups of different values of '{name}', and no promise makes such.")
    return int(1 / least)
