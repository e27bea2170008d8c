"""The contents of the site: each page has one place, and the pages that are made say all that the code has."""

import re

import pytest
import typer
from docs.site import commands, job_file, python_api
from docs.site.contents import DOCS, parts, place, source_pages
from docs.site.notebooks import NOTEBOOKS
from docs.site.shelves import PAGES, guaranteed
from docs.site.staging import GENERATED

import shoal
from shoal.cli import app


def names() -> list[str]:
    return [*source_pages(), *(f"notebooks/{path.stem}.md" for path in NOTEBOOKS), *GENERATED]


def test_every_page_has_one_place() -> None:
    found, below = parts(names())
    placed = [one for part in found for one in (part.page, *part.pages)] + [
        one for some in below.values() for one in some
    ]
    assert sorted([*placed, "README.md"]) == sorted(names())


def test_a_page_without_a_place_is_told() -> None:
    with pytest.raises(LookupError, match=r"no place for: lost\.md"):
        parts([*names(), "lost.md"])


def test_a_page_that_is_named_and_not_there_is_told() -> None:
    with pytest.raises(LookupError, match=r"names 'tutorial\.md'"):
        parts([name for name in names() if name != "tutorial.md"])


@pytest.mark.parametrize(
    ("name", "there"),
    [
        ("README.md", "index.md"),
        ("hierarchies/README.md", "hierarchies/index.md"),
        ("examples/hospital/README.md", "examples/hospital/index.md"),
        ("CODE_OF_CONDUCT.md", "project/code-of-conduct.md"),
        ("models/k-map.md", "models/k-map.md"),
    ],
)
def test_a_readme_is_the_index_of_its_folder(name: str, there: str) -> None:
    assert place(name) == there


def test_the_page_of_commands_has_every_flag() -> None:
    group = typer.main.get_group(app)
    page = commands.page()
    for name, command in group.commands.items():
        section = page.split(f"## shoal {name}\n")[1].split("\n## ")[0]
        flags = {one for parameter in command.params for one in parameter.opts if one.startswith("--")}
        assert flags <= set(re.findall(r"`(--[\w-]+)`", section)), name


def test_the_page_of_the_job_file_has_every_field() -> None:
    page, schema = job_file.page(), shoal.schema()
    for definition in (
        "Input",
        "ColumnRequest",
        "Search",
        "ReleaseRequest",
        "EngineRequest",
        "SeriesRequest",
        "Context",
    ):
        assert all(f"| `{field}` |" in page for field in schema["$defs"][definition]["properties"]), definition


def test_the_page_of_python_has_every_verb_and_every_argument_of_it() -> None:
    page = python_api.page()
    for name in dir(shoal):
        if name.islower() and callable(getattr(shoal, name)):
            assert f"{{py:function}} shoal.{name}(" in page
    assert "{py:class} shoal.Release" in page
    assert (
        "{py:method} plot(x: str | None = None, y: str | None = None, path: str | Path | None = None) -> Drawing"
        in page
    )
    assert "| `max_suppressed` | `float \\| str \\| None` | The share of the records that may be suppressed. |" in page


@pytest.mark.parametrize("name", PAGES)
def test_the_table_of_a_shelf_has_a_row_for_each_member(name: str) -> None:
    rows = re.findall(rf"^\| \[([\w-]+)\]\(\.\./{name}/\1\.md\) \|", PAGES[name].page(), re.MULTILINE)
    assert rows == PAGES[name].shelf.own


def test_members_of_shelves_are_told_with_their_parameters() -> None:
    page = python_api.members_page()
    assert "{py:class} shoal.KAnonymity(*, k: int, entity: str | None = None, members: int | None = None)" in page
    assert "{py:class} shoal.algorithms.Mondrian(*, mode: 'strict' | 'relaxed' = 'strict'," in page
    assert page.count("{py:class}") == sum(
        len(PAGES[name].shelf.own) for name in ("models", "measures", "algorithms", "hierarchies")
    )


def test_guarantees_are_those_of_their_page() -> None:
    found = guaranteed()
    assert found["forest"][0] == "max(2k - 1, 3k - 5): 3, 5, 10"
    assert found["exhaustive"][0] == "optimal among: one level for each column"
    assert found["k-optimize"][0].count("cuts of each column's values") == 1
    assert {"tightest", "exact", "mondrian", "optimal", "r-gather", "cellular"} <= found.keys()


@pytest.mark.parametrize("name", GENERATED)
def test_no_place_in_our_own_papers_is_named_on_a_page_that_is_made(name: str) -> None:
    assert not re.search(r"\b00\d (?:Def|Theorem|Algorithm|Lemma|Example|s\.|section)", GENERATED[name]())


def test_every_how_to_page_is_listed() -> None:
    listed = set(re.findall(r"\]\(([\w-]+\.md)\)", (DOCS / "how-to" / "README.md").read_text(encoding="utf-8")))
    assert listed == {path.name for path in (DOCS / "how-to").glob("*.md")} - {"README.md"}
