"""What was not tested: the end of what the figures of a report say."""

from shoal.reports.page import PageSection, bullets, paragraph
from shoal.reports.release_facts import ReleaseFacts, StewardFacts
from shoal.tables.table import Role

_ROLES = (
    "Whether the roles are right. That a column is quasi, sensitive or neither is a person's word: what an outsider "
    "can know is not in the table."
)
_OTHERS = (
    "Other releases of the same persons, and what others hold about them. Two releases together may tell more than "
    "each: shoal attack RELEASE --other OTHER tries it, and --public TABLE tries a register."
)
_INTRUDER = (
    "A person who tries to find somebody by any means (a motivated intruder): no search on the internet, in registers "
    "or among friends was made."
)
_ISOLATION = "Whom the release singles out in the raw table: it is too large for that, or cells could not be read."


def not_tested_section(release: ReleaseFacts, steward: StewardFacts | None) -> PageSection:
    """Return the section that says what no figure of this report speaks of."""
    said = [
        _ROLES,
        _OTHERS,
        _INTRUDER,
        *_of_columns(release),
        *([_ISOLATION] if release.isolation is None else []),
        "Harm: how much it would hurt somebody to be found. No figure weighs it.",
        "Whether contracts, access and deletion are kept. What the steward says of them stands as it was said.",
        "The quality of the raw table. Errors in it are released as they are.",
    ]
    words = "No figure of this report speaks of what follows."
    return PageSection("not-tested", "What was not tested", (paragraph(words), bullets(said)))


def _of_columns(release: ReleaseFacts) -> list[str]:
    """Return what was not looked at in columns that leave as they are."""
    plain = release.names(Role.INSENSITIVE)
    found = []
    if plain:
        found.append(
            f"What the columns tell that are published as they are ({', '.join(plain)}): no promise speaks of them, "
            "and whoever knows their values finds records by them."
        )
    if not release.names(Role.SENSITIVE):
        found.append("What a class tells about a secret: no column is declared sensitive.")
    return found
