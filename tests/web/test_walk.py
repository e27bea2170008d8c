"""The way through the screens in a real browser: by keyboard alone, in each language, wide and narrow."""

import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Collection
from pathlib import Path

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from shoal.jobs.job import JOB_FILE
from shoal.web.texts import LANGUAGES, translator
from tests.web.asking import table
from tests.web.browsing import AXE, ROOT, SCREENS, Browser, browser, running, safe

HOSPITAL = ROOT / "examples" / "hospital" / "patients.csv"
KEPT = "kept project"
TOLD_OF_TIME = {
    "certificate.json": rb'"seconds": [0-9.e-]+|"seal": "[0-9a-f]{64}"',
    "manifest.json": rb'"private/certificate.json": "[0-9a-f]{64}"',
}
"""What differs between two runs of one job, by the name of the file."""
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


def _enter(walker: Browser, selector: str) -> None:
    """Go to a link or button by the key Tab, and press it."""
    walker.tab_to(selector)
    walker.leave(lambda: walker.press(Keys.ENTER))


def _columns(walker: Browser, name: str) -> None:
    """Give the column that comes first another role, save that, and take it back."""
    for key in (Keys.ARROW_DOWN, Keys.ARROW_UP):
        walker.tab_to("select[name^=role-]")
        field, before = walker.focused.get_attribute("name"), walker.focused.get_attribute("value")
        walker.press(key)
        chosen = walker.focused.get_attribute("value")
        assert chosen != before
        _enter(walker, "main button.plain:not([name])")
        assert walker.all(f"select[name={field}]")[0].get_attribute("value") == chosen


def _exposure(walker: Browser, name: str) -> None:
    """Wait for the risks, and look for a person."""
    walker.until(lambda: bool(walker.all("#exposure-sentence")), 300)
    walker.tab_to("#known-0")
    walker.leave(lambda: walker.press("nobody has this value", Keys.ENTER))
    walker.until(lambda: bool(walker.all("#found-sentence.good")))


def _words(walker: Browser, name: str) -> None:
    """Put two values of a column together, under a name: of that with the fewest among those with more than two."""
    different = {int(re.sub(r"\D", "", card.text.rpartition("·")[2])): card for card in walker.all("main .card")}
    fewest = different[min(number for number in different if number > 2)]
    _enter(walker, f"#{fewest.find_elements(By.TAG_NAME, 'a')[0].get_attribute('id')}")
    before = len(walker.all(".node"))
    walker.tab_to("#name")
    walker.press("put together")
    for _ in range(2):
        walker.tab_to(".node:not([data-group]) input")
        walker.press(Keys.SPACE)
    walker.leave(lambda: walker.press(Keys.ENTER))
    assert "put together" in [one.text for one in walker.all(".group")]
    assert len(walker.all(".node")) > before


def _promises(walker: Browser, name: str) -> None:
    """Promise a k of 3."""
    _enter(walker, "button[name=preset][value=in_house]")
    assert walker.all("#p0-k")[0].get_attribute("value") == "3"


def _trials(walker: Browser, name: str) -> None:
    """Try a setting, and look at what came of it."""
    walker.tab_to("#k")
    walker.press("4")
    walker.tab_to("#algorithm")
    walker.press("mondrian")
    _enter(walker, "#try-button")
    walker.until(lambda: bool(walker.all("table.tried tbody tr")), 300)
    _enter(walker, "table.tried th a")
    assert walker.path == "/try/1"


def _looked(walker: Browser, name: str) -> None:
    """See that all promises hold."""
    assert walker.all("#verdict.good")
    assert len(walker.all("#attacks ~ ul li, #attacks ~ p")) > 0


def _handed_over(walker: Browser, name: str) -> None:
    """Verify, sign with a new key, and copy what may be handed out."""
    _enter(walker, "#check")
    walker.until(lambda: bool(walker.all("#verified.good")), 300)
    walker.tab_to("#key")
    walker.press("my.key")
    walker.tab_to("#new")
    walker.press(Keys.SPACE)
    _enter(walker, "#sign-now")
    walker.until(lambda: any(".sig" in one.text for one in walker.all(".half code")))
    walker.tab_to("#target")
    walker.leave(lambda: walker.press("handed over", Keys.ENTER))
    walker.until(lambda: any("handed over" in one.text for one in walker.all("#copy ~ p.good")))


