"""Staging: the pages as Sphinx gets them; their links lead to where the pages stand on the site."""

from pathlib import Path

import pytest
from docs.site import staging
from docs.site.build import build


@pytest.fixture(scope="module")
def staged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("pages")
    staging.stage(target, run=False)
    return target


def test_links_lead_to_pages_of_the_site(staged: Path) -> None:
    text = (staged / "tutorial.md").read_text(encoding="utf-8")
    assert "](models/k-anonymity.md#several-records-for-a-person)" in text
    assert "](_files/examples/hospital/job-public.toml)" in text
    assert (staged / "_files/examples/hospital/job-public.toml").is_file()
    changes = (staged / "project/changelog.md").read_text(encoding="utf-8")
    assert "](roadmap.md)" in changes
    assert "](../_files/paper/paper.md.txt)" in changes  # which is no page of the site
    assert (staged / "_files/paper/paper.md.txt").is_file()
    worked = (staged / "examples/census/index.md").read_text(encoding="utf-8")
    assert "](../../actions/risk.md#sampling-weights)" in worked


def test_what_is_in_code_stays(staged: Path) -> None:
    text = (staged / "index.md").read_text(encoding="utf-8")
    assert "make run     # installs shoal" in text
    assert text.count("{toctree}") == 5


def test_pages_below_another_stand_in_its_tree(staged: Path) -> None:
    text = (staged / "reference/models.md").read_text(encoding="utf-8")
    assert "```{toctree}\n:hidden:\n\n../models/alpha-k-anonymity\n" in text


def test_pages_that_are_made_are_listed_on_the_first_page_of_the_reference(staged: Path) -> None:
    text = (staged / "reference/index.md").read_text(encoding="utf-8")
    assert "- [Every command and every flag](commands.md)\n" in text
    assert all(f"({name.removeprefix('reference/')})" in text for name in staging.GENERATED)


def test_notebooks_lead_to_each_other(staged: Path) -> None:
    assert "](compare-and-plot.md)" in (staged / "notebooks/first-release.md").read_text(encoding="utf-8")
    assert "](../notebooks/attack.md)" in (staged / "start/index.md").read_text(encoding="utf-8")


@pytest.mark.deep
def test_the_site_is_built_without_a_warning_and_all_its_links_lead_somewhere(tmp_path: Path) -> None:
    pytest.importorskip("furo")
    assert build(tmp_path / "site") == []
    assert (tmp_path / "site/searchindex.js").is_file()
