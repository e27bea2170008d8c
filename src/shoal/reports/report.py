"""Report: one HTML file for the steward who signs a release, and one for its recipients."""

from collections.abc import Mapping, Sequence
from typing import Any

from shoal.reports.columns import columns_section, methods_section
from shoal.reports.context import context_section, head_facts
from shoal.reports.example_rows import example_rows_section
from shoal.reports.formulas import formulas_section
from shoal.reports.not_tested import not_tested_section
from shoal.reports.origin import job_section, origin_section, signatures_section
from shoal.reports.page import PageSection, document
from shoal.reports.people import attacks_section, classes_section, risk_section
from shoal.reports.printed_values import printed_section
from shoal.reports.pseudonyms import pseudonyms_section
from shoal.reports.questions import questions_section
from shoal.reports.release_facts import ReleaseFacts, StewardFacts
from shoal.reports.safe_harbor import safe_harbor_section
from shoal.reports.search import search_section
from shoal.reports.verdict import claims_section, request_section, verdict_section

_SECTIONS = (
    context_section,
    verdict_section,
    signatures_section,
    request_section,
    claims_section,
    classes_section,
    risk_section,
    columns_section,
    pseudonyms_section,
    formulas_section,
    search_section,
    attacks_section,
    methods_section,
    printed_section,
    questions_section,
    safe_harbor_section,
    not_tested_section,
    example_rows_section,
    origin_section,
    job_section,
)

_STEWARD = (
    "For the steward of the table and the data protection officer. It compares the release with the raw table: keep "
    "it, and pass on all of the folder public."
)
_PUBLIC = "For those who get the data: what was promised, what was done, and what can be relied on."


def steward_report(release: ReleaseFacts, steward: StewardFacts) -> tuple[str, dict[str, Mapping[str, Any]]]:
    """Return the full report, as HTML; and what its sections tell, as JSON by their keys."""
    sections = _sections(release, steward)
    return _document(release, steward, _STEWARD, sections), {one.key: one.told for one in sections if one.told}


def public_report(release: ReleaseFacts) -> str:
    """Return the public report, as HTML: it is derived from the released data and the public certificate alone."""
    return _document(release, None, _PUBLIC, _sections(release, None))


def _sections(release: ReleaseFacts, steward: StewardFacts | None) -> list[PageSection]:
    made = [section(release, steward) for section in _SECTIONS]
    return [section for section in made if section is not None]


def _document(release: ReleaseFacts, steward: StewardFacts | None, note: str, sections: Sequence[PageSection]) -> str:
    return document("An anonymized release", note, sections, head_facts(release, steward))
