"""What stands for a browser in tests of the screens; tasks are done at once, in the same process."""

import asyncio
from collections.abc import Mapping
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
from shoal.web.work import trying
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

    def get(self, path: str) -> httpx2.Response:
        """Open a page."""
        return asyncio.run(self._send("GET", path, None, None))

    def post(self, path: str, /, **fields: str) -> httpx2.Response:
        """Send a form; where that leads is not followed."""
        return self.upload(path, {}, **fields)

    def upload(self, path: str, files: Mapping[str, tuple[str, bytes]], /, **fields: str) -> httpx2.Response:
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


def tried_project(root: Path, *settings: dict[str, Any], **changes: Any) -> Project:
    """Return a project in which some settings were tried."""
    project = project_of(root, **changes)
    for setting in settings or ({},):
        trying.work(folder=str(project.folder), version=project.version, settings=[setting], progress=silent)
    return project
