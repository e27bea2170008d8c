"""Takes the pictures of docs/ui.md: every screen that there is, of the bundled example, as a browser shows it."""

import shutil
from base64 import b64decode
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.web.browsing import ROOT, SCREENS, Browser, browser, running

FOLDER = ROOT / "docs" / "ui"
EXAMPLE = ROOT / "examples" / "hospital" / "patients.csv"
_HIGH = 800
_LONG = 300  # seconds
_SHOWN = {
    "trials": "document.querySelector('figure.frontier').scrollIntoView()",
    "hand_over": "document.querySelector('#verify').scrollIntoView()",
}
"""Where a page is scrolled to, if its upper part is not what it is about."""


def take(walker: Browser, name: str) -> None:
    """Write what the window shows."""
    told = walker.driver.execute_cdp_cmd("Page.captureScreenshot", {"format": "png", "optimizeForSpeed": False})
    (FOLDER / f"{name}.png").write_bytes(b64decode(told["data"]))


def _tried(walker: Browser, origin: str) -> None:
    """Try three settings, and verify the release of the last."""
    walker.go(origin + "/exposure")
    walker.until(lambda: bool(walker.all("#exposure-sentence")), _LONG)
    walker.go(origin + "/try")
    walker.all("#k")[0].clear()
    walker.all("#k")[0].send_keys("3, 5, 12")
    walker.all("#algorithm")[0].send_keys("mondrian")
    walker.leave(walker.all("#try-button")[0].click)
    walker.until(lambda: len(walker.all("table.tried tbody tr")) == 3, _LONG)
    walker.go(origin + "/hand-over")
    walker.leave(walker.all("#check")[0].click)
    walker.until(lambda: bool(walker.all("#verified")), _LONG)


def main() -> None:
    """Take all pictures."""
    FOLDER.mkdir(exist_ok=True)
    with TemporaryDirectory() as made:
        root = Path(made) / "hospital"
        root.mkdir()
        shutil.copy(EXAMPLE, root)
        place = {"caches": Path(made) / "caches"}
        with running(root, EXAMPLE.name, **place) as app, browser(Path(made) / "profile", 1280, _HIGH) as walker:
            walker.go(app.address)
            walker.until(lambda: walker.path == "/columns")
            _tried(walker, app.origin)
            for step in SCREENS:
                walker.go(app.origin + step.path)
                walker.driver.execute_script(_SHOWN.get(step.key, ""))
                take(walker, step.key.replace("_", "-"))
            walker.go(app.origin + "/words")
            walker.leave(walker.all("#word-3")[0].click)
            take(walker, "tree")


if __name__ == "__main__":
    main()
