"""Plots: what Python shows of a release and of a risk, as pictures that need no plotting library."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.reports.columns import column_charts
from shoal.reports.drawing.charts import bars
from shoal.reports.drawing.drawing import Drawing, sheet
from shoal.reports.people import below_curve, size_chart
from shoal.reports.release_facts import ReleaseFacts, StewardFacts

_MOST = 12  # columns of a plot


def release_plot(release: ReleaseFacts, steward: StewardFacts | None) -> Drawing:
    """Return a plot of a release: its classes by their size, the risk, and each column.

    Args:
        release: What the release tells.
        steward: The raw table, if it is at hand: then risk and columns are shown before and after.
    """
    unit = release.unit
    before = None if steward is None else steward.sizes(release)
    charts = column_charts(release, steward)
    left = f"; {len(charts) - _MOST} more columns are in the report" if len(charts) > _MOST else ""
    records = release.certificate["records"]["released"]
    return sheet(
        f"{records:,} records in {release.classes['count']:,} classes{left}",
        [
            (f"{unit.capitalize()} by the size of their class", size_chart(release)),
            (
                f"Share of the {unit} in classes of fewer than x {unit}",
                below_curve(unit, release.k, release.sizes, before),
            ),
            *charts[:_MOST],
        ],
    )


def risk_plot(summary: Mapping[str, Any], sizes: NDArray[np.int64], before: NDArray[np.int64] | None) -> Drawing:
    """Return a plot of the risk of a table: how many hide among how few, and which columns single out.

    Args:
        summary: The figures of the table.
        sizes: The size of each class.
        before: The same of the table that it came from, if that is known.
    """
    unit = summary["unit"]
    title = f"Share of the {unit} in classes of fewer than x {unit}"
    pictures = [(title, below_curve(unit, 0, sizes, before))]
    for heading, key in (
        (f"Unique {unit} by a column alone", "alone"),
        (f"Unique {unit} without a column, by all others", "without"),
    ):
        found = summary["singling_out"]["columns"][:_MOST]
        labels = [", ".join(one["columns"]) for one in found]
        if labels:
            pictures.append((heading, bars(heading, labels, [one[key] for one in found])))
    scores = (summary.get("suda") or {}).get("contributions") or {}
    if scores:
        heading = "Part of each column in what makes records special (SUDA)"
        pictures.append((heading, bars(heading, list(scores)[:_MOST], list(scores.values())[:_MOST])))
    largest = summary["prosecutor"]["strict"]["largest"]
    return sheet(f"{summary['records']:,} records, largest risk {largest:.4g}", pictures)
