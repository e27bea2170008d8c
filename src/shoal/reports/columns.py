"""The columns of a release: the loss, the technique and the distribution of each."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.audits.utility.marginals import Marginal
from shoal.reports.drawing.charts import bars, percent
from shoal.reports.page import Html, PageSection, figure, figure_row, html_table, paragraph
from shoal.reports.release_facts import ReleaseFacts, StewardFacts
from shoal.tables.hierarchies.hierarchy import STAR
from shoal.tables.table import Column, Role

_SHOWN = 10  # most values or cells that a public chart names

_PLAINLY = {
    "intervals": "into intervals",
    "dates": "to coarser dates",
    "masking": "by masking characters",
    "levels": "along levels of a hierarchy",
    "taxonomy": "along a taxonomy",
    "collection": "into given sets of values",
    "order": "into groups of an order",
    "ranges": "into ranges of values",
    "sets": "into sets of values",
    "suppression": "kept or suppressed as a whole",
}


def columns_section(release: ReleaseFacts, steward: StewardFacts | None) -> PageSection:
    """Return the section on columns: for the steward before and after, for the public the release alone."""
    if steward is None:
        return PageSection("columns", "Columns", (_spread(release),))
    marginals, notes = steward.marginals(release)
    rows = [_row(one, release) for one in marginals]
    header = ("column", "lost", "values before", "after", "cells as they were", "suppressed cells", "total variation")
    drawn = [figure(chart, heading) for heading, chart in _compared(marginals)]
    said = paragraph(
        "Lost: the share of the column's information, by the measure of the search; a suppressed record lost all. "
        "Total variation: how far both distributions are apart, from 0 (alike) to 1 (nothing in common). A cell that "
        "stands for several values is spread evenly over them. Values of fewer than "
        f"{release.k} raw records are put together."
    )
    lacking = [paragraph(f"{name} {note.rstrip('.')}.") for name, note in notes.items()]
    return PageSection(
        "columns",
        "What each column lost",
        (html_table(header, rows, range(1, 7), stacked=True), said, *lacking, figure_row(drawn)),
        {"columns": [_told(one, release) for one in marginals], "notes": notes},
    )


def column_charts(release: ReleaseFacts, steward: StewardFacts | None) -> list[tuple[str, str]]:
    """Return a chart of each column with its heading: before and after for the steward, else of the release alone."""
    return _alone(release) if steward is None else _compared(steward.marginals(release)[0])


def _compared(marginals: Sequence[Marginal]) -> list[tuple[str, str]]:
    return [
        (f"{one.name}: {_axis(one)}", bars(f"{one.name} before and after", *_before_and_after(one)))
        for one in marginals
        if _drawn(one)
    ]


def _told(one: Marginal, release: ReleaseFacts) -> dict[str, Any]:
    """Return what is told of a column, as JSON."""
    labels, after, before = _before_and_after(one) if _drawn(one) else ([], [], [])
    return {
        "name": one.name,
        "role": str(one.role),
        "lost": None if one.loss is None else one.loss.share,
        "distinct": list(one.distinct),
        "kept": one.kept / max(release.rows.n_records, 1),
        "suppressed": one.suppressed,
        "total_variation": one.total_variation,
        "labels": labels,
        "special": [at for at, number in enumerate(_shown(one)) if one.scale.bins[number].special] if labels else [],
        "before": before,
        "after": after,
    }


def _drawn(one: Marginal) -> bool:
    """Tell whether a column has bins that can be compared."""
    return one.scale.n_value_bins > 0 and len(one.scale.bins) > 1


def _row(one: Marginal, release: ReleaseFacts) -> Sequence[str]:
    lost = "" if one.loss is None else percent(one.loss.share)
    as_they_were = percent(one.kept / max(release.rows.n_records, 1))
    return (
        one.name,
        lost,
        f"{one.distinct[0]:,}",
        f"{one.distinct[1]:,}",
        as_they_were,
        f"{one.suppressed:,}",
        f"{one.total_variation:.3f}",
    )


def _axis(one: Marginal) -> str:
    return f"{one.role}, before and after"


def _shown(one: Marginal) -> list[int]:
    """Return the bins with any record, before or after."""
    return [number for number in range(len(one.scale.bins)) if one.scale.before[number] or one.scale.after[number]]


def _before_and_after(one: Marginal) -> tuple[list[str], list[float], list[float]]:
    """Return the bins of a column, and the shares of the records in them after and before."""
    scale = one.scale
    before, after = (side / max(float(side.sum()), 1.0) for side in (scale.before, scale.after))
    shown = _shown(one)
    return (
        [scale.bins[number].label for number in shown],
        [float(after[number]) for number in shown],
        [float(before[number]) for number in shown],
    )


def _spread(release: ReleaseFacts) -> Html:
    return figure_row([figure(chart, heading) for heading, chart in _alone(release)])


def _alone(release: ReleaseFacts) -> list[tuple[str, str]]:
    """Return charts of the most frequent cells of the release; cells with fewer than k records are not shown."""
    names = [name for name, role in release.roles.items() if release.whole or role is Role.QUASI]
    drawn = []
    for name in names:
        column = release.column(name)
        counts = release.counted(name)
        labels = [*column.values, "missing"]
        order = [cell for cell in np.argsort(-counts, kind="stable").tolist() if counts[cell] >= release.k][:_SHOWN]
        shares = [counts[cell] / max(release.rows.n_records, 1) for cell in order]
        shown = [_cell(labels[cell]) for cell in order]
        rest = max(1 - sum(shares), 0.0)
        if int(counts.sum() - counts[order].sum()) >= release.k:
            shown, shares = [*shown, "all others"], [*shares, rest]
        if shown:
            drawn.append((f"{name}: {release.roles[name]}", bars(f"{name} in the release", shown, shares)))
    return drawn


def _cell(text: str) -> str:
    return "suppressed" if text == STAR else text


def methods_section(release: ReleaseFacts, steward: StewardFacts | None) -> PageSection:
    """Return the section on methods: the technique of each column, in the terms of ISO/IEC 20889."""
    rows = []
    if steward is not None:
        for role, names in (
            (Role.IDENTIFIER, steward.identifiers),
            (Role.OMITTED, steward.omitted),
            (Role.HOUSEHOLD, steward.households),
        ):
            rows += [(name, str(role), "masking: the attribute is removed", "never leaves") for name in names]
    for name, role in release.roles.items():
        rows.append((name, str(role), *_technique(release, name, role)))
    if release.numbered is not None:
        numbered = "numbers from 1 within each class, without a key: no number reaches beyond its class"
        rows.append((release.numbered, "entity", "pseudonymization", numbered))
    keys = {"file": "a key that is kept", "release": "a key that was drawn for this release, and kept by nobody"}
    for name, one in release.pseudonyms.items():
        rows.append((name, "identifier", "pseudonymization", f"HMAC-SHA-256, 128 bits, with {keys[one['key']]}"))
    for name, mask in release.masks.items():
        rows.append((name, "identifier", "masking: a part of the attribute is removed", f"the mask {mask}, before all"))
    records = release.certificate["records"]
    if records["suppressed"] != 0:
        words = "all quasi values of some records as stars" if release.starred else "some records are left out"
        rows.append(("(records)", "", "local suppression" if release.starred else "record suppression", words))
    model = ", ".join(dict.fromkeys(claim["model"] for claim in release.certificate["claims"]))
    parts = (
        html_table(("column", "role", "technique", "how"), rows, stacked=True),
        paragraph(f"Formal privacy measurement model: {model}."),
    )
    return PageSection("methods", "Methods, in the words of ISO/IEC 20889", parts)


def _technique(release: ReleaseFacts, name: str, role: Role) -> tuple[str, str]:
    """Return the technique of a column, and what it means here."""
    if role is not Role.QUASI:
        return "none", "published as it is"
    if release.centres:
        return "microaggregation", "each value is replaced by that of the centre of its cluster"
    recipe = release.recipes.get(name)
    how = "" if recipe is None else _PLAINLY.get(recipe.name, recipe.name)
    algorithm = release.certificate["algorithm"]
    if algorithm["recoding"] == "full-domain":
        level = algorithm["levels"].get(name, 0)
        if level == 0:
            return "none", "published as it is"
        cells = release.column(name)
        if set(cells.values) <= {STAR}:
            return "masking: the attribute is removed", "suppressed as a whole"
        example = _such_as(cells, release.counted(name), release.k)
        return "generalization", f"{how}, to level {level} for all records alike{example}"
    if algorithm["recoding"] == "single-dimensional":
        return "generalization", f"{how}, equal values alike"
    if algorithm["recoding"] == "cell-suppression":
        return "generalization and local suppression", f"{how}, to one level, with stars in single cells"
    return "local generalization", f"{how}, each class for itself"


def _such_as(column: Column, counts: NDArray[np.int64], k: int) -> str:
    """Return the most frequent cell as an example of a level, if at least k records have it."""
    counts = counts[:-1] * (np.array(column.values) != STAR)
    return f": such as {column.values[int(counts.argmax())]}" if counts.max(initial=0) >= k else ""
