"""Formulas in the cells of a release, which a spreadsheet program would run."""

from shoal.reports.page import PageSection, html_table, paragraph
from shoal.reports.release_facts import ReleaseFacts, StewardFacts

_WHAT = (
    "A spreadsheet program takes a text that begins with =, +, -, @, a tab or a line end for a formula, and runs it. "
    "Plain numbers such as -5 are none."
)
_QUOTED = (
    "In the file each of these begins with one more apostrophe, which keeps it from being run. shoal verify and all "
    "that shoal reads take it away again; other programs show it."
)
_OPEN = (
    "In a CSV file they are as they were in the table: import its columns as text, or look at them in another program. "
    "In a workbook they are stored as texts. escape_formulas = true in the job quotes them."
)


def formulas_section(release: ReleaseFacts, steward: StewardFacts | None) -> PageSection | None:
    """Return the section on formulas: in which columns, and in how many cells; None if there are none."""
    if not release.formulas:
        return None
    rows = [(one.name, "yes" if one.in_name else "no", f"{one.cells:,}") for one in release.formulas]
    return PageSection(
        "formulas",
        "Cells that look like formulas",
        (
            paragraph(_WHAT),
            html_table(("column", "its name is one", "cells"), rows, numbers=(2,)),
            paragraph(_QUOTED if release.quoted else _OPEN),
        ),
    )
