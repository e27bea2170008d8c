"""Where a release comes from: versions, digests, and how to make and check it again."""

from typing import Any

from shoal.reports.page import Html, Section, code, facts, html, listing, paragraph
from shoal.reports.told import Kept, Told

_BY_RULES = (
    "It was made by rules, of which rules.json holds a copy: the job alone does not make it again, but searches for "
    "another release."
)


def origin(told: Told, kept: Kept | None) -> Section:
    """Tell the version, the digests and, for the steward, the job and the command that repeat the release."""
    found = told.certificate
    files = [found["file"], *([found["clusters"]["file"]] if "file" in found.get("clusters", {}) else [])]
    pairs: list[tuple[object, object]] = [("made with", f"shoal {found['shoal']}")]
    pairs += [(_name(one), code(f"sha256 {one['sha256']}")) for one in _different(files)]
    parts = [facts(pairs)]
    if kept is None:
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
            paragraph("Whoever holds this folder derives all promises again with ", code("shoal verify"), "."),
            paragraph("The same release, byte for byte, from its folder: ", code(kept.again), "."),
            *([paragraph(_BY_RULES)] if told.applied else []),
            Html(f"<h3>{html('The job file')}</h3>"),
            listing(kept.job),
        ]
    return Section("origin", "Versions and digests", tuple(parts))


def _name(file: dict[str, Any]) -> str:
    return f"table {file['name']}" if "database" in file else str(file.get("name") or "release")


def _different(files: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the files that have a digest, each once."""
    return list({one["sha256"]: one for one in files if "sha256" in one}.values())
