"""A browser's questions to the app, within the test: no server, no browser."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from httpx2 import Response
from starlette.testclient import TestClient

from shoal.kernels.cache import own_places
from shoal.web.application import application
from shoal.web.guard import FORM
from shoal.web.projects import Project
from shoal.web.sessions import AppSession
from shoal.web.work import opening
from shoal.web.workspaces import Workspace

PORT = 8765
HOST = f"127.0.0.1:{PORT}"
ORIGIN = f"http://{HOST}"
CANARY = "Zanzibar-4711"
"""A value of the table that is looked for where it must not be."""


def apart(caches: Path) -> dict[str, str]:
    """Return what keeps the locks of a test in its own folder, but the kernels where they are compiled already."""
    return {"XDG_CACHE_HOME": str(caches), "NUMBA_CACHE_DIR": str(own_places()[0].parent)}


def table(folder: Path, name: str = "patients.csv") -> Path:
    """Write a small table in which every third record holds the canary."""
    rows = [f"{20 + n % 50},{'mf'[n % 2]},{10000 + n % 7},{CANARY if n % 3 else 'flu'}" for n in range(60)]
    path = folder / name
    path.write_text("\n".join(["age,sex,zip,illness", *rows, ""]), encoding="utf-8")
    return path


@dataclass
class Asking:
    """A browser that has, or has not, the cookie of the app."""

    session: AppSession
    client: TestClient

    def enter(self) -> "Asking":
        """Exchange the token for the cookie, as the browser does that is opened at the start."""
        self.client.get("/enter", params={"token": self.session.token})
        return self

    def get(self, path: str, **headers: str) -> Response:
        """Ask for a page."""
        return self.client.get(path, headers={one.replace("_", "-"): value for one, value in headers.items()})

    def post(self, path: str, fields: dict[str, Any] | None = None, **options: Any) -> Response:
        """Send a form of ours."""
        headers = {"origin": ORIGIN, **options.pop("headers", {})}
        return self.client.post(f"{path}?{FORM}={self.session.form}", data=fields, headers=headers, **options)

    def opened(self, path: Path) -> "Asking":
        """Open a table, in this process."""
        session = self.session
        session.project = Project(session.workspace.folder)
        opening.work(
            folder=str(session.workspace.folder),
            cache=str(session.workspace.cache),
            progress=lambda step, share=None: None,
            path=str(path),
        )
        return self


@contextmanager
def asking(root: Path, *, known: bool = True) -> Iterator[Asking]:
    """Run the app in a folder, for a browser that has the cookie, or has not."""
    session = AppSession(root, Workspace.make(root), frozenset({HOST, f"localhost:{PORT}"}), PORT)
    with TestClient(application(session), ORIGIN, raise_server_exceptions=False, follow_redirects=False) as client:
        asked = Asking(session, client)
        yield asked.enter() if known else asked
        session.workspace.close()
