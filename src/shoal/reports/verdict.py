"""The first page of a report: the verdict, the request, and every promise with the value that was reached."""

from typing import Any

from shoal.audits.utility.usefulness import Change
from shoal.foundation.wording import safety
from shoal.models import MODELS
from shoal.models.table_model import TableModel
from shoal.reports.drawing.charts import percent
from shoal.reports.page import Html, PageSection, bullets, facts, html, html_table, listing, paragraph, strong
from shoal.reports.release_facts import APPLIED, ReleaseFacts, StewardFacts
from shoal.tables.table import Role

_FROM_HERE = "The commands are for the folder of this report."
_BY_RULES = "It was recoded by the rules of an earlier release, and put to all of its promises again."


def verdict_section(release: ReleaseFacts, steward: StewardFacts | None) -> PageSection:
    """Return the section with the verdict: what is proven, in a few lines."""
    found = release.certificate
    records, classes = found["records"], release.classes
    others = "others" if release.persons is None else "others of different persons"
    lines = [
        f"{records['released']:,} records are released. {_suppressed(records['suppressed'], release.k)}",
        f"Every record shares its quasi values with at least {classes['smallest'] - 1:,} {others}: whoever knows them "
        f"names the person behind a record with a chance of at most 1 in {classes['smallest']:,} "
        f"({percent(1 / classes['smallest'])}).",
        *_readings(release),
        *([] if steward is None else [_loss(found["loss"], found["algorithm"], release.measured)]),
        *([_BY_RULES] if release.applied else []),
    ]
    body = paragraph(strong(f"{safety(found).capitalize()}: {found['verdict']}."), " ", _proven(release)) + bullets(
        lines
    )
    parts = (Html(f'<div class="verdict">{body}</div>'), *_useful(release), *_unprotected(release))
    told = {"safe": found["verdict"], "proven": _proven(release), "lines": lines, "unprotected": _bare(release)}
    return PageSection("verdict", "Verdict", parts, told | _useful_told(release))


def _useful_told(release: ReleaseFacts) -> dict[str, Any]:
    """Return the other half of the verdict, as JSON."""
    found = release.useful
    if found is None:
        return {}
    changes = [{"loss": one.loss, "words": one.words, "remarks": one.remarks} for one in found.changes]
    return {"is_useful": bool(found), "useful": found.verdict, "silent": list(found.silent), "changes": changes}


def _useful(release: ReleaseFacts) -> list[Html]:
    """Return the other half of the verdict, in red if the release is of little use, with what would help."""
    found = release.useful
    if found is None:
        return []
    said = f"{found.verdict[0].upper()}{found.verdict[1:]}."
    if found:
        return [Html(f'<div class="verdict">{paragraph(strong(said))}</div>')]
    tried = [paragraph(found.tried)] if found.tried else []
    changes = [bullets(map(_change, found.changes)), paragraph(_FROM_HERE)] if found.changes else []
    return [Html(f'<div class="useless">{"".join([paragraph(strong(said)), *tried, *changes])}</div>')]


def _change(change: Change) -> Html:
    remarks = f" ({change.remarks})" if change.remarks else ""
    said = html(f"{percent(change.loss)} lost: {change.words}{remarks}")
    return Html(f"{said}{listing(change.command('job.toml', '../../changed'))}")


def _readings(release: ReleaseFacts) -> list[str]:
    """Say what the figures above and the promises mean where a missing value matches every value."""
    if not release.wildcard:
        return []
    return [
        "That is counted strictly: a missing value is a value of its own, as for one who knows that it is missing. The "
        "promises hold by the wildcard reading, in which it matches every value. Below, both stand side by side."
    ]


def _proven(release: ReleaseFacts) -> str:
    held = len(release.certificate["claims"])
    promises = "The promise was" if held == 1 else f"The {held} promises were"
    return f"{promises} derived again from the file that was written, by code that knows nothing of the search."


def _suppressed(number: int | None, k: int) -> str:
    if number is None:
        return f"Fewer than {k} were suppressed."
    return "None were suppressed." if number == 0 else f"{number:,} were suppressed."


