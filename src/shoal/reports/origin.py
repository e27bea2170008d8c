"""The origin of a release: versions, digests, how to reproduce and verify it; and the signatures."""

from functools import cache
from platform import python_version
from typing import Any

from shoal.foundation.versions import version_of
from shoal.reports.page import Html, PageSection, code, facts, html_table, listing, paragraph
from shoal.reports.release_facts import ReleaseFacts, StewardFacts

_BY_RULES = (
    "It was made by rules, of which rules.json holds a copy: the job alone does not make it again, but searches for "
    "another release."
)
_PACKAGES = ("numpy", "numba", "polars", "highspy")  # packages that influence the release
_SIGNED = ("the steward of the table", "the data protection officer")


def origin_section(release: ReleaseFacts, steward: StewardFacts | None) -> PageSection:
    """Return the section on versions and digests; for the steward, also the job and the command to repeat it."""
    found = release.certificate
    used = [] if steward is None else [f"Python {python_version()}", *_packages()]
    digests = [
        *_digests(release),
        *([] if steward is None else [(f"read: {name}", one) for name, one in steward.sources]),
    ]
    shown = [(name, code(f"sha256 {digest}")) for name, digest in digests]
    parts = [facts([("made with", ", ".join([f"shoal {found['shoal']}", *used])), *shown])]
    if steward is None:
        parts.append(
            paragraph(
                "Whoever holds the data and certificate-public.json, in one folder, derives all promises that the data "
                "can show again with ",
                code("shoal verify FOLDER"),
                ".",
            )
        )
    else:
        parts += [
            paragraph(
                "Whoever holds the release derives all promises again with ",
                code("shoal verify .."),
                ".",
            ),
            paragraph("The same release, byte for byte, from the folder of this report: ", code(steward.again), "."),
            *([paragraph(_BY_RULES)] if release.applied else []),
        ]
    return PageSection("origin", "Versions and digests", tuple(parts))


def job_section(release: ReleaseFacts, steward: StewardFacts | None) -> PageSection | None:
    """Return the section with the job file, which is the steward's, and the last of all."""
    return None if steward is None else PageSection("job", "The job file", (listing(steward.job),))


@cache
def _packages() -> tuple[str, ...]:
    """Return the packages that influence a release, with their versions, which are read from a file each."""
    return tuple(f"{name} {version_of(name)}" for name in _PACKAGES)


def signatures_section(release: ReleaseFacts, steward: StewardFacts | None) -> PageSection | None:
    """Return the section for signatures; the public report has none."""
    if steward is None:
        return None
    meant = " and ".join(f"{name} (sha256 {digest[:16]}...)" for name, digest in _digests(release)) or "the release"
    lines = html_table(("", "name", "date", "signature"), [(who, "", "", "") for who in _SIGNED])
    return PageSection(
        "signatures",
        "Signatures",
        (paragraph(f"For {meant} as this report describes it."), Html(f'<div class="signed">{lines}</div>')),
    )


def _digests(release: ReleaseFacts) -> list[tuple[str, str]]:
    """Return the files or tables of the release that have a digest, each once."""
    found = release.certificate
    files = [found["file"], *([found["clusters"]["file"]] if "file" in found.get("clusters", {}) else [])]
    return [(_name(one), digest) for digest, one in {one["sha256"]: one for one in files if "sha256" in one}.items()]


def _name(file: dict[str, Any]) -> str:
    return f"table {file['name']}" if "database" in file else str(file.get("name") or "release")
