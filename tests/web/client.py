"""A browser that was let in, without a server; tasks run at once, in this process."""

import asyncio
from importlib import import_module
from pathlib import Path
from typing import Any

import httpx

from shoal.foundation.errors import ShoalError
from shoal.foundation.progress import silent
from shoal.web.application import application
from shoal.web.projects import Project
from shoal.web.sessions import Session
from shoal.web.tasks import Task, Tasks
from shoal.web.workspaces import Workspace


class AtOnce(Tasks):
    """Tasks that are done when they are started."""

    def start(self, kind: str, then: str, **request: Any) -> Task:
        asked = {key: str(value) if isinstance(value, Path) else value for key, value in request.items()}
        task = Task(len(self._all) + 1, kind, asked, then)
        self._all[task.number] = task
        try:
            found = import_module(f"shoal.web.work.{kind}").work(progress=silent, **asked)
            task.state, task.result = "done", found
        except ShoalError as error:
            task.state, task.message = "failed", str(error)
        return task


class Browser:
    """Asks for pages, and sends forms."""

    def __init__(self, project: Project) -> None:
        root = project.folder.parent
        self.project = project
        (root / "private").mkdir(exist_ok=True)
        space = Workspace(root / "private", root / "lock", -1)
        self.session = Session(root, space, frozenset({"testserver"}), 80, project=project, tasks=AtOnce())
        self._app = application(self.session)

    def get(self, path: str) -> httpx.Response:
        return self._ask("GET", path)

    def post(self, path: str, **fields: Any) -> httpx.Response:
        return self._ask("POST", path, {"version": self.project.version, **fields})

    def _ask(self, method: str, path: str, fields: Any = None) -> httpx.Response:
        async def asked() -> httpx.Response:
            transport = httpx.ASGITransport(self._app, raise_app_exceptions=False)
            cookies = {self.session.cookie_name: self.session.cookie}
            headers = {"origin": "http://testserver", "x-shoal-form": self.session.form}
            async with httpx.AsyncClient(
                transport=transport, base_url="http://testserver", cookies=cookies, follow_redirects=True
            ) as client:
                return await client.request(method, path, data=fields, headers=headers)

        return asyncio.run(asked())
