"""What stands for a browser in tests of the screens; tasks are done at once, in the same process."""

import asyncio
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from html import unescape
from importlib import import_module
from pathlib import Path
from typing import Any

import httpx2

from shoal.foundation.errors import ShoalError
from shoal.foundation.progress import silent
from shoal.web.application import application
from shoal.web.guard import ENTER
from shoal.web.projects import Project
from shoal.web.sessions import AppSession
from shoal.web.tasks import Task, Tasks
from shoal.web.work import opening, trying
from shoal.web.workspaces import Workspace
from tests.web.tables import project_of

HOST = "127.0.0.1:8123"


class _AtOnce(Tasks):
    def start(self, kind: str, then: str, **request: Any) -> Task:
        asked = {key: str(value) if isinstance(value, Path) else value for key, value in request.items()}
        task = Task(len(self._all) + 1, kind, asked, then)
        self._all[task.number] = task
        try:
            task.result = import_module(f"shoal.web.work.{kind}").work(progress=silent, **asked)
            task.state = "done"
        except ShoalError as error:
            task.state, task.message = "failed", str(error)
        return task


class Browser:
    """A browser that was given the address, and an app with a project."""

    def __init__(self, root: Path, project: Project | None) -> None:
        self.session = AppSession(root, Workspace.make(root), frozenset({HOST}), 8123, tasks=_AtOnce())
        self.session.project = project
        self._app, self._cookies = application(self.session), httpx2.Cookies()
        assert self.get(f"{ENTER}?token={self.session.token}").status_code == 200

    @property
    def project(self) -> Project:
        """The open project."""
        assert self.session.project is not None
        return self.session.project

    def get(self, path: str) -> httpx2.Response:
        """Open a page."""
        return asyncio.run(self._send("GET", path, None, None))

    def post(self, path: str, /, **fields: Any) -> httpx2.Response:
        """Send a form; where that leads is not followed."""
        return self.upload(path, {}, **fields)

    def upload(self, path: str, files: Mapping[str, tuple[str, bytes]], /, **fields: Any) -> httpx2.Response:
        """Send a form with files."""
        version = {} if self.session.project is None else {"version": self.session.project.version}
        sent = self._send("POST", f"{path}?form={self.session.form}", version | fields, files or None)
        return asyncio.run(sent)

    def led(self, answer: httpx2.Response) -> httpx2.Response:
        """Follow where an answer leads, to the end."""
        for _ in range(5):
            if answer.status_code != 303:
                break
            answer = self.get(answer.headers["location"])
        return answer

    async def _send(self, method: str, path: str, fields: Any, files: Any) -> httpx2.Response:
        carried = httpx2.ASGITransport(self._app, raise_app_exceptions=False)
        async with httpx2.AsyncClient(transport=carried, base_url=f"http://{HOST}", cookies=self._cookies) as client:
            headers = {"origin": f"http://{HOST}"} if method == "POST" else {}
            answer = await client.request(method, path, data=fields, files=files, headers=headers)
            self._cookies.update(client.cookies)
        return answer


class Walker(Browser):
    """A browser that goes where an answer leads."""

    def upload(self, path: str, files: Mapping[str, tuple[str, bytes]], /, **fields: Any) -> httpx2.Response:
        """Send a form with files, and return the page that it leads to."""
        return self.led(super().upload(path, files, **fields))


class Reader(Walker):
    """A walker who reads pages as text, each of an expected status."""

    def read(self, path: str, status: int = 200) -> str:
        """Return a page, with entities as characters."""
        return _read(self.led(self.get(path)), status)

    def send(self, path: str, status: int = 200, /, files: Any = None, **fields: Any) -> str:
        """Send a form of the present state, and return the page that it leads to."""
        return _read(self.upload(path, files or {}, **fields), status)

    def key(self, path: str, label: str) -> str:
        """Return what a form names a node of a tree by."""
        found = re.search(rf'value="(\d+-\d+)"> <span class="\w+">{re.escape(label)}</span>', self.read(path))
        assert found is not None
        return found[1]


def _read(answer: httpx2.Response, status: int) -> str:
    assert answer.status_code == status, answer.text
    return unescape(answer.text)


@contextmanager
def opened(root: Path, text: str, **request: Any) -> Iterator[Reader]:
    """Open a table of CSV in an app that is started in a folder."""
    (root / "table.csv").write_text(text)
    reader = Reader(root, None)
    workspace = reader.session.workspace
    try:
        given = {"path": str(root / "table.csv")} | request
        opening.work(folder=str(workspace.folder), cache=str(workspace.cache), progress=silent, **given)
        reader.session.project = Project(workspace.folder)
        yield reader
    finally:
        workspace.close()


def tried_project(root: Path, *settings: dict[str, Any], **changes: Any) -> Project:
    """Return a project in which some settings were tried."""
    project = project_of(root, **changes)
    for setting in settings or ({},):
        trying.work(folder=str(project.folder), version=project.version, settings=[setting], progress=silent)
    return project
