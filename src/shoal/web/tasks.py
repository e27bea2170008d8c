"""Tasks: work on a table, each in a process of its own, so that it can be cancelled and takes nothing with it."""

import asyncio
import json
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Any, Literal

from shoal.foundation.systems import processes

State = Literal["running", "done", "failed", "cancelled"]

_PATIENCE = 2.0  # seconds that a cancelled task has to take away what it has half written
_LINE = 64 * 2**20  # longest line that a task answers with


@dataclass(eq=False)
class Task:
    """Work that runs, or has ended.

    Args:
        number: Its number in this run of the app.
        kind: What is done, by the name of its file in `shoal.web.work`.
        request: What it was asked for.
        then: The page that shows what comes of it.
    """

    number: int
    kind: str
    request: Mapping[str, Any]
    then: str
    state: State = "running"
    step: str = ""
    share: float | None = None
    message: str = ""
    result: dict[str, Any] = field(default_factory=dict)
    started: float = field(default_factory=monotonic)
    _since: float = field(default_factory=monotonic)
    _process: asyncio.subprocess.Process | None = None
    _changed: asyncio.Event = field(default_factory=asyncio.Event)

    def as_dict(self) -> dict[str, Any]:
        """Return how far it is, as JSON."""
        now = monotonic()
        rest = (now - self._since) * (1 - self.share) / self.share if self.share else None
        return {
            "number": self.number,
            "kind": self.kind,
            "state": self.state,
            "step": self.step,
            "share": self.share,
            "seconds": now - self.started,
            "left": rest,
            "message": self.message,
        }

    async def changed(self, seconds: float) -> None:
        """Wait until there is something new to tell, or for some seconds."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._changed.wait(), seconds)
        self._changed.clear()

    async def run(self) -> None:
        """Run it to its end, in a process of its own; whatever happens to that, the task ends."""
        try:
            await self._run()
        except (OSError, ValueError, KeyError, TypeError):  # it cannot be started, or speaks what nobody understands
            await self._kill()
        if self.state == "running":
            self._end("failed", message="The work ended before its end. Perhaps the memory of this machine ran out.")
        self._changed.set()

    async def _run(self) -> None:
        process = self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "shoal.web.child",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            start_new_session=True,
            limit=_LINE,
        )
        if self.state != "running":  # cancelled while it was being started
            await self._kill()
            return
        if process.stdin is None or process.stdout is None:  # both are pipes
            raise ValueError
        told = json.dumps({"kind": self.kind, "request": dict(self.request)}) + "\n"
        with suppress(ConnectionError):
            process.stdin.write(told.encode())
            await process.stdin.drain()
        async for line in process.stdout:
            self._hear(json.loads(line))
        await process.wait()

    def _hear(self, told: Mapping[str, Any]) -> None:
        if self.state != "running":
            return
        if "result" in told:
            self._end("done", result=told["result"])
        elif "error" in told:
            self._end("failed", message=told["error"])
        else:
            if told["step"] != self.step:
                self._since = monotonic()
            self.step, self.share = told["step"], told["share"]
        self._changed.set()

    def _end(self, state: State, *, message: str = "", result: Mapping[str, Any] | None = None) -> None:
        self.state, self.message, self.result = state, message, dict(result or {})
        self._changed.set()

    async def cancel(self) -> None:
        """End it at once; its process has a moment to take away what is half written."""
        if self.state != "running":
            return
        self._end("cancelled")
        await self._kill()

    async def _kill(self) -> None:
        """End the process, if there is one, and all that it has started."""
        process = self._process
        if process is None:
            return
        for number, seconds in ((processes.ASK, _PATIENCE), (processes.FORCE, None)):
            with suppress(ProcessLookupError, PermissionError):
                processes.end(process.pid, number)
            with suppress(TimeoutError):
                await asyncio.wait_for(process.wait(), seconds)
                return


class Tasks:
    """All tasks of a run of the app."""

    def __init__(self) -> None:
        self._all: dict[int, Task] = {}
        self._kept: set[asyncio.Task[None]] = set()

    def __getitem__(self, number: int) -> Task:
        return self._all[number]

    def get(self, number: int) -> Task | None:
        """Return a task by its number."""
        return self._all.get(number)

    @property
    def running(self) -> list[Task]:
        """The tasks that have not ended."""
        return [task for task in self._all.values() if task.state == "running"]

    def last(self, kind: str) -> Task | None:
        """Return the last task of a kind."""
        return next((task for task in reversed(self._all.values()) if task.kind == kind), None)

    def start(self, kind: str, then: str, **request: Any) -> Task:
        """Start a task, or return the one that does the same already: nothing runs twice."""
        asked = {key: str(value) if isinstance(value, Path) else value for key, value in request.items()}
        for task in self.running:
            if task.kind == kind and task.request == asked:
                return task
        task = Task(len(self._all) + 1, kind, asked, then)
        self._all[task.number] = task
        running = asyncio.create_task(task.run())
        self._kept.add(running)
        running.add_done_callback(self._kept.discard)
        return task

    async def end(self) -> None:
        """Cancel what runs."""
        await asyncio.gather(*(task.cancel() for task in self.running))
