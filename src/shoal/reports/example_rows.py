"""Ten rows before and after: how records look in the raw table and in the release, in the steward's report alone."""

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.audits.notations import items
from shoal.reports.page import Html, PageSection, html, html_table, paragraph
from shoal.reports.release_facts import ReleaseFacts, StewardFacts
from shoal.tables.table import Column, totals

_ROWS = 10
_LONGEST = 80  # signs of a cell that are shown
_DIGIT, _LETTER = re.compile(r"\d"), re.compile(r"[^\W\d_]")


def example_rows_section(release: ReleaseFacts, steward: StewardFacts | None) -> PageSection | None:
    """Return the section with ten rows of each table; they are not the same persons, and in no common order."""
    if steward is None or not release.whole:
        return None
    names = [name for name in release.roles if name in steward.raw.columns]
    raw, counts = [steward.raw.columns[name] for name in names], steward.raw.counts
    rare = [_rare(column, counts, release.k) for column in raw]
    shown, sizes = [release.column(name) for name in names], release.rows.counts
    hidden = [_rare(column, sizes, release.k) | few for column, few in zip(shown, rare, strict=True)]
    before, after = _table(raw, names, counts, rare), _table(shown, names, sizes, hidden)
    said = (
        "Rows spread evenly over each table; one below is not the same record as the one above. A value that fewer "
        f"than {release.k} records have is shown by its form, in italics: 9 for a digit, a for a letter. Identifiers "
        "are not shown. The rows are those of real persons: keep them."
    )
    return PageSection(
        "rows",
        "Ten rows before and after",
        (paragraph(said), Html("<h3>before</h3>"), before, Html("<h3>after</h3>"), after),
    )


def _table(
    columns: Sequence[Column], names: Sequence[str], counts: NDArray[np.int64] | None, hidden: Sequence[frozenset[str]]
) -> Html:
    n_records = len(columns[0].codes) if counts is None else int(counts.sum())
    chosen = np.linspace(0, n_records - 1, min(_ROWS, n_records)).astype(np.int64)  # none of an empty table
    if counts is not None:
        chosen = np.searchsorted(np.cumsum(counts), chosen, side="right")  # a row may stand for several records
    rows = [
        [_cell(column, int(column.codes[row]), few) for column, few in zip(columns, hidden, strict=True)]
        for row in chosen
    ]
    return html_table(names, rows, stacked=True)


def _rare(column: Column, counts: NDArray[np.int64] | None, k: int) -> frozenset[str]:
    """Return the values that fewer than k records have."""
    number = totals(column.codes, counts, len(column.values) + 1)
    return frozenset(value for code, value in enumerate(column.values) if number[code] < k)


def _cell(column: Column, code: int, rare: frozenset[str]) -> Html:
    """Return a cell, by its form if it is a rare value or a set that names one; nothing if it is missing."""
    if not 0 <= code < len(column.values):
        return Html("")
    value = column.values[code]
    hidden = value in rare or not rare.isdisjoint(items(value) or ())
    shown = _LETTER.sub("a", _DIGIT.sub("9", value)) if hidden else value
    cut = html(shown if len(shown) <= _LONGEST else f"{shown[:_LONGEST]}...")
    return Html(f"<i>{cut}</i>") if hidden else cut
