"""The persons behind the records: class sizes, re-identification risk, and the findings of attacks."""

from bisect import bisect_left
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.audits.attacks.background_knowledge import BackgroundKnowledge
from shoal.audits.attacks.homogeneity import Homogeneity
from shoal.audits.attacks.release_alone import Seen, against_column
from shoal.audits.attacks.similarity import Similarity
from shoal.audits.attacks.skewness import Skewness
from shoal.audits.risk.thresholds import THRESHOLDS, k_for
from shoal.reports.drawing.charts import bars, curve, percent
from shoal.reports.page import PageSection, bullets, facts, figure, html_table, paragraph
from shoal.reports.release_facts import ReleaseFacts, StewardFacts
from shoal.tables.table import Role

_ENDS = (2, 3, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 100_000, 1_000_000)  # where bins begin
_STEPS = (*range(1, 21), 25, 30, 40, 50, 75, 100, 150, 200, 300, 500, 750, 1000)  # where the curve is drawn


def classes_section(release: ReleaseFacts, steward: StewardFacts | None) -> PageSection:
    """Return the section on class sizes, by records or persons."""
    found, unit = release.classes, release.unit
    ends, shares = _histogram(release.sizes, release.k)
    shown = figure(
        size_chart(release),
        f"The share of the {unit} in classes of each size: how many {unit} show the same quasi values.",
    )
    figures = [
        ("classes", f"{found['count']:,}"),
        ("smallest", f"{found['smallest']:,} {unit}"),
        ("average", f"{found['average']:.4g} {unit}"),
        ("largest", f"{found['largest']:,} {unit}"),
    ]
    told = {**found, "unit": unit, "ends": [[start, last] for start, last in ends], "shares": shares}
    return PageSection("classes", "Classes", (facts(figures), shown), told)


def size_chart(release: ReleaseFacts) -> str:
    """Return a chart of the share of the records, or persons, in classes of each size."""
    ends, shares = _histogram(release.sizes, release.k)
    labels = [f"{start:,}" if start == last else f"{start:,} to {last:,}" for start, last in ends]
    return bars(f"{release.unit.capitalize()} by the size of their class", labels, shares)


def _histogram(sizes: NDArray[np.int64], k: int) -> tuple[list[tuple[int, int]], list[float]]:
    """Return the ends of bins of class sizes, and the share of the records in each; the first bin begins with k."""
    largest = int(sizes.max(initial=1))
    starts = [k, *(end for end in _ENDS if k < end <= largest)]
    starts = [1, *starts] if int(sizes.min(initial=k)) < k else starts
    held = np.bincount(np.searchsorted(starts, sizes, side="right") - 1, sizes, len(starts)) / max(sizes.sum(), 1)
    lasts = [largest if end is None else end - 1 for end in (*starts[1:], None)]
    return [(start, max(start, last)) for start, last in zip(starts, lasts, strict=True)], held.tolist()


def risk_section(release: ReleaseFacts, steward: StewardFacts | None) -> PageSection:
    """Return the section on risk: the share of records or persons above each threshold, before and after."""
    after, unit = _Below.of(release.sizes), release.unit
    before = None if steward is None else _Below.of(steward.sizes(release))
    rows = []
    for threshold in THRESHOLDS:
        k = k_for(threshold)
        shares = [] if before is None else [percent(before.share(k))]
        rows.append((f"{float(threshold):g}", f"{k:,}", *shares, percent(after.share(k))))
    chance = [] if before is None else [("largest, average", f"{percent(1 / before.least)}, {percent(before.average)}")]
    told_after = ("after" if before else "largest, average", f"{percent(1 / after.least)}, {percent(after.average)}")
    earlier = () if before is None else (f"{unit} above, before",)
    header = ("threshold", "needs k", *earlier, f"{unit} above, after")
    drawn = below_curve(unit, release.k, release.sizes, None if steward is None else steward.sizes(release))
    parts = [
        paragraph(
            "Whoever knows that a person is in the table, and all quasi values of the person, names the record with a "
            f"chance of 1 in the number of {unit} that show these values (the prosecutor's risk). The average is also "
            f"the share of all {unit} that would be named rightly if everybody were tried (the marketer's)."
        ),
        facts([*((f"before: {name}", value) for name, value in chance), _renamed(told_after, before is not None)]),
        figure(drawn, f"The share of the {unit} that share their quasi values with fewer than x - 1 others."),
        html_table(header, rows, range(4)),
    ]
    if steward is not None:
        parts.append(
            paragraph(
                "Against a population, by sampling weights, for persons with several records, and record by record: "
                "shoal risk."
            )
        )
    return PageSection("risk", "Risk before and after" if before else "Risk", tuple(parts))


