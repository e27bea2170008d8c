"""Pseudonyms in a release: what they link, and what they do not protect from."""

from shoal.reports.page import PageSection, bullets, html_table, paragraph
from shoal.reports.release_facts import ReleaseFacts, StewardFacts

_WHAT = (
    "In these columns a pseudonym stands in the place of what identifies somebody: a text made of it with a key "
    "(HMAC-SHA-256, 128 bits). Nobody without the key can tell whose it is, nor try all values."
)
_WITHIN = (
    "Whoever finds one record of a person, by what else is known of them, has all records with that pseudonym. All of "
    "them are in one class, so that k holds; how many there are may itself be known of a person."
)
_TO_HOLDERS = (
    "Whoever has the key can tell of any person whether they are in the data, and which records are theirs. To them "
    "the data are personal data, and a pseudonym alone anonymizes nothing."
)
_FILE = (
    "The key is kept: other releases made with it show the same pseudonyms. Whoever has two of them can put the "
    "records of a person together, and k holds for each of them alone. Whoever steals the key can name everybody."
)
_RELEASE = (
    "The key was drawn for this release and kept by nobody: no other release, earlier or later, can be linked by it."
)
_KEPT = "Keep the key apart from all data, and destroy it when nothing is to be linked any more (docs/pseudonyms.md)."


def pseudonyms_section(release: ReleaseFacts, steward: StewardFacts | None) -> PageSection | None:
    """Return the section on pseudonyms; None if there are none."""
    told = release.pseudonyms
    if not told:
        return None
    rows = [(name, f"{one['persons']:,}", f"{one['records']:,}") for name, one in told.items()]
    kept = any(one["key"] == "file" for one in told.values())
    linked = [_WITHIN] if any(one["records"] > 1 for one in told.values()) else []
    keyed = [_FILE if kept else _RELEASE, *([_KEPT] if kept and steward is not None else [])]
    return PageSection(
        "pseudonyms",
        "Pseudonyms, and what they do not protect from",
        (
            paragraph(_WHAT),
            html_table(("column", "persons", "most records of one"), rows, numbers=(1, 2)),
            bullets([*linked, *([_TO_HOLDERS] if kept else []), *keyed]),
        ),
    )
