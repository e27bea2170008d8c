"""A browser of the app with a table open, without a server and without a process for its tasks."""

import asyncio
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from typing import Any

import httpx2
from starlette.types import ASGIApp

from shoal.foundation.progress import silent
from shoal.web.application import application
from shoal.web.projects import Project
from shoal.web.sessions import AppSession
from shoal.web.work.opening import work
from shoal.web.workspaces import Workspace

HOST = "127.0.0.1:1"


@dataclass(frozen=True)
class Browser:
    """A browser that was given the address."""

    app: ASGIApp
    session: AppSession

    @property
    def project(self) -> Project:
        """The open project."""
        assert self.session.project is not None
        return self.session.project

    def ask(self, method: str, path: str, **request: Any) -> httpx2.Response:
        """Send a request, and follow where its answer leads."""

        async def sent() -> httpx2.Response:
            way = httpx2.ASGITransport(self.app, raise_app_exceptions=False)
            cookies = {self.session.cookie_name: self.session.cookie}
            origin = f"http://{HOST}"
            async with httpx2.AsyncClient(transport=way, base_url=origin, cookies=cookies) as client:
                return await client.request(method, path, headers={"origin": origin}, follow_redirects=True, **request)

        return asyncio.run(sent())

    def get(self, path: str, status: int = 200) -> str:
        """Return a page, with entities as characters."""
        answer = self.ask("GET", path)
        assert answer.status_code == status, answer.text
        return unescape(answer.text)

    def post(self, path: str, status: int = 200, files: Any = None, **fields: Any) -> str:
        """Send a form of the present state, and return the page that it leads to."""
        address = f"{path}?form={self.session.form}"
        data = {"version": self.project.version, **fields}
        answer = self.ask("POST", address, data=data, files=files)
        assert answer.status_code == status, answer.text
        return unescape(answer.text)

    def key(self, path: str, label: str) -> str:
        """Return what a form names a node of a tree by."""
        found = re.search(rf'value="(\d+-\d+)"> <span class="\w+">{re.escape(label)}</span>', self.get(path))
        assert found is not None
        return found[1]


@contextmanager
def opened(root: Path, text: str, **request: Any) -> Iterator[Browser]:
    """Open a table of CSV."""
    (root / "table.csv").write_text(text)
    workspace = Workspace.make(root)
    session = AppSession(root, workspace, frozenset({HOST}), 1)
    try:
        given = {"path": str(root / "table.csv")} | request
        work(folder=str(workspace.folder), cache=str(workspace.cache), progress=silent, **given)
        session.project = Project(workspace.folder)
        yield Browser(application(session), session)
    finally:
        workspace.close()
