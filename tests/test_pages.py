"""The pages agree with each other and with the house: links, anchors, paths, verbs, and the drawing of the rooms."""

import re
import tomllib
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").rglob("*.md")])
NAMES = [str(page.relative_to(ROOT)) for page in PAGES]
FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)")
FOLDERS = ("src", "tests", "docs", "examples", "benchmarks")
NEW = {"x", "my_model", "my_action"}  # names in CONTRIBUTING and the like of what somebody may add


@cache
def prose(page: Path) -> str:
    """Return the text of a page without what is in code blocks."""
    return FENCED.sub("", page.read_text(encoding="utf-8"))


@cache
def anchors(page: Path) -> frozenset[str]:
    """Return what a link may end with, as GitHub makes it of the headings."""
    found: list[str] = []
    for heading in re.findall(r"^#+ +(.+?) *$", prose(page), re.MULTILINE):
        shown = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        plain = re.sub(r"[^\w\- ]", "", shown.lower()).replace(" ", "-")
        same = sum(one == plain or re.fullmatch(rf"{re.escape(plain)}-\d+", one) is not None for one in found)
        found.append(f"{plain}-{same}" if same else plain)
    return frozenset(found)


def broken(page: Path) -> list[str]:
    """Return the relative links of a page that lead nowhere."""
    links = [link for link in LINK.findall(prose(page)) if not re.match(r"[a-z]+:", link)]
    lost = []
    for link in links:
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            lost.append(link)
    return lost


def named_paths(page: Path) -> list[str]:
    """Return the paths of the repository that a page names in its text: `src/...`, or any `...py`."""
    marked = re.findall(r"`([\w./-]+)`", prose(page))
    return [one for one in marked if (one.split("/")[0] in FOLDERS and "/" in one) or one.endswith(".py")]


def is_there(path: str, page: Path) -> bool:
    """Whether a path of the repository, or one beside the page, exists, or stands for something new."""
    name = Path(path).stem.removeprefix("test_").replace("-", "_")
    folder = Path(path).parent
    if name in NEW:
        return (ROOT / folder).is_dir()
    return (ROOT / path).exists() or (page.parent / path).exists()


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_links_lead_to_files_and_headings(page: Path) -> None:
    assert not broken(page)


def test_a_link_to_nowhere_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# One\n\n## `two`, three\n\n[a](#two-three) [b](#four) [c](no.md) [d](page.md#one)\n")
    assert broken(page) == ["#four", "no.md"]


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_paths_that_are_named_exist(page: Path) -> None:
    if page.name != "CHANGELOG.md":  # which tells of what was
        assert not [path for path in named_paths(page) if not is_there(path, page)]


def test_folders_that_are_named_within_a_room_exist() -> None:
    folders = re.findall(r"`(\w+(?:/\w+)*)/`", prose(ROOT / "docs" / "how-it-works.md"))
    within = [one for one in folders if one.split("/")[0] not in FOLDERS]
    assert within
    assert not [one for one in within if not list((ROOT / "src" / "shoal").glob(f"**/{one}"))]


def test_each_verb_has_its_page_and_its_command() -> None:
    verbs = {path.stem for path in (ROOT / "src" / "shoal" / "actions").glob("*.py")} - {"__init__"}
    assert {path.stem for path in (ROOT / "docs" / "actions").glob("*.md")} == verbs
    for name in ("command-line.md", "how-it-works.md"):
        listed = re.findall(r"^\| \[`?(?:shoal )?([\w-]+)`?\]\(actions/(\w+)\.md\)", prose(ROOT / "docs" / name), re.M)
        assert all(shown == page for shown, page in listed)
        assert {page for _, page in listed} == verbs, name
    for verb in verbs:
        assert (ROOT / "src" / "shoal" / "cli" / f"{verb}.py").is_file()


@pytest.mark.parametrize("page", sorted((ROOT / "docs" / "actions").glob("*.md")), ids=lambda page: page.stem)
def test_the_page_of_a_verb_says_all_of_it(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert text.startswith(f"# {page.stem}: ")
    assert f"\nshoal {page.stem}" in text  # on the command line
    assert "```python\n" in text
    assert {"exit-codes", "what-it-does-not-tell"} <= anchors(page)


def floors() -> list[set[str]]:
    """Return the rooms of each floor, the highest first, as import-linter checks them."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contract = next(one for one in settings["tool"]["importlinter"]["contracts"] if one.get("containers") == ["shoal"])
    return [{room.strip() for room in layer.split("|")} for layer in contract["layers"]]


def test_the_table_of_rooms_is_what_the_linter_checks() -> None:
    rows = re.findall(r"^\| (\d+) \| `src/shoal/(\w+)(?:/|\.py)` \|", prose(ROOT / "docs" / "how-it-works.md"), re.M)
    told: dict[int, set[str]] = {}
    for floor, room in rows:
        told.setdefault(int(floor), set()).add(room)
    assert [told[floor] for floor in sorted(told, reverse=True)] == floors()


def test_the_drawing_has_every_room_on_its_floor() -> None:
    drawing = (ROOT / "docs" / "rooms.svg").read_text(encoding="utf-8")
    names = re.findall(r'<text class="name" x="\d+" y="([\d.]+)">(\w+)</text>', drawing)
    drawn: dict[float, set[str]] = {}
    for height, name in names:
        drawn.setdefault(float(height), set()).add(name)
    assert [drawn[height] for height in sorted(drawn)] == floors()[1:]  # without __main__