def below_curve(unit: str, k: int, sizes: NDArray[np.int64], before: NDArray[np.int64] | None) -> str:
    """Return a curve of the share of the records, or persons, in classes of fewer than x of them.

    Args:
        unit: What is counted.
        k: The promised least size of a class; 0 if none is.
        sizes: The size of each class.
        before: The same of the table before.
    """
    after, raw = _Below.of(sizes), None if before is None else _Below.of(before)
    return curve(
        f"Share of the {unit} in classes of fewer than x {unit}",
        k,
        {step: after.share(step) for step in _STEPS},
        None if raw is None else {step: raw.share(step) for step in _STEPS},
    )


def _renamed(pair: tuple[str, str], both: bool) -> tuple[str, str]:
    return ("after: largest, average", pair[1]) if both else pair


class _Below:
    """The distribution of records over class sizes.

    Args:
        sizes: The size of each class, ascending.
    """

    def __init__(self, sizes: list[int]) -> None:
        self._sizes = sizes
        self._held = [0, *np.cumsum(sizes).tolist()]

    @classmethod
    def of(cls, sizes: NDArray[np.int64]) -> "_Below":
        """Sort the sizes of classes."""
        return cls(np.sort(sizes).tolist())

    @property
    def least(self) -> int:
        """The size of the smallest class."""
        return self._sizes[0] if self._sizes else 1

    @property
    def average(self) -> float:
        """The average risk of all records, where the risk of a record is 1 / the size of its class."""
        return len(self._sizes) / max(self._held[-1], 1)

    def share(self, k: int) -> float:
        """Return the share of the records in classes smaller than k."""
        return self._held[bisect_left(self._sizes, k)] / max(self._held[-1], 1)


def attacks_section(release: ReleaseFacts, steward: StewardFacts | None) -> PageSection | None:
    """Return the section on the attacks that need only the release; for the steward."""
    columns = release.names(Role.SENSITIVE)
    if steward is None or not columns:
        return None
    quasi = release.names(Role.QUASI)
    rows, told = [], []
    for column in columns:
        found, _ = against_column(release.observed, quasi, column, categories=column in steward.nominal)
        rows += [(one.name, column, words, percent(one.share)) for one in found for words in _said(one)]
        told += [_told(one, column) for one in found]
    more = bullets(
        [
            "Linkage with a public table, and another release of the same table, need these tables: "
            "shoal attack RELEASE --public FILE, --other RELEASE.",
            "The classes in question, by number and size: shoal attack RELEASE.",
        ]
    )
    table_of = html_table(("attack", "column", "what is learned", "records"), rows, (3,), stacked=True)
    return PageSection("attacks", "Attacks", (table_of, more), {"findings": told})


def _told(found: Seen, column: str) -> dict[str, Any]:
    """Return the finding of an attack, as JSON."""
    told: dict[str, Any] = {"attack": found.name, "column": column, "share": found.share}
    if isinstance(found, BackgroundKnowledge):
        return told | {"records": found.steps[-1].records, "values": found.steps[-1].values}
    if isinstance(found, Skewness):
        return told | {"records": found.records, "at": float(found.at)}
    if isinstance(found, Similarity):
        return told | {"records": found.records, "at": float(found.at), "by": found.by}
    return told | {"records": found.records}


def _said(found: Seen) -> Iterator[str]:
    """Yield the findings of an attack in words."""
    if isinstance(found, Homogeneity):
        yield f"the value for sure: {found.records:,} records in {found.classes:,} classes"
    elif isinstance(found, BackgroundKnowledge):
        last = found.steps[-1]
        yield f"the value for sure, if {last.values} values can be ruled out: {last.records:,} records"
    elif isinstance(found, Skewness):
        yield f"a value is more likely by {found.at:.0%} or more than in the whole release: {found.records:,} records"
    elif isinstance(found, Similarity):
        near = f"within {found.at:.0%} of the whole range" if found.by == "range" else "in one group of the hierarchy"
        yield f"all values of the class are {near}: {found.records:,} records"