def _loss(loss: dict[str, Any], algorithm: dict[str, Any], measured: str) -> str:
    by = f"{loss['measure']} ({measured})" if measured else loss["measure"]
    by += ", each record by its sampling weight" if "weighted" in loss else ""
    lost = f"{percent(loss['share'])} of the information of the quasi columns is lost, by the measure {by}"
    if loss["measure"] in ("radius", "cellular", "distortion", "sse"):
        lost = f"The clusters cost {percent(loss['share'])} of what a single cluster would, by {by}"
    if algorithm["guarantee"] == "optimal":
        return f"{lost}: no release of this kind loses less."
    if algorithm["name"] == APPLIED:
        return f"{lost}. There was no search, so nothing tells how little it could be."
    if loss["ratio"] is None:
        return f"{lost}. How much any release must lose is not known."
    return f"{lost}: at most {loss['ratio']:.3g} times what the best release of this kind loses."


def _unprotected(release: ReleaseFacts) -> list[Html]:
    """Return a warning that names the sensitive columns without a promise."""
    bare = _bare(release)
    if not bare:
        return []
    words = f"No promise limits what a class tells about {', '.join(bare)}. All records of a class may show one value."
    return [Html(f'<div class="warning">{paragraph(words)}</div>')]


def _bare(release: ReleaseFacts) -> list[str]:
    """Return the sensitive columns without a promise."""
    named = {
        name
        for claim in release.certificate["claims"]
        for name in (claim["parameters"].get("column"), *claim["parameters"].get("columns", ()))
    }
    return [name for name in release.names(Role.SENSITIVE) if name not in named]


def request_section(release: ReleaseFacts, steward: StewardFacts | None) -> PageSection:
    """Return the section on the request, and the role of each column."""
    roles = [
        ("quasi: what an attacker may know", release.names(Role.QUASI)),
        ("sensitive: what is to be protected", release.names(Role.SENSITIVE)),
        ("insensitive: published as it is", release.names(Role.INSENSITIVE)),
    ]
    if release.numbered is not None:
        roles.append(("entity: tells the persons of a class apart, by numbers", (release.numbered,)))
    roles.append(("leaves as a pseudonym", tuple(release.pseudonyms)))
    if steward is not None:
        roles.append(("identifier: never leaves", steward.identifiers))
        roles.append(("omitted: not needed, never leaves", steward.omitted))
        roles.append(("household: k counts households; never leaves", steward.households))
    columns = [(role, ", ".join(names)) for role, names in roles if names]
    parts = [facts([*columns, *release.asked])]
    if steward is not None and steward.reasons:
        parts.append(html_table(("column", "why it has its role"), steward.reasons.items()))
    return PageSection("request", "What was asked", tuple(parts))


def claims_section(release: ReleaseFacts, steward: StewardFacts | None) -> PageSection:
    """Return the section that lists every promise with the value that was asked for and the one reached."""
    claims = release.certificate["claims"]
    both = any("strict" in claim for claim in claims)
    reached = {"achieved": "reached by wildcards", "strict": "strictly"} if both else {"achieved": "reached"}
    rows = [
        (
            f"{claim['model']}, estimated" if claim.get("estimated") else claim["model"],
            _about(claim["parameters"]),
            _figure(claim["asked"]),
            *(_figure(claim[key]) for key in reached),
            "yes" if claim["holds"] else "no",
        )
        for claim in claims
    ]
    what = "written file" if release.certificate["file"] else "release"
    said = f"Each figure is that of the worst class of the {what}."
    together = [str(claim["model"]) for claim in claims if _of_all(str(claim["model"]))]
    if together:
        said += f" That of {', '.join(together)} is of all classes together."
    if any(claim.get("estimated") for claim in claims):
        said += " What is called estimated rests on a model of the population."
    return PageSection(
        "claims",
        "Promises",
        (html_table(("promise", "for", "asked", *reached.values(), "holds"), rows), paragraph(said)),
    )


def _of_all(model: str) -> bool:
    """Tell whether a promise is about the whole release."""
    found = MODELS.find(model)
    return found is not None and issubclass(found, TableModel)


def _about(parameters: dict[str, Any]) -> str:
    """Return which column a promise is about, and its special parameters."""
    people = f"all quasi columns, persons by {parameters['entity']}" if "entity" in parameters else "all quasi columns"
    if "members" in parameters:
        people = f"all quasi columns, households of at most {parameters['members']} records"
    if "column" in parameters and "entity" in parameters:
        return f"{parameters['column']}, persons by {parameters['entity']}"
    column = parameters.get("column", people)
    return f"{column}, the other sensitive columns known" if parameters.get("others") == "known" else str(column)


def _figure(value: Any) -> str:
    """Return a figure, or several named ones, as text."""
    if isinstance(value, dict):
        return ", ".join(f"{name} {_figure(one)}" for name, one in value.items())
    return f"{value:.6g}" if isinstance(value, float) else str(value)
