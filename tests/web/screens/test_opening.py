"""What is open, and how it was read."""

from pathlib import Path

from tests.web.browser import opened


def test_the_delimiter_that_was_found_can_be_corrected(tmp_path: Path) -> None:
    with opened(tmp_path, "a;b\n1;2\n3;4\n") as browser:
        page = browser.read("/open")
        assert '<option value=";" selected>' in page
        assert "2 records, 2 columns" in page
        browser.send("/open/again", 409, version="old", delimiter=",")
        browser.session.language = "de"
        assert "Noch einmal lesen" in browser.read("/open")


def test_rows_are_shown_from_any_number_on(tmp_path: Path) -> None:
    with opened(tmp_path, "v,age\n" + "".join(f"v{i},{i % 7}\n" for i in range(100))) as browser:
        assert "<td>v60</td>" in browser.read("/rows?first=60")
        assert "<td>v99</td>" in browser.read("/rows?first=9999")
        assert "<td>v0</td>" in browser.read("/rows?first=x")
