"""Staging: all pages in one folder, as Sphinx wants them; links lead to where the pages stand there."""

import os
import re
import shutil
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path, PurePosixPath

from benchmarks import page as figures

from docs.site import commands, job_file, notebooks, python_api
from docs.site.contents import DOCS, ROOT, Part, parts, place, source_pages
from docs.site.shelves import PAGES

_FENCED = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"(\]\()([^)\s]+)(\))")
_HOME = "index.md"
_FILES = "_files"  # files of the repository that pages lead to
GENERATED: dict[str, Callable[[], str]] = {
    "reference/commands.md": commands.page,
    "reference/job-file-fields.md": job_file.page,
    "reference/python.md": python_api.page,
    "reference/members.md": python_api.members_page,
    **{f"reference/{name}.md": shelf.page for name, shelf in PAGES.items()},
}


def stage(target: Path, *, run: bool = True) -> list[str]:
    """Write all pages into an empty folder, and return their names.

    Args:
        target: The folder.
        run: Whether notebooks are run, so that their pages show what comes out.
    """
    written = {name: path.read_text(encoding="utf-8") for name, path in source_pages().items()}
    written["benchmarks.md"] = figures.page_of(figures.kept())  # without tables that are older than what they measure
    shown = {f"notebooks/{path.stem}.md": notebooks.page(path, run=run) for path in notebooks.NOTEBOOKS}
    made = {name: make() for name, make in GENERATED.items()}
    found, below = parts([*written, *shown, *made])
    for name, text in written.items():
        _put(target, name, _moved(name, text, target, set(written)))
    for name, text in (shown | made).items():
        _put(target, name, _indexed(text))
    _add(target, "reference/README.md", _listed(made))
    for page, names in below.items():
        _add(target, page, _tree(page, names))
    for part in found:
        _add(target, part.page, _tree(part.page, part.pages))
    _add(target, "README.md", "".join(_caption(part) for part in found))
    for folder in ("pictures", "ui"):
        if (DOCS / folder).is_dir():
            shutil.copytree(
                DOCS / folder,
                target / folder,
                dirs_exist_ok=True,
                ignore=shutil.ignore_patterns("*.py", "*.md", "__pycache__"),
            )
    for picture in DOCS.glob("*.svg"):
        shutil.copy(picture, target / picture.name)
    return [place(name) for name in [*written, *shown, *made]]


def _listed(made: Mapping[str, str]) -> str:
    """Return a list of the pages that were made, for the first page of the reference."""
    titles = {name: text.partition("\n")[0].removeprefix("# ") for name, text in made.items()}
    lines = [f"- [{title}]({name.removeprefix('reference/')})" for name, title in titles.items()]
    return "## Written from the code\n\n" + "\n".join(lines) + "\n"


def _put(target: Path, name: str, text: str) -> None:
    path = target / place(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _add(target: Path, name: str, text: str) -> None:
    path = target / place(name)
    path.write_text(path.read_text(encoding="utf-8") + "\n" + text, encoding="utf-8")


def _caption(part: Part) -> str:
    return f"```{{toctree}}\n:hidden:\n:caption: {part.title}\n\n{place(part.page).removesuffix('.md')}\n```\n\n"


def _tree(page: str, names: Iterable[str]) -> str:
    """Return the tree of contents below a page; its own text says what is in it, so it is not shown there."""
    here = PurePosixPath(place(page)).parent
    lines = [os.path.relpath(place(name), here).removesuffix(".md") for name in names]
    return "```{toctree}\n:hidden:\n\n" + "\n".join(lines) + "\n```\n"


def _indexed(text: str) -> str:
    """Return a page that was made with links to indexes in place of READMEs."""
    return re.sub(r"README\.md([)#])", r"index.md\1", text)


def _moved(name: str, text: str, target: Path, pages: set[str]) -> str:
    """Return a page with its links changed to where they lead on the site; what is in code stays."""
    parts = _FENCED.split(text)
    parts[::2] = [
        _LINK.sub(lambda link: link[1] + _led(name, link[2], target, pages) + link[3], one) for one in parts[::2]
    ]
    return "".join(parts)


def _led(name: str, link: str, target: Path, pages: set[str]) -> str:
    """Return a link as it leads on the site: to a page, a picture, or a copy of a file of the repository."""
    path, mark, anchor = link.partition("#")
    if re.match(r"[a-z]+:", link) or not path:
        return link
    source = source_pages()[name]
    found = (source.parent / path).resolve()
    here = PurePosixPath(place(name)).parent
    if found == ROOT / "README.md":
        return os.path.relpath(_HOME, here)
    if found in notebooks.NOTEBOOKS:
        return os.path.relpath(f"notebooks/{found.stem}.md", here)
    known = found.relative_to(DOCS if found.is_relative_to(DOCS) else ROOT).as_posix()
    if known in pages:
        return os.path.relpath(place(known), here) + mark + anchor
    if found.is_relative_to(DOCS) and found.suffix in (".png", ".svg"):
        return os.path.relpath(known, here)
    return os.path.relpath(_copied(found, target), here)


def _copied(found: Path, target: Path) -> str:
    """Copy a file of the repository, or a list of what is in a folder, and return where it stands.

    Markdown that is no page of the site is copied as text, since Sphinx takes a link to Markdown for one to a page.
    """
    known = f"{_FILES}/{found.relative_to(ROOT).as_posix()}" + (".txt" if found.suffix == ".md" else "")
    copy = target / known
    copy.parent.mkdir(parents=True, exist_ok=True)
    if found.is_file():
        shutil.copy(found, copy)
        return known
    listed = sorted(path.name for path in found.iterdir() if not path.name.startswith((".", "__")))
    copy.with_suffix(".txt").write_text("\n".join(listed) + "\n", encoding="utf-8")
    return f"{known}.txt"
