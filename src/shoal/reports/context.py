"""The context of a release in a report: the twelve questions, in the steward's own words."""

from shoal.foundation.wording import number_of
from shoal.reports.page import Html, PageSection, facts, html, paragraph
from shoal.reports.release_facts import ReleaseFacts, StewardFacts

OPEN = Html('<span class="open">open</span>')
"""What stands where a question is not answered."""


def context_section(release: ReleaseFacts, steward: StewardFacts | None) -> PageSection | None:
    """Return the section on the context; it is the steward's, and the public report has none."""
    if steward is None:
        return None
    n_open = sum(answer is None for _, answer in steward.context)
    said = (
        "The steward's own words, from the job; nothing here was checked."
        if not n_open
        else f"The steward's own words, from the job; nothing here was checked. {number_of(n_open, 'question', 'are')} "
        f"open of {len(steward.context)}: answer them in the table [context] of the job, and make the release again."
    )
    answers = [(title, OPEN if answer is None else _lines(answer)) for title, answer in steward.context]
    return PageSection("context", "The context", (facts(answers), paragraph(said)))


def head_facts(release: ReleaseFacts, steward: StewardFacts | None) -> Html:
    """Return what stands at the head of a report: data set, owner and date; the public one leaves out what is open."""
    told = [(title, answer) for title, answer in release.head if answer is not None or steward is not None]
    return facts([(title, OPEN if answer is None else answer) for title, answer in told]) if told else Html("")


def _lines(text: str) -> Html:
    """Return a text with its line breaks."""
    return Html("<br>".join(html(line) for line in text.splitlines()))
