"""The three questions of WP216 (the Article 29 Working Party's opinion 05/2014): singling out, linking, inferring."""

import numpy as np

from shoal.audits.attacks.homogeneity import homogeneity
from shoal.classes.tally import distinct_rows
from shoal.reports.charts import percent
from shoal.reports.page import Html, PageSection, bullets, html
from shoal.reports.told import Kept, Told
from shoal.tables.table import Column, Role


def questions_section(told: Told, kept: Kept | None) -> PageSection:
    """Answer the three questions with figures of this release."""
    parts = [
        *_asked("Can a person be singled out?", _singled_out(told, kept)),
        *_asked("Can records of one person be linked?", _linked(told)),
        *_asked("Can something be inferred about a person?", _inferred(told, kept)),
    ]
    return PageSection("questions", "The three questions of WP216", tuple(parts))


def _asked(question: str, answers: list[str]) -> tuple[Html, Html]:
    return Html(f"<h3>{html(question)}</h3>"), bullets(answers)


def _singled_out(told: Told, kept: Kept | None) -> list[str]:
    said = [
        f"Not by the quasi columns ({', '.join(told.names(Role.QUASI))}): the fewest {told.unit} that show the same "
        f"values are {told.classes['smallest']:,}."
    ]
    others = [name for name in told.roles if told.roles[name] is not Role.QUASI]
    if others and kept is not None:
        alone = _alone(told)
        said.append(
            f"If an attacker knew the other published columns as well ({', '.join(others)}), {alone:,} of "
            f"{told.frame.height:,} records ({percent(alone / max(told.frame.height, 1))}) would be unique. Columns "
            "that somebody outside may know belong among the quasi columns."
        )
    return said


def _alone(told: Told) -> int:
    """Return how many records are unlike all others in the published columns together."""
    columns = [Column.of(told.frame.get_column(name)) for name in told.roles]
    sizes = [len(column.values) + 1 for column in columns]
    labels, cells = distinct_rows([column.codes for column in columns], sizes, told.frame.height)
    return int((np.bincount(labels, minlength=len(cells)) == 1).sum())


def _linked(told: Told) -> list[str]:
    found = told.classes
    several = (
        "Where one person has several records, a class has fewer persons than records."
        if told.persons is None
        else "Within a class the numbers of persons tell which records are of one: whoever knows how many records a "
        "person has may learn more."
    )
    return [
        f"Not with certainty: the quasi values of a person lead to {found['smallest']:,} {told.unit} or more. A link "
        f"is right with a chance of at most {percent(1 / found['smallest'])}, and of "
        f"{percent(found['count'] / max(int(told.sizes.sum()), 1))} on average.",
        f"Other data about the same persons, another release of this table among them, may lead to fewer. {several}",
    ]


def _inferred(told: Told, kept: Kept | None) -> list[str]:
    columns = told.names(Role.SENSITIVE)
    if not columns:
        return ["No column is declared sensitive."]
    promised = [
        f"{claim['model']} limits what a class tells about {claim['parameters']['column']}."
        for claim in told.certificate["claims"]
        if claim["parameters"].get("column") in columns
    ]
    if kept is None:
        return promised or ["No promise limits what a class tells about the sensitive columns."]
    return [*promised, *(_learned(told, name) for name in columns)]


def _learned(told: Told, name: str) -> str:
    """Say how much a class tells about a column, at worst."""
    histogram = told.observed.groups.histogram(name)
    worst = float((histogram.largest / histogram.sizes).max(initial=0.0))
    prior = float(histogram.reference.max(initial=0) / max(histogram.reference.sum(), 1))
    certain = homogeneity(told.observed, told.names(Role.QUASI), name).records
    sure = "nobody's value is certain" if certain == 0 else f"the value of {certain:,} records is certain"
    return (
        f"{name}: {sure}; in the class that tells most, {percent(worst)} of the records show one value, in the whole "
        f"release {percent(prior)} show the most frequent one."
    )
