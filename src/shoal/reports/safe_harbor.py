"""HIPAA in a report: the look for the 18 identifiers of Safe Harbor, and what the other way asks for."""

from shoal.audits.safe_harbor import MOST_VALUES, ReleasedValues, safe_harbor
from shoal.reports.page import Html, PageSection, bullets, html_table, paragraph, strong
from shoal.reports.release_facts import ReleaseFacts, StewardFacts
from shoal.tables.table import Role

_NOT_FOUND = "nothing found"
_NO_PROOF = (
    "Nothing found is no proof: only the names and the values of the released columns were looked at, by words and "
    f"forms that are known here, up to {MOST_VALUES:,} different values of each column. A person must judge whether a "
    "column is one of the eighteen, and Safe Harbor also asks that nobody knows of a way to name somebody "
    "with what is left."
)
_OTHER_WAY = (
    "The other way is the determination of an expert that the risk is very small. This report gives such an expert the "
    "figures: the classes, the risk at each threshold, the attacks. It is not that determination."
)


def safe_harbor_section(release: ReleaseFacts, steward: StewardFacts | None) -> PageSection | None:
    """Return the section on HIPAA's two ways; it is for the steward and the officer."""
    if steward is None:
        return None
    found = safe_harbor({name: _looked_at(release, name) for name in release.roles})
    rows = [
        (number, one.identifier, bullets(map(strong, one.found)) if one.found else _NOT_FOUND)
        for number, one in enumerate(found, 1)
    ]
    n_found = sum(bool(one.found) for one in found)
    words = (
        f"Of the 18 identifiers that Safe Harbor takes away, {n_found} may be in the release. By this way alone it is "
        "then not de-identified."
        if n_found
        else "None of the 18 identifiers that Safe Harbor takes away was found in the release."
    )
    parts: tuple[Html, ...] = (
        paragraph(words),
        html_table(("", "identifier", "in the released columns"), rows, numbers=(0,)),
        paragraph(_NO_PROOF),
        paragraph(_OTHER_WAY),
    )
    return PageSection("hipaa", "HIPAA: the 18 identifiers", parts)


def _looked_at(release: ReleaseFacts, name: str) -> ReleasedValues:
    column, counts = release.column(name), release.counted(name)
    return ReleasedValues(column.values, int(counts[:-1].sum()), measured=release.roles[name] is Role.QUASI)
