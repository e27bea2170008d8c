"""The contents of the site: its parts, the pages of each, and what stands below a page."""

import tomllib
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path, PurePosixPath
from typing import Any

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PROJECT = ("CHANGELOG.md", "CODE_OF_CONDUCT.md", "CONTRIBUTING.md", "ROADMAP.md", "SECURITY.md")


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the site.

    Args:
        title: Its title.
        page: Its first page.
        pages: Its other pages in their order, as paths of the repository, those under docs/ from there.
    """

    title: str
    page: str
    pages: tuple[str, ...]


def source_pages() -> dict[str, Path]:
    """Return the pages that people wrote, by the name that they have in the contents."""
    own = {path.relative_to(DOCS).as_posix(): path for path in sorted(DOCS.rglob("*.md"))}
    worked = {path.relative_to(ROOT).as_posix(): path for path in sorted(ROOT.glob("examples/*/README.md"))}
    return own | worked | {name: ROOT / name for name in PROJECT}


def place(name: str) -> str:
    """Return where a page stands on the site: a README is the index of its folder, pages of the project have one."""
    path = PurePosixPath(name)
    if name in PROJECT:
        return f"project/{path.stem.lower().replace('_', '-')}.md"
    return str(path.with_name("index.md")) if path.name == "README.md" else name


def parts(names: list[str]) -> tuple[list[Part], dict[str, tuple[str, ...]]]:
    """Return the parts, and the pages that stand below another; each of the given pages has one place."""
    told: dict[str, Any] = tomllib.loads((Path(__file__).parent / "contents.toml").read_text(encoding="utf-8"))
    firsts = [part["page"] for part in told["part"]]
    left = [name for name in names if name not in ("README.md", *firsts)]
    below = {page: _taken(left, [pattern], page) for page, pattern in told["below"].items()}
    found = [Part(part["title"], part["page"], _taken(left, part["pages"])) for part in told["part"]]
    if left:
        raise LookupError(f"docs/site/contents.toml has no place for: {', '.join(left)}.")
    return found, below


def _taken(left: list[str], patterns: list[str], above: str = "") -> tuple[str, ...]:
    """Take the pages of some patterns, in their order, from those that have no place yet."""
    found: list[str] = []
    for pattern in patterns:
        some = [name for name in left if fnmatch(name, pattern) and name != above]
        if not some and "*" not in pattern:
            raise LookupError(
                f"docs/site/contents.toml names '{pattern}', and there is no such page, or it has a place."
            )
        found += some
        left[:] = [name for name in left if name not in some]
    return tuple(found)
