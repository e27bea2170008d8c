"""The page of figures: one run, and no table that is older than the rooms that it measures."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from benchmarks import page
from benchmarks.growth import exponent
from benchmarks.page import PAGE, Found, SuiteTable, kept, page_of, suite

from tests.test_benchmarks import SCRIPTS

NOT_MEASURED = {"measuring", "run", "page", "anchor_works", "app_table", "grid_cases", "__init__"}
ONE = SuiteTable("search", "Search", "quick", ("kernels", "certificate.py"), "Words.")


def found(rooms: str) -> Found:
    return Found("\n### T (2 cores, 3 GiB, Python 3)\n\n| a |\n|---|\n| 1 |\n", "2 cores", "2026-01-02", 0.4, rooms)


@pytest.fixture
def one_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "suite", lambda: [ONE])


def test_every_script_that_measures_is_in_the_suite() -> None:
    scripts = {
        path.relative_to(Path(page.__file__).parent).with_suffix("").as_posix().replace("/", ".") for path in SCRIPTS
    }
    assert {one.script for one in suite()} == {name for name in scripts if name.rpartition(".")[2] not in NOT_MEASURED}


def test_every_room_of_the_suite_is_there() -> None:
    source = page.ROOT / "src" / "shoal"
    assert all((source / room).exists() for one in suite() for room in one.rooms)
    assert {one.profile for one in suite()} == {"quick", "full"}


@pytest.mark.usefixtures("one_table")
def test_a_table_is_shown_while_its_rooms_are_as_they_were() -> None:
    text = page_of({"search": found(ONE.digest())})
    assert "## Search\n\nWords. `benchmarks/search.py`\n\n### T\n\n| a |" in text
    assert "- 2026-01-02: 2 cores" in text
    assert "busy" not in text


@pytest.mark.usefixtures("one_table")
def test_a_table_that_is_older_than_its_rooms_is_named_and_not_shown() -> None:
    text = page_of({"search": found("another digest")})
    assert "| a |" not in text
    assert "Not shown, since what they measure has changed: Search (2026-01-02)." in text


@pytest.mark.usefixtures("one_table")
def test_a_table_that_was_not_measured_is_named() -> None:
    assert "- Search: `benchmarks/search.py`" in page_of({})


@pytest.mark.usefixtures("one_table")
def test_a_busy_machine_is_told() -> None:
    assert "up to 3.0 processes wanted each core" in page_of({"search": replace(found(ONE.digest()), load=3.0)})


def test_a_digest_changes_with_a_file_of_its_rooms(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    room = tmp_path / "src" / "shoal" / "some"
    room.mkdir(parents=True)
    monkeypatch.setattr(page, "ROOT", tmp_path)
    table = replace(ONE, rooms=("some",))
    digests = []
    for text in ("a", "a", "b"):
        (room / "one.py").write_text(text, encoding="utf-8")
        digests.append(table.digest())
    assert digests[0] == digests[1] != digests[2]


def test_the_exponent_is_the_slope_of_the_logarithms() -> None:
    assert exponent([(10, 3), (100, 300), (1000, 30_000)]) == pytest.approx(2)


def test_the_page_has_every_table_that_was_kept() -> None:
    text = PAGE.read_text(encoding="utf-8")
    titles = {one.script: one.title for one in suite()}
    assert all(f"## {titles[name]}\n" in text or f"{titles[name]} (" in text for name in kept())
    assert re.search(r"^- \d{4}-\d\d-\d\d: \d+ cores", text, re.MULTILINE)
