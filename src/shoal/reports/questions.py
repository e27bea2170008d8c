"""The three questions of WP216 (the Article 29 Working Party's opinion 05/2014): singling out, linking, inferring."""

from shoal.audits.attacks.homogeneity import homogeneity
from shoal.reports.drawing.charts import percent
from shoal.reports.page import Html, PageSection, bullets, html
from shoal.reports.release_facts import ReleaseFacts, StewardFacts
from shoal.tables.distinct_rows import distinct_rows
from shoal.tables.table import Role, totals


def questions_section(release: ReleaseFacts, steward: StewardFacts | None) -> PageSection:
    """Return the section that answers the three questions with figures of this release."""
    answers = {
        "Can a person be singled out?": _singled_out(release, steward),
        "Can records of one person be linked?": _linked(release),
        "Can something be inferred about a person?": _inferred(release, steward),
    }
    parts = [part for question, said in answers.items() for part in _asked(question, said)]
    return PageSection("questions", "The three questions of WP216", tuple(parts), {"answers": answers})


def _asked(question: str, answers: list[str]) -> tuple[Html, Html]:
    return Html(f"<h3>{html(question)}</h3>"), bullets(answers)


def _singled_out(release: ReleaseFacts, steward: StewardFacts | None) -> list[str]:
    said = [*_measured(release, told_apart=steward is not None), _by_cells(release)]
    others = [name for name in release.roles if release.roles[name] is not Role.QUASI]
    if others and steward is not None:
        alone = _alone(release)
        said.append(
            f"If an attacker knew the other published columns as well ({', '.join(others)}), {alone:,} of "
            f"{release.rows.n_records:,} records ({percent(alone / max(release.rows.n_records, 1))}) would be unique. "
            "Columns that somebody outside may know belong among the quasi columns."
        )
    return said


_DESCRIBED = {
    "cells": "the cells of a class",
    "ends": "the cells of a class and the printed end of a range",
    "elements": "the cells of a class and an element of a printed set",
    "centres": "the values of the centre of a cluster",
}


def _measured(release: ReleaseFacts, *, told_apart: bool) -> list[str]:
    """Return the answer by the attack: how many of the descriptions that the release prints fit one person alone.

    Args:
        release: The release.
        told_apart: Whether counts below k are told.
    """
    found = release.isolation
    if found is None:
        return [
            "Not measured: the table is too large to look for descriptions that fit one record alone, or cells could "
            "not be read. What follows speaks of the cells of the quasi columns, not of the values that they print. "
            "shoal attack RELEASE --attack singling-out measures it."
        ]
    one = "record" if found.n_persons is None else "person"

    def counted(number: int) -> str:
        return f"fewer than {release.k}" if 0 < number < release.k and not told_apart else f"{number:,}"

    few = not told_apart and any(0 < kind.isolating < release.k for kind in found.predicates)
    total = "some" if few else f"{found.isolating:,}"
    kinds = "; ".join(
        f"{_DESCRIBED[kind.kind]}: {counted(kind.isolating)} of {kind.number:,}"
        for kind in found.predicates
        if kind.number
    )
    limits = "Distances from the centres were not looked at." if release.centres else ""
    answer = (
        f"Yes, by what the release prints: {total} of {found.n_predicates:,} descriptions fit exactly one {one} of the "
        "raw table."
        if found.isolating
        else f"None of the {found.n_predicates:,} descriptions that the release prints fits exactly one {one} of the "
        "raw table."
    )
    return [f"{answer} Descriptions that do, by their kind: {kinds}. {limits}".strip()]


def _by_cells(release: ReleaseFacts) -> str:
    """Return what the classes tell: how many share their quasi values, strictly counted."""
    least, quasi = release.classes["smallest"], ", ".join(release.names(Role.QUASI))
    shown = f"the fewest {release.unit} that show the same values are {least:,}"
    if least > 1:
        return f"Not by the cells of the quasi columns ({quasi}) as they are published: {shown}."
    return (
        f"By the cells of the quasi columns ({quasi}) somebody is: {shown}, if a missing value is a value of its own. "
        "The promises hold by the wildcard reading only."
    )


def _alone(release: ReleaseFacts) -> int:
    """Return the number of records that are unique in all published columns together."""
    columns = [release.column(name) for name in release.roles]
    sizes = [len(column.values) + 1 for column in columns]
    labels, cells = distinct_rows([column.codes for column in columns], sizes, release.rows.frame.height)
    return int((totals(labels, release.rows.counts, len(cells)) == 1).sum())


def _linked(release: ReleaseFacts) -> list[str]:
    found = release.classes
    several = (
        "Where one person has several records, a class has fewer persons than records."
        if release.persons is None
        else "Within a class the numbers of persons tell which records are of one: whoever knows how many records a "
        "person has may learn more."
    )
    certainty = "Not with certainty" if found["smallest"] > 1 else "For some with certainty, by strict counting"
    return [
        f"{certainty}: the quasi values of a person lead to {found['smallest']:,} {release.unit} or more. A "
        f"link is right with a chance of at most {percent(1 / found['smallest'])}, and of "
        f"{percent(found['count'] / max(int(release.sizes.sum()), 1))} on average.",
        f"Other data about the same persons, another release of this table among them, may lead to fewer. {several}",
    ]


def _inferred(release: ReleaseFacts, steward: StewardFacts | None) -> list[str]:
    columns = release.names(Role.SENSITIVE)
    if not columns:
        return ["No column is declared sensitive."]
    promised = [
        f"{claim['model']} limits what a class tells about {claim['parameters']['column']}."
        for claim in release.certificate["claims"]
        if claim["parameters"].get("column") in columns
    ]
    if steward is None:
        unlimited = "No promise limits what a class tells about the sensitive columns."
        return [*(promised or [unlimited]), *_told_by_the_search(release)]
    return [*promised, *(_learned(release, name) for name in columns), *_told_by_the_search(release)]


def _told_by_the_search(release: ReleaseFacts) -> list[str]:
    """Return what an attacker learns who knows the algorithm."""
    blind = release.certificate.get("blind")
    if blind is None:
        return []
    if blind:
        return ["It is blind: the classes were made without the sensitive values, so how they were made tells nothing."]
    return [
        "It is not blind: the search read more than the quasi columns. Whoever knows the algorithm may rule out some "
        "of the tables that would fit, and learn more than the class tells."
    ]


def _learned(release: ReleaseFacts, name: str) -> str:
    """Return, in words, how much a class discloses about a column in the worst case."""
    histogram = release.observed.groups.histogram(name)
    worst = float((histogram.largest / histogram.sizes).max(initial=0.0))
    prior = float(histogram.reference.max(initial=0) / max(histogram.reference.sum(), 1))
    certain = homogeneity(release.observed, release.names(Role.QUASI), name).records
    sure = "nobody's value is certain" if certain == 0 else f"the value of {certain:,} records is certain"
    return (
        f"{name}: {sure}; in the class that tells most, {percent(worst)} of the records show one value, in the whole "
        f"release {percent(prior)} show the most frequent one."
    )
