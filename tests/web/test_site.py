"""The documentation site in a browser, from files alone: a search finds the page for each question, and tables sort."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from docs.site.build import build

from tests.web.browsing import Browser, browser

pytestmark = pytest.mark.web

QUESTIONS = {
    "value not in hierarchy": "hierarchies",
    "everything is a star": "everything-is-a-star",
    "out of memory": "larger-than-memory",
    "missing values": "missing-values",
    "which k": "which-k",
    "compare two releases": "which-release",
    "data protection officer": "officer",
    "is k really reached": "is-k-reached",
    "SPSS labels": "spss-stata-excel",
    "several records person": "several-records",
    "pseudonyms": "pseudonyms-and-masks",
}
PAGES = ("index", "tutorial", "how-to/which-k", "reference/algorithms", "reference/python", "glossary", "benchmarks")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("furo")
    target = tmp_path_factory.mktemp("built") / "site"
    assert build(target, run=False) == []
    return target


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[Browser]:
    with browser(tmp_path / "profile") as opened:
        yield opened


def test_one_search_finds_the_answer_to_each_question(site: Path, reader: Browser) -> None:
    for question, page in QUESTIONS.items():
        reader.driver.get(f"file://{site}/search.html?q={question.replace(' ', '+')}")
        reader.until(lambda: any("finished" in one.text for one in reader.all("p.search-summary")))
        found = [one.get_attribute("href") or "" for one in reader.all("#search-results ul.search > li > a")]
        assert any(f"how-to/{page}.html" in one for one in found[:2]), (question, found[:4])


def test_a_table_is_sorted_by_the_head_that_is_pressed(site: Path, reader: Browser) -> None:
    reader.go(f"file://{site}/reference/models.html")
    for direction in ("ascending", "descending"):
        reader.all("table.sortable th button")[0].click()
        names = [one.text for one in reader.all("table.sortable tbody td:first-child")]
        assert names == sorted(names, reverse=direction == "descending")
        assert reader.all("table.sortable th")[0].get_attribute("aria-sort") == direction


@pytest.mark.parametrize("width", [1280, 390])
def test_pages_fit_and_fetch_nothing_from_elsewhere(site: Path, tmp_path: Path, width: int) -> None:
    with browser(tmp_path / "profile", width) as reader:
        for page in PAGES:
            reader.go(f"file://{site}/{page}.html")
            needed, there = reader.width()
            assert needed <= there, page
        assert [one for one in reader.requests() if not one.startswith(("file://", "data:", "chrome"))] == []
