"""A browser that was let in, without a server; tasks run at once, in this process."""

import asyncio
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from shoal.foundation.errors import ShoalError
from shoal.foundation.progress import silent
from shoal.web.application import application
from shoal.web.projects import Project
from shoal.web.sessions import AppSession
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


@dataclass(frozen=True)
class Answer:
    """What the app answers in the end, and where."""

    status_code: int
    text: str
    path: str


class Browser:
    """Asks for pages, and sends forms."""

    def __init__(self, project: Project) -> None:
        root = project.folder.parent
        self.project = project
        (root / "private").mkdir(exist_ok=True)
        space = Workspace(root / "private", root / "lock", -1)
        self.session = AppSession(root, space, frozenset({"testserver"}), 80, project=project, tasks=AtOnce())
        self._app = application(self.session)

    def get(self, path: str) -> Answer:
        return asyncio.run(self._ask("GET", path))

    def post(self, path: str, **fields: Any) -> Answer:
        return asyncio.run(self._ask("POST", path, {"version": self.project.version, **fields}))

    async def _ask(self, method: str, path: str, fields: Any = None) -> Answer:
        sent, got = urlencode(fields or {}, doseq=True).encode(), bytearray()
        headers = {
            "host": "testserver",
            "origin": "http://testserver",
            "cookie": f"{self.session.cookie_name}={self.session.cookie}",
            "x-shoal-form": self.session.form,
            "content-type": "application/x-www-form-urlencoded",
            "content-length": str(len(sent)),
        }
        told: dict[str, Any] = {}

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": sent, "more_body": False}

        async def send(message: Any) -> None:
            told.update(message)
            got.extend(message.get("body", b""))

        place, _, query = path.partition("?")
        scope = {
            "type": "http",
            "method": method,
            "path": place,
            "raw_path": place.encode(),
            "query_string": query.encode(),
            "scheme": "http",
            "server": ("testserver", 80),
            "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
        }
        await self._app(scope, receive, send)
        where = dict(told["headers"]).get(b"location")
        return Answer(told["status"], got.decode(), path) if where is None else await self._ask("GET", where.decode())
