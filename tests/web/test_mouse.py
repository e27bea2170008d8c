"""What is done with the mouse: dropping, dragging, clicking into pictures, and Cancel."""

from pathlib import Path

import pytest
from selenium import webdriver

from shoal.web.texts import translator
from tests.web.asking import table
from tests.web.browsing import Browser, browser, running, safe


@pytest.mark.web
def test_by_mouse(root: Path, tmp_path: Path) -> None:
    """A file is uploaded, a value dragged, a column cut on its histogram, a setting tried, another one cancelled."""
    with running(root, caches=tmp_path / "caches") as app, browser(tmp_path / "profile") as walker:
        walker.go(app.address)
        walker.all("#file")[0].send_keys(str(table(tmp_path)))
        walker.leave(walker.all("form[data-drop] button")[0].click)
        walker.until(lambda: walker.path == "/open" and bool(walker.all("main table")))
        _drag(walker, app.origin)
        _cut(walker, app.origin)
        walker.go(f"{app.origin}/try")
        walker.leave(walker.all("#try-button")[0].click)
        walker.until(lambda: bool(walker.all("figure.frontier svg a")))
        walker.leave(walker.all("figure.frontier svg a path")[0].click)
        assert walker.path == "/try/1"
        _cancel(walker, app.origin)
        safe(walker, app.origin)


def _drag(walker: Browser, origin: str) -> None:
    """Drag one value onto another: both are ticked, and wait for a name."""
    walker.go(f"{origin}/words/2")
    value, other = walker.all(".node:not([data-group])")[:2]
    webdriver.ActionChains(walker.driver).drag_and_drop(value, other).perform()
    walker.until(lambda: walker.focused.get_attribute("id") == "name")
    assert len(walker.all(".node input:checked")) == 2
    walker.press("put together")
    walker.leave(walker.all("button[value=group]")[0].click)
    assert "put together" in [one.text for one in walker.all(".group")]


def _cut(walker: Browser, origin: str) -> None:
    """Click into the histogram of a column of numbers: there is a cut point, and the tree has it."""
    walker.go(f"{origin}/words/0")
    picture = walker.all("svg[data-cuts]")[0]
    walker.all("#widths")[0].clear()
    webdriver.ActionChains(walker.driver).move_to_element(picture).click().perform()
    cut = walker.all("#cuts")[0].get_attribute("value") or ""
    assert 20 < float(cut) < 69
    walker.leave(walker.all("button[value=make]")[0].click)
    assert (walker.all("#cuts")[0].get_attribute("value") or "").strip() == cut
    assert len(walker.all(".group")) == 3  # below the top, what is less and what is more


def _cancel(walker: Browser, origin: str) -> None:
    """Cancel what runs: it ends at once, and going back and loading again begins nothing."""
    walker.go(f"{origin}/try")
    field = walker.all("#k")[0]
    field.clear()
    field.send_keys("2, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14")
    walker.leave(walker.all("#try-button")[0].click)
    walker.leave(walker.all('form[action*="/cancel"] button')[0].click)
    assert translator("en")("tasks.cancelled") in walker.all("main")[0].text
    walker.driver.back()
    walker.driver.refresh()
    walker.go(f"{origin}/try")
    assert walker.all("[data-events]") == []
    assert len(walker.all("table.tried tbody tr")) < 13
