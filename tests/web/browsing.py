"""A real browser before a real run of the app, both on this machine alone."""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import WebDriverWait

from shoal.web.rendering import STEPS
from shoal.web.screens import ROUTES
from tests.web.asking import CANARY, apart

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
ROOT = Path(__file__).parent.parent.parent
AXE = ROOT / "build" / "axe" / "node_modules" / "axe-core" / "axe.min.js"
SCREENS = [step for step in STEPS if step.path in {route.path for route in ROUTES}]
"""The screens that there are, in the order of the work: a new one is walked through without a line here."""

_QUIET = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-default-apps",
    "--no-default-browser-check",
)
_MOST_KEYS = 400  # presses of Tab to come to anything of a page


@dataclass
class Running:
    """A run of the app: its process, and the address that it printed."""

    process: subprocess.Popen[str]
    address: str

    @property
    def origin(self) -> str:
        """The address without its token."""
        parts = urlsplit(self.address)
        return f"{parts.scheme}://{parts.netloc}"

    def ended(self) -> str:
        """Wait for its end; return what it has said since."""
        return "".join(one or "" for one in self.process.communicate(timeout=60))


@contextmanager
def running(root: Path, *arguments: str, caches: Path) -> Iterator[Running]:
    """Start the app in a folder."""
    command = [sys.executable, "-m", "shoal", "ui", *arguments, "--no-browser"]
    known = dict(os.environ) | apart(caches)
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=root, env=known, stdout=pipe, stderr=pipe, text=True) as process:
        try:
            if process.stdout is None:
                raise RuntimeError
            yield Running(process, process.stdout.readline().strip())
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGINT)
                process.communicate(timeout=60)


@dataclass
class Browser:
    """A browser with one tab, of which every request is noted."""

    driver: webdriver.Chrome

    def go(self, address: str) -> None:
        """Open an address, and wait until it has led to a page."""
        self.driver.get(address)
        self.until(lambda: bool(self.all("h1")))

    def all(self, selector: str) -> list[WebElement]:
        """Return the elements that a selector finds."""
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def until(self, holds: Callable[[], bool], seconds: int = 60) -> None:
        """Wait until something holds; the page may change meanwhile."""
        from selenium.common.exceptions import WebDriverException

        WebDriverWait(self.driver, seconds, 0.05, [WebDriverException]).until(lambda _: holds())

    @property
    def path(self) -> str:
        """Where the browser is."""
        return urlsplit(self.driver.current_url).path

    @property
    def focused(self) -> WebElement:
        """What a key is sent to."""
        return self.driver.switch_to.active_element

    def press(self, *keys: str) -> None:
        """Press keys, as a hand does, wherever the focus is."""
        webdriver.ActionChains(self.driver).send_keys(*keys).perform()

    def tab_to(self, selector: str) -> None:
        """Go by the key Tab alone to an element; whatever has the focus on the way must be seen to have it."""
        found = "return document.activeElement.matches(arguments[0])"
        seen = "const s = getComputedStyle(document.activeElement); return s.outlineStyle + s.outlineWidth"
        for _ in range(_MOST_KEYS):
            self.press(Keys.TAB)
            at = self.focused
            assert at.tag_name == "body" or self.driver.execute_script(seen) != "none0px", at.get_attribute("outerHTML")
            if self.driver.execute_script(found, selector):
                return
        raise AssertionError(f"The key Tab does not lead to {selector} on {self.path}.")

    def leave(self, act: Callable[[], None]) -> None:
        """Do what leads to another page, and wait until that is there."""
        before = self.all("html")[0]
        act()
        self.until(lambda: self.all("html") not in ([], [before]) and bool(self.all("h1")))

    def width(self) -> tuple[int, int]:
        """Return how wide the page is, and how wide the window."""
        told = "return [document.documentElement.scrollWidth, document.documentElement.clientWidth]"
        wide, window = self.driver.execute_script(told)
        return wide, window

    def requests(self) -> list[str]:
        """Return the addresses of all requests so far."""
        told = [json.loads(one["message"])["message"] for one in self._log("performance")]
        return [one["params"]["request"]["url"] for one in told if one["method"] == "Network.requestWillBeSent"]

    def _log(self, kind: str) -> list[dict[str, Any]]:
        told: list[dict[str, Any]] = self.driver.get_log(kind)  # type: ignore[no-untyped-call]
        return told

    def faults(self) -> list[str]:
        """Return what axe-core finds at this page that is serious or critical, and what the console complains of."""
        said = [one["message"] for one in self._log("browser") if one["level"] == "SEVERE"]
        if AXE.is_file():
            self.driver.execute_script(AXE.read_text(encoding="utf-8"))
            run = "const done = arguments[0]; axe.run().then((found) => done(found.violations))"
            for one in self.driver.execute_async_script(run):
                if one["impact"] in ("serious", "critical"):
                    said += [f"{one['id']}: {node['html'][:200]}" for node in one["nodes"]]
        return said

    def dark(self, *, on: bool) -> None:
        """Let the pages be dark, or light."""
        features = [{"name": "prefers-color-scheme", "value": "dark" if on else "light"}]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})


@contextmanager
def browser(profile: Path, width: int = 1280, height: int = 900) -> Iterator[Browser]:
    """Start a browser; a test that needs one is skipped, with a word, where there is none."""
    if CHROMIUM is None or DRIVER is None:
        pytest.skip("no chromium with its driver here: `make test-web` installs them where it may")
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for one in (*_QUIET, f"--user-data-dir={profile}"):
        options.add_argument(one)
    options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
    driver = webdriver.Chrome(options, webdriver.ChromeService(DRIVER))
    try:
        size: dict[str, Any] = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 800}
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        yield Browser(driver)
    finally:
        driver.quit()


def safe(walker: Browser, origin: str) -> None:
    """No request went elsewhere, or named a value."""
    asked = walker.requests()
    assert len(asked) > 5
    assert [one for one in asked if not one.startswith((origin, "data:", "chrome"))] == []
    assert [one for one in asked if CANARY in one] == []
