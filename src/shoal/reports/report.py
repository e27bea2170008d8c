"""Report: one HTML file for the steward who signs a release, and one for its recipients."""

from shoal.reports.columns import columns_section, methods_section
from shoal.reports.context import context_section, head_facts
from shoal.reports.example_rows import example_rows_section
from shoal.reports.formulas import formulas_section
from shoal.reports.not_tested import not_tested_section
from shoal.reports.origin import job_section, origin_section, signatures_section
from shoal.reports.page import document
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


def steward_report(release: ReleaseFacts, steward: StewardFacts) -> str:
    """Return the full report, as HTML."""
    return _report(release, steward, _STEWARD)


def public_report(release: ReleaseFacts) -> str:
    """Return the public report, as HTML: it is derived from the released data and the public certificate alone."""
    return _report(release, None, _PUBLIC)


def _report(release: ReleaseFacts, steward: StewardFacts | None, note: str) -> str:
    made = [section(release, steward) for section in _SECTIONS]
    sections = [section for section in made if section is not None]
    return document("An anonymized release", note, sections, head_facts(release, steward))
