"""Serving: start the app on this machine, tell its address, and take everything away at the end."""

import asyncio
import socket
import tempfile
import webbrowser
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from shoal.foundation.errors import MissingExtraError, SpecError
from shoal.jobs.job import JOB_FILE

try:
    import uvicorn

    from shoal.web.application import application
    from shoal.web.guard import ENTER
    from shoal.web.projects import Project
    from shoal.web.sessions import Session
    from shoal.web.workspaces import Workspace
except ModuleNotFoundError as error:
    raise MissingExtraError(error.name or "starlette", "web") from None

LOOPBACK = "127.0.0.1"

_OFTEN = 1.0  # seconds between two looks at whether anybody is still here


def serve(
    source: Path | None,
    tell: Callable[[str], None],
    *,
    host: str = LOOPBACK,
    port: int = 0,
    names: tuple[str, ...] = (),
    certificate: Path | None = None,
    key: Path | None = None,
    idle: float = 3600.0,
    browser: bool = True,
) -> None:
    """Run the app until it is quit, interrupted, or left alone.

    Args:
        source: A table, a job file or the folder of a project to begin with.
        tell: Called with the address that a browser is to open.
        host: The address to listen on.
        port: The port; 0 is a free one.
        names: The names that others reach this machine by, if `host` is not the loopback.
        certificate: The file of a TLS certificate.
        key: The file of its key.
        idle: The seconds without any request after which the app ends.
        browser: Whether to open a browser.
    """
    listening = _listen(host, port)
    try:
        with listening:
            asyncio.run(_served(listening, source, tell, host, names, certificate, key, idle, browser=browser))
    except KeyboardInterrupt:  # uvicorn has ended all in order, and passes it on
        pass


def _listen(host: str, port: int) -> socket.socket:
    listening = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
    except OSError:
        listening.close()
        raise SpecError(f"Nothing can listen on {host}, port {port}: choose another one (--port).") from None
    return listening


async def _served(
    listening: socket.socket,
    source: Path | None,
    tell: Callable[[str], None],
    host: str,
    names: tuple[str, ...],
    certificate: Path | None,
    key: Path | None,
    idle: float,
    *,
    browser: bool,
) -> None:
    port: int = listening.getsockname()[1]
    known = (*((host,) if names == () else names), *(("localhost",) if host == LOOPBACK else ()))
    secure = certificate is not None
    root = Path.cwd()
    session = Session(root, Workspace.make(root), frozenset(f"{name}:{port}" for name in known), port, secure)
    server = uvicorn.Server(
        uvicorn.Config(
            application(session),
            log_config=None,
            log_level="critical",
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=1,
            ssl_certfile=certificate,
            ssl_keyfile=key,
        )
    )

    def end() -> None:
        server.should_exit = True

    session.quit = end
    tempfile.tempdir = str(session.workspace.uploads)  # what is uploaded is private from its first byte
    try:
        if source is not None:
            begin(session, source)
        address = f"http{'s' if secure else ''}://{known[0]}:{port}{ENTER}?token={session.token}"
        tell(address)
        if browser:
            with suppress(webbrowser.Error):
                await asyncio.to_thread(webbrowser.open, address)
        watching = asyncio.create_task(_watch(session, idle))
        await server.serve(sockets=[listening])
        watching.cancel()
    finally:
        await session.tasks.end()
        session.workspace.close()


async def _watch(session: Session, idle: float) -> None:
    """End the app when nobody has asked for anything for a while."""
    while session.idle < idle:
        await asyncio.sleep(_OFTEN)
    session.quit()


def begin(session: Session, source: Path) -> None:
    """Open what was named at the start: a project, by its folder or its job file, or a table."""
    path = source.absolute()
    if path.is_dir() and (path / JOB_FILE).is_file():
        session.project = Project(path)
    elif path.suffix.lower() == ".toml" and path.name == JOB_FILE:
        session.project = Project(path.parent)
    else:
        if not path.exists():
            raise SpecError(f"There is no file '{source}'.")
        session.named = path
        session.project = Project(session.workspace.folder)
        session.tasks.start(
            "opening", "/columns", folder=session.workspace.folder, path=path, cache=session.workspace.cache
        )