def _next_time(walker: Browser, name: str) -> None:
    """Put the rules to the same table."""
    walker.tab_to("#path")
    walker.press(name)
    walker.tab_to("input[name=failing]")
    walker.press(Keys.ARROW_DOWN)
    _enter(walker, "#apply-now")
    walker.until(lambda: bool(walker.all("#compared, [role=alert]")), 300)  # rules that do not cover all may be refused
    assert not any("Internal" in one.text for one in walker.all("[role=alert]"))


def _history(walker: Browser, name: str) -> None:
    """Undo the last change, and undo that."""
    for _ in range(2):
        before = len(walker.all(".changes li"))
        _enter(walker, "#undo")
        assert len(walker.all(".changes li")) == before + 1


WALK: dict[str, Callable[[Browser, str], None]] = {
    "columns": _columns,
    "exposure": _exposure,
    "words": _words,
    "promises": _promises,
    "trials": _trials,
    "look": _looked,
    "hand_over": _handed_over,
    "next_time": _next_time,
    "history": _history,
}
"""What is done on a screen by keyboard, with the name of the table; a screen that is not here is only looked at."""


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


def _walk(root: Path, tmp_path: Path, name: str, language: str, width: int, steps: Collection[str]) -> None:
    caches = tmp_path / "caches"
    with running(root, caches=caches) as app, browser(tmp_path / "profile", width) as walker:
        walker.go(app.address)
        _speak(walker, language)
        _open(walker, name)
        for step in SCREENS:
            if step.key in steps:
                _enter(walker, f'nav a[href="{step.path}"]')
                WALK[step.key](walker, name)
        _look(walker, app.origin, language)
        safe(walker, app.origin)
        _keep_and_quit(walker, language)
        said = app.ended()
        assert said == ""
        assert app.process.returncode == 0
    assert list(root.glob(".shoal-*")) == []


def _keep_and_quit(walker: Browser, language: str) -> None:
    """Quit, keep the project when that asks for it, and quit then."""
    _enter(walker, 'form[action^="/quit"] button')
    assert translator(language)("quit.lost") in walker.all("main")[0].text
    walker.tab_to("#keep-name")
    walker.leave(lambda: walker.press(KEPT, Keys.ENTER))
    _enter(walker, "#quit-now")
    assert translator(language)("quit.title") in walker.all("h1")[0].text


def _repeats(project: Path) -> None:
    """What was released in the app is byte for byte what the command line makes of its job, at the same depth.

    The certificate tells the seconds of the search, and seals what it tells; the list of files has its digest.
    """
    home = project / "tried" / "0001"
    made, again = home / "release", home / "again"
    command = [sys.executable, "-m", "shoal", "anonymize", str(home / JOB_FILE), "--out", str(again)]
    subprocess.run(command, check=True, capture_output=True)
    found = sorted(path.relative_to(again) for path in again.rglob("*") if path.is_file())
    own = sorted(path.relative_to(made) for path in made.rglob("*") if path.is_file())
    assert [path for path in own if path.suffix != ".sig"] == found
    assert len(found) >= 8
    assert [str(path) for path in found if _apart_from_time(made / path) != _apart_from_time(again / path)] == []


def _apart_from_time(path: Path) -> bytes:
    """Return a file; if it tells how long the search took, without that, and without digests of it."""
    said = TOLD_OF_TIME.get(path.name)
    content = path.read_bytes()
    if said is None:
        return content
    masked, times = re.subn(said, b"", content)
    assert times == said.count(b"|") + 1
    return masked


def test_a_short_walk(root: Path, tmp_path: Path) -> None:
    """From a file to the roles of its columns, in German; `make test-web` walks on."""
    table(root)
    _walk(root, tmp_path, "patients.csv", "de", 1280, {"columns"})
    assert (root / KEPT / JOB_FILE).is_file()


@pytest.mark.web
@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_hospital_by_keyboard_alone(root: Path, tmp_path: Path, language: str, width: int) -> None:
    shutil.copy(HOSPITAL, root)
    _walk(root, tmp_path, HOSPITAL.name, language, width, WALK)
    _repeats(root / KEPT)


@pytest.mark.web
def test_a_table_of_another_shape(root: Path, tmp_path: Path) -> None:
    source = sorted(path for path in SURVEY.iterdir() if path.suffix in (".csv", ".sav", ".parquet", ".xlsx"))[0]
    shutil.copy(source, root)
    _walk(root, tmp_path, source.name, "en", 1280, WALK)
    _repeats(root / KEPT)


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
