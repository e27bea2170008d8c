"""The numbers of records that a certificate states, put to the records that are there."""

import numpy as np
import polars as pl

from shoal.releases.claims.release_claims import ReleaseClaims
from shoal.tables.hierarchies.hierarchy import STAR
from shoal.tables.table import Role


def numbers_agree(claims: ReleaseClaims, n_records: int) -> bool:
    """Tell whether as many records are there as the certificate says: the released ones, and those that became stars.

    The steward's certificate tells of all records of the input: they were released or suppressed, some of these dropped
    for a missing value. The public one tells neither whether suppressed records are there as stars, nor always how many
    there were.

    Args:
        claims: What the release claims.
        n_records: The number of records that it has.
    """
    records = claims.certificate["records"]
    released, suppressed = records["released"], records["suppressed"]
    if claims.job is None:
        starred = n_records - released
        if starred <= 0:
            return starred == 0
        return starred <= min(_stars(claims), starred if suppressed is None else suppressed)
    dropped = claims.certificate["missing"].get("dropped")
    if suppressed is None or dropped is None or dropped > (suppressed if claims.job.input.missing == "drop" else 0):
        return False
    starred = suppressed - dropped if claims.job.release.suppressed == "star" else 0
    fakes = claims.certificate.get("series", {}).get("counterfeits", 0)
    return (records.get("input"), n_records) == (released + suppressed - fakes, released + starred)


def _stars(claims: ReleaseClaims) -> int:
    """Return how many records have a star in every quasi column."""
    if "records" not in claims.locations:
        return 0
    quasi = claims.names(Role.QUASI)
    rows, _ = claims.locations["records"].counted(quasi)
    columns = [rows.frame.get_column(name).alias("").cast(pl.String) for name in quasi]
    stars = [column.eq_missing(STAR).to_numpy() for column in columns]
    return int(rows.counts[np.logical_and.reduce(stars)].sum())
