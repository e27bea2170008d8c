"""The way through the screens in a real browser: by keyboard alone, in each language, wide and narrow."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from selenium.webdriver.common.keys import Keys

from shoal.web.texts import LANGUAGES, translator
from tests.web.asking import CANARY, table
from tests.web.browsing import AXE, ROOT, SCREENS, Browser, browser, running

HOSPITAL = ROOT / "examples" / "hospital" / "patients.csv"
SURVEY = ROOT / "examples" / "survey"


def _speak(walker: Browser, language: str) -> None:
    if walker.all("html")[0].get_attribute("lang") != language:
        walker.tab_to(f"button[name=language][value={language}]")
        walker.leave(lambda: walker.press(Keys.ENTER))


def _open(walker: Browser, name: str) -> None:
    """Open a table by its path."""
    walker.tab_to("#path")
    walker.leave(lambda: walker.press(name, Keys.ENTER))
    walker.until(lambda: walker.path == "/open" and bool(walker.all("main table")))


def _columns(walker: Browser) -> None:
    """Go on to the columns, give the first one another role, and save that."""
    walker.tab_to('main a[href="/columns"]')
    walker.leave(lambda: walker.press(Keys.ENTER))
    walker.tab_to("select")
    name, before = walker.focused.get_attribute("name"), walker.focused.get_attribute("value")
    walker.press(Keys.ARROW_DOWN if before != "household" else Keys.ARROW_UP)
    chosen = walker.focused.get_attribute("value")
    assert chosen != before
    walker.tab_to("main button.plain:not([name])")
    walker.leave(lambda: walker.press(Keys.ENTER))
    assert walker.all(f"select[name={name}]")[0].get_attribute("value") == chosen


WALK: dict[str, Callable[[Browser], None]] = {"columns": _columns}
"""What is done on a screen by keyboard, after the table was opened; a screen that is not here is only looked at."""


def _look(walker: Browser, origin: str, language: str) -> None:
    """Look at every screen that there is: it fits into the window, speaks the language, and axe-core is content."""
    t = translator(language)
    linked = {one.get_attribute("href") for one in walker.all("nav a")}
    for path in [*(step.path for step in SCREENS if origin + step.path in linked), "/rows"]:
        walker.go(origin + path)
        assert walker.path == path
        assert walker.all("html")[0].get_attribute("lang") == language
        assert t("errors.title") not in walker.all("h1")[0].text
        wide, window = walker.width()
        assert wide <= window, f"{path} is {wide} pixels wide"
        for dark in (False, True):
            walker.dark(on=dark)
            assert walker.faults() == [], path


def _safe(walker: Browser, origin: str) -> None:
    """No request went elsewhere, or named a value."""
    asked = walker.requests()
    assert len(asked) > 5
    assert [one for one in asked if not one.startswith((origin, "data:", "chrome"))] == []
    assert [one for one in asked if CANARY in one] == []


def _walk(root: Path, tmp_path: Path, name: str, language: str, width: int) -> None:
    caches = tmp_path / "caches"
    with running(root, caches=caches) as app, browser(tmp_path / "profile", width) as walker:
        walker.go(app.address)
        _speak(walker, language)
        _open(walker, name)
        for step in SCREENS:
            if step.key in WALK:
                WALK[step.key](walker)
        _look(walker, app.origin, language)
        _safe(walker, app.origin)
        walker.tab_to('form[action^="/quit"] button')
        walker.leave(lambda: walker.press(Keys.ENTER))
        assert translator(language)("quit.lost") in walker.all("main")[0].text
        walker.tab_to("#quit-now")
        walker.leave(lambda: walker.press(Keys.ENTER))
        assert translator(language)("quit.title") in walker.all("h1")[0].text
        said = app.ended()
        assert said == ""
        assert app.process.returncode == 0
    assert list(root.glob(".shoal-*")) == []


def test_a_short_walk(root: Path, tmp_path: Path) -> None:
    """From a file to the roles of its columns, in German; `make test-web` walks on."""
    table(root)
    _walk(root, tmp_path, "patients.csv", "de", 1280)


@pytest.mark.web
@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_hospital_by_keyboard_alone(root: Path, tmp_path: Path, language: str, width: int) -> None:
    shutil.copy(HOSPITAL, root)
    _walk(root, tmp_path, HOSPITAL.name, language, width)


@pytest.mark.web
def test_a_table_of_another_shape(root: Path, tmp_path: Path) -> None:
    source = sorted(path for path in SURVEY.iterdir() if path.suffix in (".csv", ".sav", ".parquet", ".xlsx"))[0]
    shutil.copy(source, root)
    _walk(root, tmp_path, source.name, "en", 1280)


@pytest.mark.web
def test_axe_is_there() -> None:
    if not AXE.is_file():
        pytest.skip("no axe-core here: `make test-web` installs it from npm where it may; pages were not judged by it")


@pytest.mark.web
def test_two_tabs(root: Path, tmp_path: Path) -> None:
    """What one tab has changed is not overwritten by the other, which says so."""
    path = table(root)
    with running(root, path.name, caches=tmp_path / "caches") as app, browser(tmp_path / "profile") as walker:
        walker.go(app.address)
        walker.until(lambda: walker.path == "/columns" and bool(walker.all("select")))
        first = walker.driver.current_window_handle
        walker.driver.switch_to.new_window("tab")
        walker.go(f"{app.origin}/columns")
        second = walker.driver.current_window_handle
        for tab, expected in ((first, "columns.title"), (second, "errors.title")):
            walker.driver.switch_to.window(tab)
            field = walker.all("select")[0]
            field.send_keys(Keys.ARROW_UP if field.get_attribute("value") == "household" else Keys.ARROW_DOWN)
            walker.leave(walker.all("main button.plain:not([name])")[0].click)
            assert walker.all("h1")[0].text == translator("en")(expected)
        walker.leave(walker.driver.back)
        walker.driver.refresh()
        assert walker.path == "/columns"
