"""How far a task is: a page, the same as events, and the end of it."""

import json
from collections.abc import AsyncIterator

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from shoal.web.rendering import page, see, session_of
from shoal.web.tasks import Task
from shoal.web.texts import TextError

_OFTEN = 1.0  # seconds between two events, if nothing new happened


def _task(request: Request) -> Task:
    session = session_of(request)
    task = session.tasks.get(int(request.path_params["number"]))
    if task is None:
        raise TextError("tasks.unknown")
    return task


async def show(request: Request) -> Response:
    """Show how far a task is; one that is done leads to what came of it."""
    task = _task(request)
    return see(task.then) if task.state == "done" else page(request, "task.html", {"task": task.as_dict()})


async def events(request: Request) -> Response:
    """Tell how far a task is until it ends."""
    task = _task(request)

    async def told() -> AsyncIterator[str]:
        while task.state == "running":
            yield _event(task)
            await task.changed(_OFTEN)
        yield _event(task)

    return StreamingResponse(told(), media_type="text/event-stream")


def _event(task: Task) -> str:
    return f"data: {json.dumps(task.as_dict() | {'then': task.then})}\n\n"


async def cancel(request: Request) -> Response:
    """End a task."""
    task = _task(request)
    await task.cancel()
    return see(f"/tasks/{task.number}")


ROUTES = [
    Route("/tasks/{number:int}", show),
    Route("/tasks/{number:int}/events", events),
    Route("/tasks/{number:int}/cancel", cancel, methods=["POST"]),
]
