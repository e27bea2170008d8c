"""Gathered: the clusters of a release as they are published, and where their records stand."""

from dataclasses import dataclass
from decimal import ROUND_FLOOR, Decimal
from typing import Any

import polars as pl

from shoal.certificate import ClusterFindings
from shoal.clusters.centre_distances import CentreDistances, allowed, numbers_of
from shoal.clusters.cluster_table import ClusterTable, Radius, Shape, ValuesOption, rounded_up
from shoal.clusters.metric import Metric
from shoal.clusters.objectives import Objective, Spread
from shoal.foundation.errors import CertificateError
from shoal.kernels.clusters.metrics import EARTH, EQUAL, HOLED, NUMBER, TABLE, TREE

KINDS = {NUMBER: "number", HOLED: "number", EQUAL: "equal", TABLE: "table", TREE: "tree", EARTH: "earth"}
_OBJECTIVES: tuple[Objective, ...] = ("radius", "cellular", "distortion", "sse")


@dataclass(frozen=True, slots=True, eq=False)
class Gathered:
    """Clusters, as they leave.

    Args:
        frame: The table of clusters, as text.
        distances: Where the records stand, and in which row of the table of clusters. It never leaves.
        spread: How far they are from their centres, by the search.
        shape: Whether a row for each record is released, one for each cluster, or both.
        radius: Whether each cluster tells its own radius.
        values: How sensitive values are told.
        centres: Where centres may be: `anywhere`, or `records` if only where one stands.
    """

    frame: pl.DataFrame
    distances: CentreDistances
    spread: Spread
    shape: Shape
    radius: Radius
    values: ValuesOption
    centres: str

    def demand_radii(self, table: ClusterTable) -> None:
        """Raise a CertificateError if a record is farther from its published centre than the radius that is told."""
        n_clusters = max(self.frame.height, int(self.distances.clusters.max(initial=-1)) + 1)
        if len(table) != n_clusters:
            raise CertificateError(f"Refused: the table of clusters has {len(table)} rows for {n_clusters} clusters.")
        texts = {name: table.centres[name].to_list() for name in table.centres.columns}
        radii = self.distances.radii(numbers_of(self.distances.metric, texts), len(table))
        wrong = int((radii > allowed(self.distances.metric, table.radii)).sum())
        if wrong:
            raise CertificateError(
                f"Refused: in {wrong} of {len(table)} clusters a record is farther from the centre than the radius "
                "that would be published."
            )

    def section(self, findings: ClusterFindings, bound: float | None) -> dict[str, Any]:
        """Return what the certificate says of the clusters."""
        totals = {name: float(self.spread.totals(name)[-1]) for name in _OBJECTIVES}
        said = {
            **findings.sizes,
            "radius": findings.radius,
            "objectives": {**totals, "radius": findings.radius},
            "bound": bound,
            "metric": describe_metric(self.distances.metric, self.centres),
            "shape": self.shape,
        }
        if self.shape == "records":
            return said
        return {
            **said,
            "radii": self.radius,
            "values": self.values,
            "claims": [claim.as_dict() for claim in findings.claims],
            "file": findings.file,
        }


def describe_metric(metric: Metric, centres: str) -> dict[str, Any]:
    """Return how far places are from each other, in words and numbers that give a radius its meaning."""
    axes = [
        {
            "columns": [metric.columns[number].name for number in axis.columns],
            "kind": KINDS[axis.kind],
            "weight": nearest(axis.weight),
        }
        for axis in metric.axes
    ]
    return {"norm": "L2" if metric.squares else "L1", "axes": axes, "centres": centres}


def nearest(number: float) -> float:
    """Return a number to six digits."""
    return float(f"{number:.6g}")


def above(number: float) -> float:
    """Return a number to six digits, not below it."""
    return float(rounded_up(number))


def below(number: float) -> float:
    """Return a number to six digits, not above it."""
    exact = Decimal(number)
    if exact <= 0:
        return 0.0
    return float(exact.quantize(Decimal(1).scaleb(exact.adjusted() - 5), rounding=ROUND_FLOOR))
