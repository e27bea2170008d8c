"""Takes the pictures of docs/ui.md: every screen that there is, of the bundled example, as a browser shows it."""

import shutil
from base64 import b64decode
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.web.browsing import ROOT, SCREENS, Browser, browser, running

FOLDER = ROOT / "docs" / "ui"
EXAMPLE = ROOT / "examples" / "hospital" / "patients.csv"
_HIGH = 800


def take(walker: Browser, name: str) -> None:
    """Write what the window shows."""
    told = walker.driver.execute_cdp_cmd("Page.captureScreenshot", {"format": "png", "optimizeForSpeed": False})
    (FOLDER / f"{name}.png").write_bytes(b64decode(told["data"]))


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
            linked = {one.get_attribute("href") for one in walker.all("nav a")}
            for step in SCREENS:
                if app.origin + step.path in linked:
                    walker.go(app.origin + step.path)
                    take(walker, step.key.replace("_", "-"))


if __name__ == "__main__":
    main()
