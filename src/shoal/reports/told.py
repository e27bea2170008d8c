"""What a report is made of: what anybody may be told, and what only the steward of the table keeps."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.audits.losses import column_loss
from shoal.audits.marginals import Marginal, marginal
from shoal.audits.readings import Reading
from shoal.audits.scales import Scale
from shoal.hierarchies import Hierarchy, HierarchySpec
from shoal.measures.measure import CellMeasure
from shoal.observed import Observed
from shoal.table import Column, Role
from shoal.tally import distinct_rows

_NAMES = ("column", "columns", "others")  # parameters of a promise that are words, and no data


@dataclass(frozen=True, eq=False)
class Told:
    """What a release and its certificate tell.

    Args:
        certificate: The certificate; for the public what `openly` leaves of it.
        frame: The released records, as text.
        roles: The role of each of their columns.
        recipes: The hierarchies of the quasi columns.
        k: The least size of a class that is promised.
        asked: What was asked for, as names and words.
        starred: Whether suppressed records are released as stars.
        whole: Whether a row for each record is released, and not the clusters alone.
        hierarchies: The hierarchies of sensitive columns over the released values.
    """

    certificate: Mapping[str, Any]
    frame: pl.DataFrame
    roles: Mapping[str, Role]
    recipes: Mapping[str, HierarchySpec]
    k: int
    asked: tuple[tuple[str, str], ...]
    starred: bool = False
    whole: bool = True
    hierarchies: Mapping[str, Hierarchy] | None = None

    def names(self, role: Role) -> tuple[str, ...]:
        """Return the released columns of a role."""
        return tuple(name for name, own in self.roles.items() if own is role)

    @property
    def centres(self) -> bool:
        """Whether classes are published as the centres of clusters."""
        return "clusters" in self.certificate

    @cached_property
    def observed(self) -> Observed:
        """The classes of the release."""
        return Observed.of(self.frame, self.names(Role.QUASI), self.names(Role.SENSITIVE), self.hierarchies)

    @property
    def sizes(self) -> NDArray[np.int64]:
        """The number of records of each class."""
        return self.observed.groups.sizes


@dataclass(frozen=True, eq=False)
class Kept:
    """What the steward knows beside the release.

    Args:
        raw: The columns of the raw table, as codes.
        identifiers: The columns that never leave.
        folder: Where the files of hierarchies are found.
        measure: The measure of the loss, if cells are priced.
        heights: The highest level of each quasi column.
        job: The job file.
        picture: Draws the clusters, if the release has some.
    """

    raw: Mapping[str, Column]
    identifiers: tuple[str, ...]
    folder: Path
    measure: CellMeasure | None
    heights: Mapping[str, int]
    job: str
    picture: Callable[[], str] | None = None

    def sizes(self, quasi: tuple[str, ...]) -> NDArray[np.int64]:
        """Return the number of records of each class of the raw table."""
        columns = [self.raw[name] for name in quasi]
        n_records = len(columns[0].codes)
        labels, cells = distinct_rows(
            [column.codes for column in columns], [len(column.values) + 1 for column in columns], n_records
        )
        return np.bincount(labels, minlength=len(cells)).astype(np.int64)

    def marginals(self, told: Told) -> list[Marginal]:
        """Compare each released column with the raw one."""
        found = []
        for name, role in told.roles.items():
            generalized = role is Role.QUASI and not told.centres
            reading = Reading.of(
                _series(self.raw[name], name),
                told.frame[name],
                told.recipes.get(name) if generalized else None,
                self.folder,
                generalized=generalized,
            )
            scale = Scale.of(reading, told.k, binned=told.centres)
            priced = generalized and self.measure is not None
            loss = column_loss(reading, self.measure, self.folder) if priced and self.measure is not None else None
            found.append(marginal(scale, role, loss, told.k))
        return found


def _series(column: Column, name: str) -> pl.Series:
    """Return a coded column as texts."""
    texts = pl.Series(name, [*column.values, None], dtype=pl.String)
    return texts.gather(pl.Series(column.codes.astype(np.uint32)))


def openly(certificate: Mapping[str, Any], k: int) -> dict[str, Any]:
    """Return what of a certificate helps no attacker.

    Left out are the figures that tell how near to each other or how far out records are (radii, other minimal
    generalizations, a loss that is a largest distance), the course of the search, and counts below k.
    """
    algorithm, loss, records = certificate["algorithm"], certificate["loss"], certificate["records"]
    few = 0 < records["suppressed"] < k
    told = {
        "shoal": certificate["shoal"],
        "verdict": certificate["verdict"],
        "records": {"released": records["released"], "suppressed": None if few else records["suppressed"]},
        "missing": {"reading": certificate["missing"]["reading"]},
        "classes": certificate["classes"],
        "claims": [_claimed(claim) for claim in certificate["claims"]],
        "loss": {"measure": loss["measure"], "share": None if loss["measure"] == "radius" else loss["share"]},
        "algorithm": {name: algorithm[name] for name in ("name", "recoding", "levels")},
        "file": certificate["file"],
    }
    if "clusters" in certificate:
        shown = ("count", "smallest", "largest", "metric", "shape", "values", "file")
        told["clusters"] = {name: certificate["clusters"][name] for name in shown if name in certificate["clusters"]}
    return told


def _claimed(claim: Mapping[str, Any]) -> dict[str, Any]:
    """Return a claim without what names a file or a value."""
    fields = claim["parameters"].items()
    shown = {name: value for name, value in fields if name in _NAMES or not isinstance(value, str | list)}
    return {**claim, "parameters": shown}
