"""The paper: every figure stands in the page of figures under its script, and every source that is cited is listed."""

import re

import pytest

import shoal
from tests.test_house import ROOT

PAPER = (ROOT / "paper" / "paper.md").read_text(encoding="utf-8")
SOURCES = (ROOT / "paper" / "paper.bib").read_text(encoding="utf-8")
FIGURES = (ROOT / "docs" / "measurements.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| (.+?) \| (.+?) \| (.+?) \| `(benchmarks/\S+\.py)` \|$", PAPER, re.MULTILINE)
NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")


def section(script: str) -> str:
    """Return what the page of figures says of a script, as plain numbers."""
    found = re.findall(rf"^## [^\n]*`{re.escape(script)}`.*?(?=^## |\Z)", FIGURES, re.MULTILINE | re.DOTALL)
    return "".join(found)


@pytest.mark.parametrize(("task", "other", "ours", "script"), ROWS, ids=[row[0] for row in ROWS])
def test_a_figure_of_the_paper_is_that_of_its_script(task: str, other: str, ours: str, script: str) -> None:
    assert (ROOT / script).is_file()
    known = set(NUMBER.findall(section(script)))
    assert known
    told = set(NUMBER.findall(other + " " + ours))
    assert told
    assert told <= known, told - known


def test_the_table_has_rows_and_the_soak_test_its_figure() -> None:
    assert len(ROWS) >= 8
    releases = re.search(r"certificates of ([\d,]+) releases", PAPER)
    assert releases is not None
    assert releases[1] in (ROOT / "docs" / "reliability.md").read_text(encoding="utf-8")


def test_what_is_cited_is_listed_and_nothing_else() -> None:
    cited = set(re.findall(r"@(\w+)", PAPER))
    listed = re.findall(r"^@\w+\{(\w+),", SOURCES, re.MULTILINE)
    assert cited == set(listed)
    assert len(listed) == len(set(listed))


def test_it_has_the_form_of_the_journal() -> None:
    head = PAPER.split("---")[1]
    assert all(f"\n{key}:" in head for key in ("title", "tags", "authors", "affiliations", "date", "bibliography"))
    headings = re.findall(r"^# (.+)$", PAPER, re.MULTILINE)
    assert headings[:2] == ["Summary", "Statement of need"]
    assert headings[-1] == "References"
    assert len(PAPER.split()) < 1750  # as many as the journal takes


def test_how_to_cite_says_the_same_as_the_paper() -> None:
    cited = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    title = re.search(r'^title: "(.+)"$', cited, re.MULTILINE)
    assert title is not None
    assert f'title: "{title[1]}"' in PAPER
    version = re.search(r'^version: "?([^"\n]+)"?$', cited, re.MULTILINE)
    assert version is not None
    assert version[1] == shoal.__version__
